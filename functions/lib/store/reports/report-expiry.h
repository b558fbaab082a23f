/* Reports, and what remembers that they have counted, go 90 days after they came. */
#ifndef EDS_STORE_REPORT_EXPIRY_H
#define EDS_STORE_REPORT_EXPIRY_H

#include "functions/lib/store/reports/report.h"

/* Forgets what came more than 90 days ago, EDS_REPORTS_EXPIRE_BATCH of each kind at most; *removed
 * is how many. */
RT_MUST_USE rt_status eds_store_reports_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Forgets bodies that no line needs any more. It looks at those of one day in the past, another one
 * each hour. */
RT_MUST_USE rt_status eds_store_report_bodies_sweep(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Forgets lines of a domain with more than domain_max: those of nobody verified first, then the
 * oldest, EDS_REPORTS_EXPIRE_BATCH at most. It looks at the
 * domains with the last day's lines, and of those at the ones that would fill the log at this rate;
 * so there may be twice as many before they go. */
RT_MUST_USE rt_status eds_store_reports_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t domain_max, size_t *removed);

#endif
