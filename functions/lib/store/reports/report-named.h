/* The selectors that a report names: adds new selectors up to the maximum numbers, and adds the
 * report's evidence to known selectors. */
#ifndef EDS_STORE_REPORT_NAMED_H
#define EDS_STORE_REPORT_NAMED_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

/* Decides the outcome of each selector that the reader of the report left open, and inserts new
 * selectors, within the transaction that adds the line. Adds the report's evidence about each
 * selector, if the report counts, but only once per report and domain. */
RT_MUST_USE rt_status eds_store_named_count(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_line *line, struct eds_named_selector *named, size_t count);

/* Decides the outcomes of OPEN selectors beforehand: selectors that the domain already has become
 * KNOWN. Other selectors become NEW, or REPORT_FULL when the report already names the maximum
 * number of new selectors. The caller looks NEW selectors up in DNS before it adds them. */
RT_MUST_USE rt_status eds_store_report_plan(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_named_selector *named, size_t count);

#endif
