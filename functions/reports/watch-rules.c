/* When DMARC reports are worth an alert. */
#include "functions/reports/watch-rules.h"

enum { WHOLE = 10000 };

/* Sums are bounded by INT64_MAX each, so that two of them are added as numbers of another kind. */
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

static bool has_risen(const struct eds_watch_rise *rise)
{
	return rise->share >= rise->share_before + EDS_RISE_SHARE_MIN &&
		rise->share >= 2 * rise->share_before;
}

struct eds_watch_rise eds_watch_failures(
	const struct eds_report_sum *days, size_t count, int64_t today)
{
	const struct eds_report_sum *latest = latest_judged(days, count, today);
	struct eds_watch_rise rise = {.day = -1};
	double failed = 0;
	double all = 0;

	if (latest == NULL)
		return rise;
	for (const struct eds_report_sum *day = days; day < latest; day++) {
		if (day->first_day < latest->first_day - EDS_WATCH_DAYS_BEFORE)
			continue;
		failed += (double)day->failed;
		all += judged(day);
	}
	rise.day = latest->first_day;
	rise.failed = latest->failed;
	rise.share = share_of((double)latest->failed, judged(latest));
	rise.share_before = share_of(failed, all);
	if (all < EDS_RISE_BEFORE_MIN)
		return rise;
	if (!has_risen(&rise))
		rise.verdict = EDS_WATCH_WELL;
	else if (rise.failed >= EDS_RISE_FAILED_MIN)
		rise.verdict = EDS_WATCH_TROUBLE;
	return rise;
}

enum eds_watch_verdict eds_watch_stopped(
	const struct eds_report_sum *days, size_t count, int64_t today, int64_t *latest)
{
	int64_t silent_from = today - 1 - EDS_SILENT_DAYS;
	int reported = 0;

	*latest = -1;
	for (size_t i = 0; i < count && days[i].first_day <= today; i++) {
		*latest = days[i].first_day;
		if (*latest < silent_from && *latest >= silent_from - EDS_WATCH_DAYS_BEFORE)
			reported++;
	}
	if (*latest >= silent_from)
		return EDS_WATCH_WELL;
	return reported >= EDS_REPORTED_DAYS_MIN ? EDS_WATCH_TROUBLE : EDS_WATCH_UNKNOWN;
}
