/* Folds the rows of DMARC reports into the sums of their days (report-rows.h). The code that adds
 * reports (functions/reports/intake) also folds now and then. A query for sums gives the same
 * result before and after folding. */
#ifndef EDS_STORE_REPORT_FOLD_H
#define EDS_STORE_REPORT_FOLD_H

#include "functions/lib/store/reports/report.h"

/* Folds the domain's rows in transactions of its own, until nothing is left to fold or half of the
 * event's remaining time is used. */
RT_MUST_USE rt_status eds_store_report_fold(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Calls eds_store_report_fold() at random, on average in one of sixteen calls, so that a report
 * costs on average a sixteenth of a fold. */
RT_MUST_USE rt_status eds_store_report_fold_sometimes(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Removes the sums of days that still contain rows of removed lines: a program of an earlier
 * release removes a line, but leaves its rows in the sums of the day. Such a day is found by its
 * count of reports, which is higher than the number of its folded reports that the store still has.
 * The remaining reports of the day are queued to be folded again. */
RT_MUST_USE rt_status eds_store_report_days_check(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

#endif
