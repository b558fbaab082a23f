/* reports-watch: every minute
 *
 * out   {"looked": 12, "told": 1}: the numbers of domains whose DMARC reports were examined, and of
 *       domains with news for their alerts
 *
 * Examines each domain with reports once a day, in the afternoon (UTC), when the reports of the day
 * before have arrived. Any number of runs may overlap: domains whose results a killed or late run
 * has not stored are due again when their leases end.
 */
#include "functions/reports/watch/watch-news.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/json.h"
#include "runtime/time.h"

enum {
	BATCH = 20,
	/* time to reserve for one domain; with less left, the domain waits for the next run */
	LOOK_MS = 3 * 1000,
	HOUR_MS = 3600 * 1000,
	DAY_MS = 24 * HOUR_MS,
	NOON_MS = 12 * HOUR_MS,
	/* the next examinations are spread over this time, so that not all are due at once */
	SPREAD_MS = 8 * HOUR_MS,
};

/* The examination of one domain. It uses separate memory, because a domain may have many sources.
 */
struct looking {
	struct eds_store *store;
	struct rt_ctx *kept; /* memory for the news */
	struct eds_report_watch_due *due;
};

static rt_status look_at_sums(struct rt_ctx *ctx, const struct looking *looking,
	const struct eds_domain *domain, struct report_watch_look *look)
{
	const struct eds_report_sums_query query = {.by = EDS_SUM_BY_DAY,
		.from_day = look->today - REPORT_WATCH_DAYS,
		.to_day = look->today,
		.class = -1,
		.reporter = ""};
	struct eds_report_sum *days;
	size_t count;

	RT_TRY(eds_store_report_sums(ctx, looking->store, domain, &query, &days, &count));
	look->rise = report_watch_failures(
		days, count, look->today, looking->due->before.risen_from);
	looking->due->week = report_watch_week(days, count, look->today);
	look->stopped = report_watch_stopped(days, count, look->today, &look->latest_day);
	return RT_OK;
}

static int64_t next_look_ms(int64_t today)
{
	uint64_t chance;

	rt_random(&chance, sizeof chance);
	return (today + 1) * DAY_MS + NOON_MS + (int64_t)(chance % SPREAD_MS);
}

static rt_status look_at(struct rt_ctx *ctx, void *arg)
{
	const struct looking *looking = arg;
	struct eds_report_watch_due *due = looking->due;
	const struct eds_domain domain = {.id = due->domain_id, .name = due->name};
	struct report_watch_look look = {.today = report_watch_today(rt_wall_ms())};
	RT_JSON_MEMORY(looking->kept);

	RT_TRY(look_at_sums(ctx, looking, &domain, &look));
	RT_TRY(report_new_sources(
		ctx, looking->store, &domain, look.today, look.sources, &look.source_count));
	report_watch_settle(looking->kept, due, &look);
	due->next_at_ms = next_look_ms(look.today);
	due->looked = true;
	return RT_OK;
}

struct run {
	struct eds_store *store;
	bool is_done; /* no further domain is due, or no time is left */
	size_t looked;
	size_t told;
};

static rt_status look_at_batch(struct rt_ctx *ctx, void *arg)
{
	struct run *run = arg;
	struct eds_report_watch_due *dues;
	struct eds_report_watch_due *none;
	size_t count;
	size_t written;
	size_t i;

	RT_TRY(eds_store_report_watch_turn(
		ctx, run->store, NULL, 0, &written, BATCH, &dues, &count));
	for (i = 0; i < count && rt_remaining_ms(ctx) > LOOK_MS; i++) {
		struct looking looking = {run->store, ctx, &dues[i]};

		RT_TRY(rt_run_apart(ctx, look_at, &looking));
		run->told += dues[i].news.count > 0;
	}
	run->is_done = count < BATCH || i < count;
	RT_TRY(eds_store_report_watch_turn(ctx, run->store, dues, i, &written, 0, &none, &count));
	run->looked += written;
	return RT_OK;
}

static rt_status watch(struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct run run = {0};

	(void)event;
	RT_TRY(eds_store_open(ctx, &run.store));
	do {
		RT_TRY(rt_run_apart(ctx, look_at_batch, &run));
	} while (!run.is_done && rt_remaining_ms(ctx) > 2 * LOOK_MS);
	*answer = json_object();
	rt_json_set(*answer, "looked", json_integer((json_int_t)run.looked));
	rt_json_set(*answer, "told", json_integer((json_int_t)run.told));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, watch);
}
