/* reports-selectors: GET /api/v1/domains/{id}/report-selectors
 *
 * in    ?from=, ?to= days, by default the last 30; 92 days at most
 * out   200 {"data": {"from", "to", "complete", "selectors": [{domain, selector, messages, passed,
 *       firstDay, lastDay, days: [{day, messages, passed}, …]}, …]}}, the first 100 selectors found
 *       from the newest report on, sorted by messages, the most first; a day without messages is
 *       left out; complete is false when there was no time for the oldest reports
 * err   400 day-invalid; 401; 404 domain-not-found
 *
 * Only reports that count are included. Reports of unproved senders are left out, unless the owner
 * accepted the reporter; reports of blocked reporters are left out too.
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/reports/report-rows.h"
#include "functions/reports/rows/days.h"
#include "functions/reports/rows/selectors-read.h"
#include "functions/reports/rows/walk.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/json.h"
#include "runtime/time.h"

struct summing {
	struct report_walk walk;
	struct report_selectors selectors;
	const char *id; /* id of the report that is being read */
};

static rt_status add_rows(struct rt_ctx *ctx, void *arg)
{
	struct summing *summing = arg;
	struct eds_report_line line;
	const json_t *rows;
	RT_JSON_MEMORY(ctx);

	RT_TRY(report_walk_rows(ctx, &summing->walk, summing->id, &line, &rows));
	report_selectors_add(&summing->selectors,
		eds_store_report_day(line.begins_at_ms, line.received_at_ms), rows);
	return RT_OK;
}

static rt_status on_report(struct rt_ctx *ctx, void *arg, const struct eds_report_line *line)
{
	struct summing *summing = arg;

	if (!line->counts)
		return RT_OK;
	summing->id = line->id;
	return rt_run_apart(ctx, add_rows, summing);
}

static json_t *days_json(struct rt_ctx *ctx, const struct report_selectors *selectors,
	const struct report_selector *item)
{
	json_t *days = json_array();

	for (size_t i = 0; i < selectors->day_count; i++) {
		json_t *day;

		if (item->days[i].messages == 0)
			continue;
		day = json_object();
		rt_json_set(day, "day", report_day_json(ctx, selectors->first_day + (int64_t)i));
		rt_json_set(day, "messages", json_integer(item->days[i].messages));
		rt_json_set(day, "passed", json_integer(item->days[i].passed));
		rt_json_append(days, day);
	}
	return days;
}

static json_t *day_of(const json_t *days, size_t at)
{
	return json_incref(json_object_get(json_array_get(days, at), "day"));
}

static json_t *selector_json(struct rt_ctx *ctx, const struct report_selectors *selectors,
	const struct report_selector *item)
{
	json_t *json = json_object();
	json_t *days = days_json(ctx, selectors, item);

	rt_json_set_text(ctx, json, "domain", item->domain);
	rt_json_set_text(ctx, json, "selector", item->selector);
	rt_json_set(json, "messages", json_integer(item->messages));
	rt_json_set(json, "passed", json_integer(item->passed));
	rt_json_set(json, "firstDay", day_of(days, 0));
	rt_json_set(json, "lastDay", day_of(days, json_array_size(days) - 1));
	rt_json_set(json, "days", days);
	return json;
}

static rt_status read_days(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_report_sums_query *days)
{
	RT_TRY(report_days_read(ctx, req, days));
	if (days->to_day - days->from_day < REPORT_SELECTOR_DAYS_MAX)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "day-invalid",
		"from= and to= may be at most %d days apart", REPORT_SELECTOR_DAYS_MAX);
}

static rt_status sum_selectors(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct summing *summing = rt_alloc(ctx, sizeof *summing);
	struct report_walk *walk = &summing->walk;
	struct eds_report_sums_query days;
	struct eds_domain domain;
	struct eds_store *store;
	json_t *data = json_object();
	json_t *list = json_array();

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(read_days(ctx, req, &days));
	*walk = (struct report_walk){.store = store,
		.domain = &domain,
		.from_day = days.from_day,
		.to_day = days.to_day,
		.class = -1,
		.until_ms = rt_monotonic_ms() + rt_remaining_ms(ctx) / 2,
		.on_report = on_report,
		.arg = summing};
	report_selectors_init(&summing->selectors, ctx, days.from_day,
		days.to_day < days.from_day ? 0 : (size_t)(days.to_day - days.from_day) + 1);
	RT_TRY(report_walk(ctx, walk));
	report_selectors_sort(&summing->selectors);
	for (size_t i = 0; i < summing->selectors.count; i++)
		rt_json_append(list,
			selector_json(ctx, &summing->selectors, &summing->selectors.items[i]));
	rt_json_set(data, "from", report_day_json(ctx, days.from_day));
	rt_json_set(data, "to", report_day_json(ctx, days.to_day));
	rt_json_set(data, "complete", json_boolean(!walk->is_late));
	rt_json_set(data, "selectors", list);
	return rt_respond_data(ctx, res, 200, data);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"from", "to", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, sum_selectors);
}
