/* Sums over the DMARC reports of a week. The job that watches reports (reports/report-watch.h)
 * writes them, and weekly summaries show them. */
#ifndef EDS_STORE_REPORT_WEEK_H
#define EDS_STORE_REPORT_WEEK_H

#include <stdint.h>

/* Numbers of messages. `passed`, `forwarded` and `failed` are for the seven days before `day`.
 * `earlier_judged` (messages that passed or failed) and `earlier_failed` are for the seven days
 * before those. */
struct eds_report_week {
	int64_t day; /* day on which the reports were examined, in days since 1970; 0 when they have
		      * not been examined */
	int64_t passed;
	int64_t forwarded;
	int64_t failed;
	int64_t earlier_judged;
	int64_t earlier_failed;
};

#endif
