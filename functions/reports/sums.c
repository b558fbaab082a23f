/* reports-sums: GET /api/v1/domains/{id}/report-sums
 *
 * in    ?by= day, source, reporter, disposition; ?from=, ?to= days, by default the last 30;
 *       ?class= passed, forwarded, failed; ?reporter=
 * out   200 {"data": {"by", "from", "to", "complete", "sums": [{key, messages, passed, forwarded,
 *       failed, firstDay, lastDay}, …]}}; sums by day in the order of days, others with the most
 *       messages first; complete is false while reports that an earlier release stored are
 *       yet to be summed
 * err   400 by-invalid, day-invalid, class-invalid; 401; 404 domain-not-found
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/reports/report-sums.h"
#include "functions/reports/rows/days.h"
#include "functions/reports/rows/sum-by.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

static rt_status read_query(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_report_sums_query *query)
{
	const char *reporter = rt_request_query(req, "reporter");

	query->all = false;
	RT_TRY(report_by_read(ctx, req, &query->by));
	RT_TRY(report_days_read(ctx, req, query));
	query->reporter = reporter != NULL ? rt_lower(ctx, reporter) : "";
	return report_class_read(ctx, req, "class", &query->class);
}

static json_t *key_json(struct rt_ctx *ctx, enum eds_report_sum_by by, const char *key)
{
	const char *text = report_by_key(ctx, by, key);

	return text != NULL ? json_string(text) : json_null();
}

static json_t *sum_json(
	struct rt_ctx *ctx, enum eds_report_sum_by by, const struct eds_report_sum *sum)
{
	json_t *object = json_object();

	rt_json_set(object, "key", key_json(ctx, by, sum->key));
	rt_json_set(object, "messages", json_integer(sum->passed + sum->forwarded + sum->failed));
	rt_json_set(object, "passed", json_integer(sum->passed));
	rt_json_set(object, "forwarded", json_integer(sum->forwarded));
	rt_json_set(object, "failed", json_integer(sum->failed));
	rt_json_set(object, "firstDay", report_day_json(ctx, sum->first_day));
	rt_json_set(object, "lastDay", report_day_json(ctx, sum->last_day));
	return object;
}

static rt_status sum_reports(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_report_sums_query query;
	struct eds_report_sum *sums;
	struct eds_domain domain;
	struct eds_store *store;
	json_t *data = json_object();
	json_t *list = json_array();
	size_t count;
	bool complete;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(read_query(ctx, req, &query));
	RT_TRY(eds_store_report_sums_complete(ctx, store, &domain, &complete));
	RT_TRY(eds_store_report_sums(ctx, store, &domain, &query, &sums, &count));
	for (size_t i = 0; i < count; i++)
		rt_json_append(list, sum_json(ctx, query.by, &sums[i]));
	rt_json_set(data, "by", json_string(report_by_name(query.by)));
	rt_json_set(data, "from", report_day_json(ctx, query.from_day));
	rt_json_set(data, "to", report_day_json(ctx, query.to_day));
	rt_json_set(data, "complete", json_boolean(complete));
	rt_json_set(data, "sums", list);
	return rt_respond_data(ctx, res, 200, data);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"by", "from", "to", "class", "reporter", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, sum_reports);
}
