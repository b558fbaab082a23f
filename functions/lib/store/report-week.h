/* The sums of a week: the watch over reports writes them, and weekly summaries show them. */
#ifndef EDS_STORE_REPORT_WEEK_H
#define EDS_STORE_REPORT_WEEK_H

#include <stdint.h>

/* Numbers of messages. `passed`, `forwarded` and `failed` are for the seven days before `day`.
 * `earlier_judged` (messages that passed or failed) and `earlier_failed` are for the seven days
 * before those. */
struct eds_report_week {
	int64_t day; /* day of the examination, in days since 1970; 0 when there was none */
	int64_t passed;
	int64_t forwarded;
	int64_t failed;
	int64_t earlier_judged;
	int64_t earlier_failed;
};

#endif
