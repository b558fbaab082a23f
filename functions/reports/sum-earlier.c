/* reports-sum-earlier: every 5 minutes
 *
 * out   {"reports": 1200}: the number of reports that were summed
 *
 * Sums the reports that a release without sums has stored, or still stores while two releases run
 * side by side. Stops well before its deadline; the next run continues. When there is nothing to
 * do, it sends the database one query.
 */
#include <string.h>

#include "functions/lib/store/reports/report-unsummed.h"
#include "functions/reports/rows/rows-of.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/json.h"
#include "runtime/time.h"

enum {
	BATCH = 500, /* reports in a batch */
};

struct line_sum {
	struct eds_store *store;
	const struct eds_report_unsummed *line;
};

static rt_status sum_line(struct rt_ctx *ctx, void *arg)
{
	const struct line_sum *sum = arg;
	const struct eds_report_unsummed *line = sum->line;
	const struct report_totals totals = {line->total, line->passed, line->forwarded};
	struct eds_report_row_sum *sums = NULL;
	const char *body;
	size_t count = 0;

	if (line->is_dmarc_read && line->reporter != NULL) {
		RT_TRY(eds_store_report_unsummed_body(ctx, sum->store, line, &body));
		RT_TRY(report_rows_of(ctx, body, &totals, &sums, &count));
	}
	return eds_store_report_unsummed_keep(ctx, sum->store, line, sums, count);
}

/* Uses separate memory, because a report may be large. */
static rt_status sum_apart(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_report_unsummed *line)
{
	struct line_sum sum = {store, line};

	return rt_run_apart(ctx, sum_line, &sum);
}

struct batch {
	struct eds_store *store;
	int kept_ms; /* time to reserve for the work after a batch */
	size_t found;
	size_t done;
};

static rt_status sum_batch(struct rt_ctx *ctx, void *arg)
{
	struct batch *batch = arg;
	struct eds_report_unsummed *lines;

	RT_TRY(eds_store_report_unsummed(ctx, batch->store, BATCH, &lines, &batch->found));
	for (size_t i = 0; i < batch->found && rt_remaining_ms(ctx) > batch->kept_ms; i++) {
		RT_TRY(sum_apart(ctx, batch->store, &lines[i]));
		batch->done++;
		if (i + 1 == batch->found ||
			strcmp(lines[i].domain_id, lines[i + 1].domain_id) != 0)
			RT_TRY(eds_store_report_unsummed_end(
				ctx, batch->store, lines[i].domain_id));
	}
	return RT_OK;
}

static rt_status sum_earlier(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct batch batch = {.kept_ms = rt_remaining_ms(ctx) / 4};

	(void)event;
	RT_TRY(eds_store_open(ctx, &batch.store));
	do {
		RT_TRY(rt_run_apart(ctx, sum_batch, &batch));
	} while (batch.found > 0 && rt_remaining_ms(ctx) > batch.kept_ms);
	*answer = json_object();
	rt_json_set(*answer, "reports", json_integer((json_int_t)batch.done));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, sum_earlier);
}
