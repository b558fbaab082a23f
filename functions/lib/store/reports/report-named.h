/* The selectors that a report names: which of them are new, within the caps, and the evidence that
 * the others gain. Only the files of this folder include it. */
#ifndef EDS_STORE_REPORT_NAMED_H
#define EDS_STORE_REPORT_NAMED_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

/* Within the transaction that adds the line: decides each, counts it if the line counts, and
 * inserts what is new. The report counts once for each domain. */
RT_MUST_USE rt_status eds_store_named_count(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_line *line, struct eds_named_selector *named, size_t count);

/* Which of the selectors that are still OPEN are known already; the others are NEW, up to what one
 * report may bring, to be looked up in DNS before they are added. */
RT_MUST_USE rt_status eds_store_report_plan(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_named_selector *named, size_t count);

#endif
