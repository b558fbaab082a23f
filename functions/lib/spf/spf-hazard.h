/* What is wrong with an SPF record though it can be evaluated: who may pass by it.
 *
 *     spf-allows-all    +all: every server in the world passes
 *     spf-wide-network  a network of /8 or larger passes
 *     spf-neutral-all   ?all, which says nothing about servers that are not named
 *     spf-no-all        no all and no redirect, which says the same
 *     spf-ptr           the term that RFC 7208 section 5.5 says not to use
 */
#ifndef EDS_SPF_HAZARD_H
#define EDS_SPF_HAZARD_H

#include "functions/lib/spf/spf.h"

struct eds_spf_hazard {
	const char *code;
	const char *domain; /* whose record it is */
	const char *where;  /* "ends with ", "has the term ", "ends without all" */
	const char *term;   /* as written; "" behind "ends without all" */
	const char *advice; /* sentences */
	bool grave;         /* strangers' servers pass */
};

typedef void (*eds_spf_hazard_found)(void *arg, const struct eds_spf_hazard *hazard);

/* Calls found, unless it is NULL, with each hazard of the records that were read, in their order;
 * it lives for the call. True when there is any. */
bool eds_spf_hazards(struct rt_ctx *ctx, const struct eds_spf_node *nodes, size_t count,
	eds_spf_hazard_found found, void *arg);

#endif
