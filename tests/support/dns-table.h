/* functions/lib/dns answered from a zone (tests/support/zone.h), for unit tests of code that only
 * reads answers: no sockets, no waiting. Linked instead of the resolver. A name server that is
 * asked directly, at ADDRESS, answers with the lines for NAME@ADDRESS; "without authority" stands
 * for such an answer, FAIL silence for no answer. */
#ifndef TESTS_DNS_TABLE_H
#define TESTS_DNS_TABLE_H

#include "functions/lib/dns/dns.h"

/* Sets the lines that the next eds_dns_open() loads. They are not copied. */
void dns_table(const char *lines);

/* Whether the question was asked since eds_dns_open. */
bool dns_table_asked(const char *name, enum eds_dns_type type);

#endif
