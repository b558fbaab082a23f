/* When DMARC reports that count are worth an alert. Days are since 1970, in UTC, and a report is of
 * the day on which its period begins; the sums are by day (report-sums.h), so that a reporter who
 * does not count is in none of them.
 *
 * failures-rose: of the messages that passed or failed DMARC on the latest day before today that
 * has any, at least EDS_RISE_FAILED_MIN failed, and their share is both twice that of the 14 days
 * before and five percentage points above it. What was forwarded is left out of both shares.
 *
 * reports-stopped: at least EDS_REPORTED_DAYS_MIN of 14 days have messages and the EDS_SILENT_DAYS
 * after them have none. Yesterday is not looked at: its reports may still be on their way.
 */
#ifndef EDS_REPORTS_WATCH_RULES_H
#define EDS_REPORTS_WATCH_RULES_H

#include "functions/lib/store/report-sums.h"

enum {
	EDS_WATCH_DAYS_BEFORE = 14,
	EDS_RISE_FAILED_MIN = 20,  /* messages */
	EDS_RISE_BEFORE_MIN = 20,  /* messages of the days before: else there is no share */
	EDS_RISE_SHARE_MIN = 500,  /* hundredths of a percent */
	EDS_REPORTED_DAYS_MIN = 8, /* most of 14 */
	EDS_SILENT_DAYS = 3,
};

enum eds_watch_verdict {
	EDS_WATCH_UNKNOWN, /* too little to tell: what was told before stands */
	EDS_WATCH_WELL,
	EDS_WATCH_TROUBLE,
};

struct eds_watch_rise {
	enum eds_watch_verdict verdict;
	int64_t day; /* the latest one; -1 none */
	int64_t failed;
	int share;        /* of that day, hundredths of a percent, rounded down */
	int share_before; /* of the 14 days before */
};

/* days: sums by day in the order of days, of at least the 31 days before today. */
struct eds_watch_rise eds_watch_failures(
	const struct eds_report_sum *days, size_t count, int64_t today);

/* *latest: the latest day with messages before or on today; -1 none. */
enum eds_watch_verdict eds_watch_stopped(
	const struct eds_report_sum *days, size_t count, int64_t today, int64_t *latest);

#endif
