/* How verification code asks DNS, independent of where answers come from: in the sandbox's child
 * from its parent over a socket, in the parent (EDS_SANDBOX=off) from the resolver, in tests from a
 * table. */
#ifndef EDS_DNS_LOOKUP_H
#define EDS_DNS_LOOKUP_H

#include "functions/lib/dns/dns.h"

struct eds_lookup {
	/* Returns the answer, never NULL; it lives until the event (or the child) ends. */
	const struct eds_dns_answer *(*get)(void *arg, const char *name, enum eds_dns_type type);
	void *arg;
};

#endif
