/* The terms of the SPF records that were read, for display: which of them need a DNS lookup, were
 * reached by the evaluation, found nothing, decided the result, or were over a limit.
 *
 *     v=spf1 include:_spf.example.net a:gone.example.com ip4:192.0.2.1 -all
 *             a lookup                a lookup, void      matched       not reached
 */
#ifndef TESTER_SPF_TREE_H
#define TESTER_SPF_TREE_H

#include "functions/lib/spf/spf.h"

enum {
	SPF_TREE_TERMS_MAX = 200, /* maximum number of terms of all records together */
	SPF_TREE_TEXT_MAX = 256,  /* maximum number of octets shown of a term */
};

struct spf_tree_term {
	const char *text;
	bool lookup;  /* the term counts towards the limit of ten lookups */
	bool reached; /* the evaluation reached the term */
	bool nothing; /* the term's lookup found nothing: a void lookup */
	bool over;    /* the term is over a limit */
	bool matched; /* the term decided the result, or leads to the term that did */
};

struct spf_tree_node {
	size_t first; /* index of the node's first term in terms[] */
	size_t count; /* number of the node's terms */
};

struct spf_tree {
	/* one for each node of the tree in eds_spf_result */
	struct spf_tree_node nodes[EDS_SPF_TREE_MAX];
	struct spf_tree_term terms[SPF_TREE_TERMS_MAX];
	size_t count;
	bool cut; /* there are more terms than SPF_TREE_TERMS_MAX */
};

/* Parses the records again, and marks their terms from the steps of the evaluation. */
void spf_tree_build(struct rt_ctx *ctx, const struct eds_spf_result *spf, struct spf_tree *tree);

#endif
