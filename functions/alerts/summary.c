/* alerts-summary: every 5 minutes
 *
 * out   {"made": 3}: the number of summaries that were made; the next mail of each alert contains
 *       its summary
 *
 * Makes the weekly summaries that are due, one after another. They are due on Mondays from 07:00
 * UTC on. Any number of runs may overlap. An alert that is switched off, is not confirmed or has no
 * domain when its summary is due gets no summary until the next week.
 */
#include "functions/alerts/summary-json.h"
#include "functions/lib/store/alerts/alert-summary.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/json.h"
#include "runtime/time.h"

enum {
	LEFT_MS = 5 * 1000, /* when less of the run's time than this is left, no further summary is
			     * claimed */
	DAY_MS = 24 * 3600 * 1000,
	DAYS_OLD_MAX = 3, /* a domain's sums of reported mail are left out if they were made more
			   * than this many days ago */
};

struct run {
	struct eds_store *store;
	size_t made;
	bool found;
};

static rt_status make_next(struct rt_ctx *ctx, void *arg)
{
	struct run *run = arg;
	struct eds_summary *summary = rt_alloc(ctx, sizeof *summary);
	int64_t now_ms = rt_wall_ms();
	RT_JSON_MEMORY(ctx);

	RT_TRY(eds_store_summary_claim(ctx, run->store, summary, &run->found));
	if (!run->found)
		return RT_OK;
	RT_TRY(eds_store_summary_read(ctx, run->store, now_ms / DAY_MS - DAYS_OLD_MAX, summary));
	if (summary->is_told)
		summary->body = alert_summary_body(ctx, summary, now_ms);
	summary->next_at_ms = eds_summary_next_ms(now_ms);
	RT_TRY(eds_store_summary_write(ctx, run->store, summary));
	run->made += summary->is_told;
	return RT_OK;
}

static rt_status make_due(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct run run = {.found = true};
	rt_status status = RT_OK;

	(void)event;
	RT_TRY(eds_store_open(ctx, &run.store));
	while (status == RT_OK && run.found && rt_remaining_ms(ctx) > LEFT_MS)
		status = rt_run_apart(ctx, make_next, &run);
	RT_TRY(status);
	*answer = json_object();
	rt_json_set(*answer, "made", json_integer((json_int_t)run.made));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, make_due);
}
