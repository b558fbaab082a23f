/* Hazards of a valid SPF record: terms that let too many servers pass, or say too little.
 *
 *     spf-allows-all    +all: every server in the world passes
 *     spf-wide-network  a term ip4, ip6, a or mx lets a network of /8 or larger pass
 *     spf-neutral-all   ?all says nothing about servers that no term names
 *     spf-no-all        neither "all" nor redirect= ends the record, which has the effect of ?all
 *     spf-after-all     a term after "all", or redirect= beside it, has no effect
 *     spf-ptr           the term ptr, which RFC 7208 section 5.5 advises against
 */
#ifndef EDS_SPF_HAZARD_H
#define EDS_SPF_HAZARD_H

#include "functions/lib/spf/spf.h"

struct eds_spf_hazard {
	const char *code;
	const char *domain; /* domain that publishes the record */
	const char *where;  /* the sentence part before the term, for example "ends with " */
	const char *term;   /* the term as written; "" for spf-no-all */
	const char *advice; /* what to do, as sentences */
	bool grave;         /* mail from servers of other people passes */
};

typedef void (*eds_spf_hazard_found)(void *arg, const struct eds_spf_hazard *hazard);

/* Calls `found`, unless it is NULL, for each hazard of the records read, in their order; the hazard
 * is valid during the call. True when there is any. */
bool eds_spf_hazards(struct rt_ctx *ctx, const struct eds_spf_node *nodes, size_t count,
	eds_spf_hazard_found found, void *arg);

#endif
