/* The selectors that a report names: which of them are new, within the caps, and the evidence that
 * the others gain. Only the files of this folder include it. */
#ifndef EDS_STORE_REPORT_NAMED_H
#define EDS_STORE_REPORT_NAMED_H

#include "functions/lib/store/report.h"
#include "functions/lib/store/transaction.h"

/* Within the transaction that adds the line: decides each, counts it and inserts what is new. The
 * report counts once for each domain. */
RT_MUST_USE rt_status eds_store_named_count(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_line *line, struct eds_named_selector *named, size_t count);

/* The JSON of the line: what is discovered, and all of them with what became of them. */
const char *eds_store_named_discovered(
	struct rt_ctx *ctx, const struct eds_named_selector *named, size_t count);
const char *eds_store_named_json(
	struct rt_ctx *ctx, const struct eds_named_selector *named, size_t count);

#endif
