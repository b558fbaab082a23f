/* The selectors of a report as its line of the log tells of them. */
#ifndef EDS_STORE_REPORT_NAMED_JSON_H
#define EDS_STORE_REPORT_NAMED_JSON_H

#include "functions/lib/store/reports/report-named.h"
#include "functions/lib/store/reports/report.h"

/* What is discovered, as JSON of the line. */
const char *eds_store_named_discovered(
	struct rt_ctx *ctx, const struct eds_named_selector *named, size_t count);

/* What became of the selector of each signature in the body. */
const char *eds_store_named_letters(struct rt_ctx *ctx, const struct eds_report_item *item);

/* "discovered", "elsewhere", …; of the letter of one. */
const char *eds_named_outcome_name(char letter);

#endif
