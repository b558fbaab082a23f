/* The DKIM selectors that a report names, in the form in which they are stored with the report's
 * line of the log. */
#ifndef EDS_STORE_REPORT_NAMED_JSON_H
#define EDS_STORE_REPORT_NAMED_JSON_H

#include "functions/lib/store/reports/report-named.h"
#include "functions/lib/store/reports/report.h"

/* The discovered selectors, as JSON for the line. */
const char *eds_store_named_discovered(
	struct rt_ctx *ctx, const struct eds_named_selector *named, size_t count);

/* The outcomes of the selectors: one letter for each signature in the body. */
const char *eds_store_named_letters(struct rt_ctx *ctx, const struct eds_report_item *item);

/* The outcome that a letter stands for: "discovered", "elsewhere", …; "open" for an unknown letter.
 */
const char *eds_named_outcome_name(char letter);

#endif
