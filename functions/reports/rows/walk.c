#include "functions/reports/rows/walk.h"

#include <stdio.h>

#include "functions/lib/store/reports/report-read.h"
#include "functions/lib/store/reports/report-rows.h"
#include "functions/reports/detail-json.h"
#include "functions/reports/line-read.h"
#include "runtime/time.h"

enum {
	BATCH = 500, /* number of report lines that one query reads */
	DAY_MS = 24 * 3600 * 1000,
};

struct batch {
	struct report_walk *walk;
	size_t count;
	size_t passed; /* lines processed in all batches */
};

static bool is_wanted(const struct report_walk *walk, const struct eds_report_line *line)
{
	int64_t day = eds_store_report_day(line->begins_at_ms, line->received_at_ms);

	return report_line_is_dmarc(line) && report_line_was_read(line) && day >= walk->from_day &&
		day <= walk->to_day;
}

/* Calls on_report. Ignores RT_NOT_FOUND: a report may be removed after the walk has read its line.
 */
static rt_status tell(
	struct rt_ctx *ctx, const struct report_walk *walk, const struct eds_report_line *line)
{
	rt_status status = walk->on_report(ctx, walk->arg, line);

	if (status != RT_NOT_FOUND)
		return status;
	rt_fail_clear(ctx);
	return RT_OK;
}

/* Processes a line. Stops the walk at a report that arrived before from_day: no report arrives
 * before its period begins, so the periods of this report and of all further ones begin before
 * from_day. */
static rt_status pass(struct rt_ctx *ctx, struct batch *batch, const struct eds_report_line *line)
{
	struct report_walk *walk = batch->walk;

	walk->is_late = batch->passed > 0 && rt_monotonic_ms() >= walk->until_ms;
	walk->done = walk->is_late || line->received_at_ms / DAY_MS < walk->from_day;
	if (!walk->done && is_wanted(walk, line))
		RT_TRY(tell(ctx, walk, line));
	if (walk->done)
		return RT_OK;
	batch->passed++;
	snprintf(walk->after, sizeof walk->after, "%s", line->id);
	return RT_OK;
}

static rt_status walk_batch(struct rt_ctx *ctx, void *arg)
{
	struct batch *batch = arg;
	struct report_walk *walk = batch->walk;
	const struct eds_report_query wanted = {
		.before = walk->after[0] != '\0' ? walk->after : NULL,
		.limit = BATCH,
		.reporter = walk->reporter,
		.of_class = walk->class >= 0,
		.class = walk->class,
	};
	struct eds_report_line *lines;

	RT_TRY(eds_store_report_list(
		ctx, walk->store, walk->domain, &wanted, &lines, &batch->count));
	for (size_t i = 0; i < batch->count && !walk->done; i++)
		RT_TRY(pass(ctx, batch, &lines[i]));
	return RT_OK;
}

rt_status report_walk(struct rt_ctx *ctx, struct report_walk *walk)
{
	struct batch batch = {.walk = walk, .count = BATCH};

	while (!walk->done && batch.count == BATCH)
		RT_TRY(rt_run_apart(ctx, walk_batch, &batch));
	return RT_OK;
}

rt_status report_walk_rows(struct rt_ctx *ctx, const struct report_walk *walk, const char *id,
	struct eds_report_line *line, const json_t **rows)
{
	json_t *report;
	json_t *selectors;

	RT_TRY(eds_store_report_get(ctx, walk->store, walk->domain, id, line));
	RT_TRY(report_detail_json(ctx, walk->domain, line, &report, &selectors));
	*rows = json_object_get(report, "rows");
	return RT_OK;
}
