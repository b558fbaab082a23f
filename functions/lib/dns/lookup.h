/* The DNS interface of verification code, independent of the source of answers: in the sandbox's
 * child the socket to its parent, in the parent (EDS_SANDBOX=off) the resolver, in tests a
 * table. */
#ifndef EDS_DNS_LOOKUP_H
#define EDS_DNS_LOOKUP_H

#include "functions/lib/dns/dns.h"

struct eds_lookup {
	/* Never NULL; lives until the event (or the child) ends. */
	const struct eds_dns_answer *(*get)(void *arg, const char *name, enum eds_dns_type type);
	void *arg;
};

#endif
