/* How questions that were sent ended, for who watches the service (runtime/counts.h). */
#ifndef EDS_DNS_COUNTED_H
#define EDS_DNS_COUNTED_H

#include "functions/lib/dns/dns.h"

/* To be called once for each question that was sent, with what became of it. */
void eds_dns_count(const struct eds_dns_answer *answer);

#endif
