/* Removes reports 90 days after they arrived, together with the rows which record that the evidence
 * of these reports has been counted. */
#ifndef EDS_STORE_REPORT_EXPIRY_H
#define EDS_STORE_REPORT_EXPIRY_H

#include "functions/lib/store/reports/report.h"

/* Removes the rows of reports that arrived more than 90 days ago, and of reporters last seen more
 * than 90 days ago, at most EDS_REPORTS_EXPIRE_BATCH rows of each kind. Also removes old daily sums
 * and the counts for the daily limits of days before yesterday. *removed is the number of removed
 * rows, not counting daily sums. */
RT_MUST_USE rt_status eds_store_reports_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Removes bodies that no line refers to any more. In each hour, examines only the bodies that
 * arrived on one past day, a different day each hour; in the hour after the oldest day, all bodies
 * that are older. Removes EDS_REPORTS_EXPIRE_BATCH bodies at most. */
RT_MUST_USE rt_status eds_store_report_bodies_sweep(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

/* Removes at most EDS_REPORTS_EXPIRE_BATCH lines from the log of one domain that has more than
 * domain_max lines. The lines that stay are those of verified reporters before those of others, and
 * newer lines before older ones. Only examines domains that got enough lines in the last day to
 * fill the log in 90 days at this rate. So a log may reach twice the maximum before lines are
 * removed. */
RT_MUST_USE rt_status eds_store_reports_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t domain_max, size_t *removed);

#endif
