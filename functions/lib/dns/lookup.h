/* How verification code asks DNS, independent of where the answers come from. In a child of the
 * sandbox they come from its parent, over a socket. In the warm-up of the sandbox's helper program
 * and in tests they come from a table. */
#ifndef EDS_DNS_LOOKUP_H
#define EDS_DNS_LOOKUP_H

#include "functions/lib/dns/dns.h"

struct eds_lookup {
	/* Returns the answer, never NULL; it lives until the event (or the child) ends. */
	const struct eds_dns_answer *(*get)(void *arg, const char *name, enum eds_dns_type type);
	void *arg;
};

#endif
