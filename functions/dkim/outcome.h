/* What a check found, as the store keeps it. */
#ifndef EDS_DKIM_OUTCOME_H
#define EDS_DKIM_OUTCOME_H

#include "functions/lib/dkim/selector.h"
#include "functions/lib/store/selector.h"

/* All of it, in ctx's memory. */
const struct eds_selector_check *outcome_row(
	struct rt_ctx *ctx, const struct eds_dkim_check *check);

/* Whether DNS said what it said last time, and nothing has to be asked beyond that. */
bool outcome_is_same(const struct eds_selector_due *due, const struct eds_dkim_check *check);

/* Settles a claimed selector: its outcome, when it is due next, and what is to be written. */
void outcome_settle(
	struct rt_ctx *ctx, struct eds_selector_due *due, const struct eds_dkim_check *check);

#endif
