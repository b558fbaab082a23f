/* Counts the outcomes of DNS questions for the service's metrics (runtime/counts.h). */
#ifndef EDS_DNS_COUNTED_H
#define EDS_DNS_COUNTED_H

#include "functions/lib/dns/dns.h"

/* Call once for each question that was sent to the resolver, with its answer. */
void eds_dns_count(const struct eds_dns_answer *answer);

#endif
