/* Folding the rows of reports into their days (report-rows.h). Whoever adds reports does it now and
 * then; sums are the same before and after.
 */
#ifndef EDS_STORE_REPORT_FOLD_H
#define EDS_STORE_REPORT_FOLD_H

#include "functions/lib/store/reports/report.h"

/* In transactions of their own, until nothing is left to fold or half of the event's time is used.
 */
RT_MUST_USE rt_status eds_store_report_fold(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* The same for one domain in sixteen, so that a report costs a sixteenth of folding. */
RT_MUST_USE rt_status eds_store_report_fold_sometimes(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Takes apart the days that do not have the reports whose rows are kept: a program from before has
 * removed some. */
RT_MUST_USE rt_status eds_store_report_days_check(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

#endif
