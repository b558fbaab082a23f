/* When DMARC reports are worth an alert. Days are since 1970, in UTC, and a report is of the day on
 * which its period begins; the sums are by day (report-sums.h), so that a reporter who does not
 * count is in none of them. Reports of a day arrive on the next one: it is judged from noon on.
 *
 * failures-rose: of the messages that passed or failed DMARC on the latest day before today that
 * has any, at least REPORT_RISE_FAILED_MIN failed, and their share is both twice that of the 14
 * days before and five percentage points above it. What was forwarded is left out of both shares.
 * It is over when the share of a day is no longer so much above what it was before the rise,
 * however long ago that is.
 *
 * reports-stopped: at least REPORT_REPORTED_DAYS_MIN of 14 days have messages and the
 * REPORT_SILENT_DAYS after them have none. Yesterday is not looked at: its reports may still be on
 * their way.
 */
#ifndef EDS_REPORTS_WATCH_RULES_H
#define EDS_REPORTS_WATCH_RULES_H

#include "functions/lib/store/reports/report-sums.h"
#include "functions/lib/store/reports/report-watch.h"

enum {
	REPORT_WATCH_DAYS = 31, /* that sums are wanted of, before today */
	REPORT_WATCH_DAYS_BEFORE = 14,
	REPORT_RISE_FAILED_MIN = 20,  /* messages */
	REPORT_RISE_JUDGED_MIN = 20,  /* messages of a day, or of those before: else there is no
					 share */
	REPORT_RISE_SHARE_MIN = 500,  /* hundredths of a percent */
	REPORT_REPORTED_DAYS_MIN = 8, /* most of 14 */
	REPORT_SILENT_DAYS = 3,
};

enum report_watch_verdict {
	REPORT_WATCH_UNKNOWN, /* too little to tell: what was told before stands */
	REPORT_WATCH_WELL,
	REPORT_WATCH_TROUBLE,
};

struct report_watch_rise {
	enum report_watch_verdict verdict;
	int64_t day; /* the latest one; -1 none */
	int64_t failed;
	int share;        /* of that day, hundredths of a percent, rounded down */
	int share_before; /* of the 14 days before, or before the rise that is not over */
};

/* The day on which it is judged, which is yesterday until noon. */
int64_t report_watch_today(int64_t now_ms);

/* days: sums by day in the order of days, of the REPORT_WATCH_DAYS before today. risen_from: the
 * share before a rise that is not over; -1 none. */
struct report_watch_rise report_watch_failures(
	const struct eds_report_sum *days, size_t count, int64_t today, int risen_from);

/* *latest: the latest day with messages before or on today; -1 none. */
enum report_watch_verdict report_watch_stopped(
	const struct eds_report_sum *days, size_t count, int64_t today, int64_t *latest);

/* For the weekly summary. */
struct eds_report_week report_watch_week(
	const struct eds_report_sum *days, size_t count, int64_t today);

#endif
