/* The rules for alerts about DMARC reports. Days are counted since 1970, in UTC; a report belongs
 * to the day on which its period begins. The rules use sums by day (report-sums.h), which exclude
 * reporters that do not count. The reports of a day arrive on the next day, so a day is judged from
 * noon of the next day on.
 *
 * failures-rose: on the latest day before today with messages that passed or failed DMARC, at least
 * REPORT_RISE_FAILED_MIN failed, and the share of failed messages is at least twice the share in
 * the 14 days before, and at least five percentage points above it. In those 14 days, at least
 * REPORT_RISE_JUDGED_MIN messages passed or failed. Forwarded messages are left out of both shares.
 * The rise is over after a day on which at least REPORT_RISE_JUDGED_MIN messages passed or failed,
 * and the share was less than twice the share before the rise, or less than five percentage points
 * above it, even if the rise began long ago.
 *
 * reports-stopped: at least REPORT_REPORTED_DAYS_MIN of 14 consecutive days have messages, and the
 * REPORT_SILENT_DAYS days after these 14 days have none. Yesterday need not have any, because its
 * reports may still be on their way; but reports about mail of yesterday or today show that reports
 * have not stopped.
 */
#ifndef EDS_REPORTS_WATCH_RULES_H
#define EDS_REPORTS_WATCH_RULES_H

#include "functions/lib/store/reports/report-sums.h"
#include "functions/lib/store/reports/report-watch.h"

enum {
	REPORT_WATCH_DAYS = 31, /* days before today whose sums are needed */
	REPORT_WATCH_DAYS_BEFORE = 14,
	REPORT_RISE_FAILED_MIN = 20, /* minimum number of failed messages of the latest day */
	/* a share of failed messages is significant only if the day, or the days before it, have at
	 * least this many messages */
	REPORT_RISE_JUDGED_MIN = 20,
	REPORT_RISE_SHARE_MIN = 500,  /* five percentage points, in hundredths of a percent */
	REPORT_REPORTED_DAYS_MIN = 8, /* minimum number of days with messages, among the 14 */
	REPORT_SILENT_DAYS = 3,
};

enum report_watch_verdict {
	REPORT_WATCH_UNKNOWN, /* too little data: the previous state stays */
	REPORT_WATCH_WELL,
	REPORT_WATCH_TROUBLE,
};

struct report_watch_rise {
	enum report_watch_verdict verdict;
	int64_t day; /* the latest day with judged messages, days since 1970; -1: none */
	int64_t failed;
	int share; /* share of failed messages on `day`, hundredths of a percent, rounded down */
	/* share of failed messages in the 14 days before `day`; while a rise is not over, in the 14
	 * days before the rise */
	int share_before;
};

/* The day from which the rules look back, days since 1970: yesterday until noon, today after it. */
int64_t report_watch_today(int64_t now_ms);

/* Applies the rule failures-rose. days: the sums of the REPORT_WATCH_DAYS before today, sorted by
 * day. risen_from: share_before of a rise that has not ended; -1 if there is none. */
struct report_watch_rise report_watch_failures(
	const struct eds_report_sum *days, size_t count, int64_t today, int risen_from);

/* Applies the rule reports-stopped to the same sums. *latest: the latest day up to today with
 * messages; -1: none. */
enum report_watch_verdict report_watch_stopped(
	const struct eds_report_sum *days, size_t count, int64_t today, int64_t *latest);

/* The sums for the weekly summary, from the sums by day. */
struct eds_report_week report_watch_week(
	const struct eds_report_sum *days, size_t count, int64_t today);

#endif
