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

/* What is discovered, as JSON of the line. */
const char *eds_store_named_discovered(
	struct rt_ctx *ctx, const struct eds_named_selector *named, size_t count);

/* What became of the selector of each signature in the body. */
const char *eds_store_named_letters(struct rt_ctx *ctx, const struct eds_report_item *item);

#endif
