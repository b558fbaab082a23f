/* functions/lib/dns answered from a zone (tests/support/zone.h), for unit tests of code that only
 * reads answers: no sockets, no waiting. Linked in place of the resolver. The name server at
 * ADDRESS, asked itself, answers what lines for NAME@ADDRESS say; "without authority" is an answer
 * of that kind, FAIL silence no answer. */
#ifndef TESTS_DNS_TABLE_H
#define TESTS_DNS_TABLE_H

#include "functions/lib/dns/dns.h"

/* The lines the next eds_dns_open loads; borrowed. */
void dns_table(const char *lines);

/* Whether the question was asked since eds_dns_open. */
bool dns_table_asked(const char *name, enum eds_dns_type type);

#endif
