/* Examines an SPF record without a message: reads the records that it includes or redirects to, and
 * counts the lookups of the longest evaluation (RFC 7208 section 4.6.4). The longest evaluation is
 * the one for a server that no term names.
 *
 * The walk follows include and redirect only to names without macros, since only a message can fill
 * in macros. The walk counts EDS_SPF_WALK_TERMS_MAX lookups at most, and sends two questions or
 * fewer for each. An error that would end an evaluation does not end the walk: the walk leaves out
 * the record or term with the error, and goes on with the next term.
 */
#ifndef EDS_SPF_WALK_H
#define EDS_SPF_WALK_H

#include "functions/lib/spf/spf.h"

enum {
	EDS_SPF_WALK_TERMS_MAX = 25, /* number of lookups after which the walk stops; far above
				      * EDS_SPF_TERMS_MAX */
	EDS_SPF_WALK_VOIDS_MAX = 8,  /* maximum number of void lookups that are reported */
};

struct eds_spf_void {       /* a term whose name has no records in DNS */
	const char *domain; /* domain that publishes the record */
	const char *term;   /* the term as written */
};

struct eds_spf_walk {
	struct eds_spf_node tree[EDS_SPF_TREE_MAX]; /* the records read, in order */
	size_t tree_count;
	unsigned lookups;
	bool cut; /* the walk left something out because of a limit, so there may be more lookups */
	struct eds_spf_void voids[EDS_SPF_WALK_VOIDS_MAX];
	size_t void_count;
	const char *error;  /* code of the first error: "several-records", "syntax",
			     * "include-without-record", …; "" for none */
	const char *reason; /* the error as a sentence */
	const char *failed; /* the first name for which DNS failed; NULL for none */
};

/* Walks the record of the domain. Waits for DNS. domain: a normalized name. */
void eds_spf_walk(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_spf_walk *walk);

#endif
