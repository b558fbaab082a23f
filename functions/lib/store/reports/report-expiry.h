/* Removes reports 90 days after they arrived, together with the rows which record that they were
 * counted as evidence. */
#ifndef EDS_STORE_REPORT_EXPIRY_H
#define EDS_STORE_REPORT_EXPIRY_H

#include "functions/lib/store/reports/report.h"

/* Removes rows of reports that arrived more than 90 days ago, EDS_REPORTS_EXPIRE_BATCH of each kind
 * at most; *removed is how many. */
RT_MUST_USE rt_status eds_store_reports_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Removes bodies that no line refers to any more. Each hour it examines the bodies of a different
 * past day. */
RT_MUST_USE rt_status eds_store_report_bodies_sweep(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Removes lines of one domain that has more than domain_max: lines of unverified reporters first,
 * then the oldest, EDS_REPORTS_EXPIRE_BATCH at most. It only examines domains that got enough lines
 * in the last day to fill the log in 90 days at this rate. So a log may reach twice the maximum
 * before lines are removed. */
RT_MUST_USE rt_status eds_store_reports_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t domain_max, size_t *removed);

#endif
