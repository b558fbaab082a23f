/* The terms of the records that SPF read, for show: which of them ask DNS, which the evaluation
 * came to, which found nothing, which decided, which was one too many.
 *
 *     v=spf1 include:_spf.example.net a:gone.example.com ip4:192.0.2.1 -all
 *             a lookup                a lookup, void      matched       not reached
 */
#ifndef TESTER_SPF_TREE_H
#define TESTER_SPF_TREE_H

#include "functions/lib/spf/spf.h"

enum {
	SPF_TREE_TERMS_MAX = 200, /* of all records together */
	SPF_TREE_TEXT_MAX = 256,  /* octets shown of one */
};

struct spf_tree_term {
	const char *text;
	bool lookup;  /* it counts for the limit of ten */
	bool reached; /* the evaluation came to it */
	bool nothing; /* its question found nothing: a void lookup */
	bool over;    /* it is past a limit */
	bool matched; /* it decided the result, or leads to what did */
};

struct spf_tree_node {
	size_t first; /* of its terms */
	size_t count;
};

struct spf_tree {
	struct spf_tree_node nodes[EDS_SPF_TREE_MAX]; /* as in the result's tree */
	struct spf_tree_term terms[SPF_TREE_TERMS_MAX];
	size_t count;
	bool cut; /* there are more terms */
};

/* Reads the records again, and puts beside their terms what the evaluation told. */
void spf_tree_build(struct rt_ctx *ctx, const struct eds_spf_result *spf, struct spf_tree *tree);

#endif
