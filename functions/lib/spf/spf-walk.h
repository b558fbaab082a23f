/* All that an SPF record can ask of a receiver, without a message: the records below it, and the
 * lookups of the longest evaluation (RFC 7208 section 4.6.4), which a sender that no term names
 * causes.
 *
 * Records are followed through include and redirect as far as names have no macros, which only a
 * message fills in. The walk asks little more than an evaluation may and ends where it could not go
 * on.
 */
#ifndef EDS_SPF_WALK_H
#define EDS_SPF_WALK_H

#include "functions/lib/spf/spf.h"

enum {
	EDS_SPF_WALK_TERMS_MAX = 25, /* lookups counted before the walk ends: far too many */
	EDS_SPF_WALK_VOIDS_MAX = 8,  /* named */
};

struct eds_spf_void {       /* a term that names something that DNS does not have */
	const char *domain; /* whose record has it */
	const char *term;   /* as written */
};

struct eds_spf_walk {
	struct eds_spf_node tree[EDS_SPF_TREE_MAX]; /* the records read, in order */
	size_t tree_count;
	unsigned lookups;
	bool cut; /* there are more */
	struct eds_spf_void voids[EDS_SPF_WALK_VOIDS_MAX];
	size_t void_count;
	const char *error; /* "several-records", "syntax", "include-without-record", …; "" for none
			    */
	const char *reason; /* the sentence */
	const char *failed; /* a name that DNS gave no answer for now; NULL for none */
};

/* domain is normalised. Waits for DNS. */
void eds_spf_walk(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_spf_walk *walk);

#endif
