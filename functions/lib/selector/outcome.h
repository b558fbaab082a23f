/* Converts the result of a selector's check to the form in which the store keeps it. */
#ifndef EDS_SELECTOR_OUTCOME_H
#define EDS_SELECTOR_OUTCOME_H

#include "functions/lib/dkim/selector.h"
#include "functions/lib/store/selectors/selector.h"

/* The complete row for a check. The row is in ctx's memory; texts like the record are those of the
 * check, not copies. */
struct eds_selector_check *eds_outcome_row(struct rt_ctx *ctx, const struct eds_dkim_check *check);

/* True when DNS gave the same answer as last time and no further question (the wildcard probe) is
 * due. */
bool eds_outcome_is_same(const struct eds_selector_due *due, const struct eds_dkim_check *check);

/* Completes a selector that was claimed for a check: sets the outcome of the check, the next due
 * time, the row to write and the alerts. */
void eds_outcome_settle(
	struct rt_ctx *ctx, struct eds_selector_due *due, const struct eds_dkim_check *check);

#endif
