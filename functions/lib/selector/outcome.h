/* What a check found, as the store keeps it. */
#ifndef EDS_SELECTOR_OUTCOME_H
#define EDS_SELECTOR_OUTCOME_H

#include "functions/lib/dkim/selector.h"
#include "functions/lib/store/selectors/selector.h"

/* All of it, in ctx's memory. */
const struct eds_selector_check *eds_outcome_row(
	struct rt_ctx *ctx, const struct eds_dkim_check *check);

/* Whether DNS said what it said last time, and nothing has to be asked beyond that. */
bool eds_outcome_is_same(const struct eds_selector_due *due, const struct eds_dkim_check *check);

/* Settles a claimed selector: its outcome, when it is due next, and what is to be written. */
void eds_outcome_settle(
	struct rt_ctx *ctx, struct eds_selector_due *due, const struct eds_dkim_check *check);

#endif
