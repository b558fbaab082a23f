/* The rules for alerts about DMARC reports. */
#include "functions/reports/watch/watch-rules.h"

#include "functions/lib/store/reports/report-pack.h"

enum {
	WEEK = 7,
	WHOLE = 10000,
	HOUR_MS = 3600 * 1000,
	DAY_MS = 24 * HOUR_MS,
};

int64_t report_watch_today(int64_t now_ms)
{
	return (now_ms - 12 * HOUR_MS) / DAY_MS;
}

/* The number of messages that passed or failed. The two sums are added as double, because each of
 * them may be as large as INT64_MAX. */
static double judged(const struct eds_report_sum *day)
{
	return (double)day->passed + (double)day->failed;
}

static int share_of(double failed, double all)
{
	return all > 0 ? (int)(failed * WHOLE / all) : 0;
}

static const struct eds_report_sum *latest_judged(
	const struct eds_report_sum *days, size_t count, int64_t today)
{
	while (count > 0) {
		const struct eds_report_sum *day = &days[--count];

		if (day->first_day < today && judged(day) > 0)
			return day;
	}
	return NULL;
}

static bool has_risen(const struct report_watch_rise *rise)
{
	return rise->share >= rise->share_before + REPORT_RISE_SHARE_MIN &&
		rise->share >= 2 * rise->share_before;
}

/* The share of failed messages in the REPORT_WATCH_DAYS_BEFORE days before the latest day. *all:
 * the number of messages from which the share is computed. */
static int share_before(
	const struct eds_report_sum *days, const struct eds_report_sum *latest, double *all)
{
	double failed = 0;

	*all = 0;
	for (const struct eds_report_sum *day = days; day < latest; day++) {
		if (day->first_day < latest->first_day - REPORT_WATCH_DAYS_BEFORE)
			continue;
		failed += (double)day->failed;
		*all += judged(day);
	}
	return share_of(failed, *all);
}

struct report_watch_rise report_watch_failures(
	const struct eds_report_sum *days, size_t count, int64_t today, int risen_from)
{
	const struct eds_report_sum *latest = latest_judged(days, count, today);
	struct report_watch_rise rise = {.day = -1};
	double before;

	if (latest == NULL)
		return rise;
	rise.day = latest->first_day;
	rise.failed = latest->failed;
	rise.share = share_of((double)latest->failed, judged(latest));
	rise.share_before = share_before(days, latest, &before);
	if (risen_from >= 0)
		rise.share_before = risen_from;
	else if (before < REPORT_RISE_JUDGED_MIN)
		return rise;
	if (has_risen(&rise) && rise.failed >= REPORT_RISE_FAILED_MIN)
		rise.verdict = REPORT_WATCH_TROUBLE;
	else if (!has_risen(&rise) && judged(latest) >= REPORT_RISE_JUDGED_MIN)
		rise.verdict = REPORT_WATCH_WELL;
	return rise;
}

enum report_watch_verdict report_watch_stopped(
	const struct eds_report_sum *days, size_t count, int64_t today, int64_t *latest)
{
	int64_t silent_from = today - 1 - REPORT_SILENT_DAYS;
	int reported = 0;

	*latest = -1;
	for (size_t i = 0; i < count && days[i].first_day <= today; i++) {
		*latest = days[i].first_day;
		if (*latest < silent_from && *latest >= silent_from - REPORT_WATCH_DAYS_BEFORE)
			reported++;
	}
	if (*latest >= silent_from)
		return REPORT_WATCH_WELL;
	return reported >= REPORT_REPORTED_DAYS_MIN ? REPORT_WATCH_TROUBLE : REPORT_WATCH_UNKNOWN;
}

struct eds_report_week report_watch_week(
	const struct eds_report_sum *days, size_t count, int64_t today)
{
	struct eds_report_week week = {.day = today};

	for (size_t i = 0; i < count; i++) {
		const struct eds_report_sum *day = &days[i];
		int64_t ago = today - day->first_day;

		if (ago >= 1 && ago <= WEEK) {
			week.passed = eds_pack_plus(week.passed, day->passed);
			week.forwarded = eds_pack_plus(week.forwarded, day->forwarded);
			week.failed = eds_pack_plus(week.failed, day->failed);
		} else if (ago > WEEK && ago <= 2 * WEEK) {
			week.earlier_judged = eds_pack_plus(
				week.earlier_judged, eds_pack_plus(day->passed, day->failed));
			week.earlier_failed = eds_pack_plus(week.earlier_failed, day->failed);
		}
	}
	return week;
}
