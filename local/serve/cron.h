/* Computes when a schedule is due: EventBridge's rate(…) and cron(…) expressions, in UTC.
 *
 *     rate(5 minutes)                 at every multiple of the period, from the epoch on
 *     cron(0 18 ? * MON-FRI *)        minutes hours day-of-month month day-of-week year
 *
 * Fields take numbers, names (JAN, SUN = 1), lists (,), ranges (-, also around the end: FRI-MON),
 * steps (/), * and ?; day-of-month also L (the last day) and nW (the weekday nearest to the nth);
 * day-of-week also nL (the last such day) and n#k (the kth). One of the two day fields must be ?.
 */
#ifndef RUNNER_CRON_H
#define RUNNER_CRON_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CRON_YEAR_MIN = 1970,
	CRON_YEAR_MAX = 2199,
	CRON_ERROR_MAX = 160,
	CRON_RATE_MINUTES_MAX = 366 * 24 * 60,
};

struct cron {
	int64_t period_s; /* period of a rate; 0 for cron */
	uint64_t minutes; /* bit n: minute n */
	uint64_t hours;
	uint64_t months;     /* bit n: month n, 1 to 12 */
	uint64_t month_days; /* bit n: day n of the month, 1 to 31 */
	uint64_t week_days;  /* bit n: day n of the week, 1 (Sunday) to 7 (Saturday) */
	bool any_month_day;  /* day-of-month is ? : the days of the week decide */
	bool last_month_day; /* the field is L: the last day of the month */
	int nearest_weekday; /* the n of nW; 0 for none */
	int last_week_day;   /* the n of nL; 0 for none */
	int nth_week_day;    /* the n of n#k, a day of the week; 0 for none */
	int nth;             /* the k of n#k: the kth such day of the month */
	bool years[CRON_YEAR_MAX - CRON_YEAR_MIN + 1];
};

/* Parses a schedule; false, with a sentence in error, on failure. */
bool cron_parse(const char *text, struct cron *cron, char error[CRON_ERROR_MAX]);

/* The first time after the given one at which the schedule is due, both in seconds since the epoch;
 * -1 when there is none. */
int64_t cron_next(const struct cron *cron, int64_t after);

#endif
