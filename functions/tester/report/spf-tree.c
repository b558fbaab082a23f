#include "functions/tester/report/spf-tree.h"

#include <string.h>

#include "functions/lib/spf/spf-record.h"

/* The number of terms of the record that this step of the evaluation reached. A redirect is
 * followed after all mechanisms, wherever it stands in the record (RFC 7208 section 6.1), so an
 * evaluation that follows a redirect has reached every term. */
static size_t reach_of(const struct eds_spf_step *step, const struct eds_spf_record *record)
{
	if (step->term < record->count && record->terms[step->term].kind == EDS_SPF_REDIRECT)
		return record->count;
	return step->term + 1;
}

static void read_steps(const struct eds_spf_result *spf, size_t node,
	const struct eds_spf_record *record, size_t term, struct spf_tree_term *shown)
{
	for (size_t i = 0; i < spf->step_count; i++) {
		const struct eds_spf_step *step = &spf->steps[i];

		if (step->node != node)
			continue;
		shown->reached |= term < reach_of(step, record);
		if (step->term != term)
			continue;
		shown->nothing |= (step->flags & EDS_SPF_STEP_VOID) != 0;
		shown->over |= (step->flags & EDS_SPF_STEP_OVER) != 0;
		shown->matched |= (step->flags & EDS_SPF_STEP_MATCHED) != 0;
	}
}

static void add_term(struct rt_ctx *ctx, const struct eds_spf_result *spf, size_t node,
	const struct eds_spf_record *record, size_t term, struct spf_tree *tree)
{
	struct spf_tree_term *shown = &tree->terms[tree->count];

	if (tree->count == SPF_TREE_TERMS_MAX) {
		tree->cut = true;
		return;
	}
	tree->count++;
	*shown = (struct spf_tree_term){
		.text = rt_printf(ctx, "%.*s", SPF_TREE_TEXT_MAX, record->terms[term].text),
		.lookup = eds_spf_term_counts(&record->terms[term]),
	};
	read_steps(spf, node, record, term, shown);
}

void spf_tree_build(struct rt_ctx *ctx, const struct eds_spf_result *spf, struct spf_tree *tree)
{
	memset(tree, 0, sizeof *tree);
	for (size_t i = 0; i < spf->tree_count; i++) {
		const char *text = spf->tree[i].record;
		struct eds_spf_record record;

		tree->nodes[i].first = tree->count;
		if (eds_spf_record_parse(ctx, text, strlen(text), &record))
			for (size_t k = 0; k < record.count; k++)
				add_term(ctx, spf, i, &record, k, tree);
		tree->nodes[i].count = tree->count - tree->nodes[i].first;
	}
}
