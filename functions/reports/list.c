/* reports-list: GET /api/v1/domains/{id}/reports
 *
 * in    ?reporter= the domain of the sender; ?from=, ?to= first and last day on which the period of
 *       a report begins; ?result= passed, forwarded, failed: only reports with such messages or
 *       sessions; ?limit=, ?cursor=
 * out   200 {"data": [{id, kind, state, receivedAt, …, discovered, reason}, …]} newest first;
 *       Link to the next page
 * err   400 day-invalid, result-invalid, limit-invalid, cursor-invalid; 401;
 *       404 domain-not-found; 429 answer-too-large
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/lib/store/reports/report-read.h"
#include "functions/reports/report-json.h"
#include "functions/reports/rows/days.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

enum {
	BODY_BYTES_MAX = 5 * 1024 * 1024, /* of the list; the answer is limited to 6 MB */
};

static rt_status respond(struct rt_ctx *ctx, const struct eds_report_line *lines, size_t count,
	struct rt_response *res)
{
	struct rt_buffer body;

	rt_buffer_init(&body, ctx, BODY_BYTES_MAX);
	rt_buffer_text(&body, "{\"data\":[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			rt_buffer_text(&body, ",");
		report_write_entry(&body, &lines[i]);
	}
	rt_buffer_text(&body, "]}");
	if (body.overflow)
		return rt_fail(ctx, RT_LIMIT, "answer-too-large",
			"the list is too long for one answer: ask for pages with ?limit=");
	return rt_respond_bytes(ctx, res, 200, "application/json", body.bytes, body.length, false);
}

static rt_status read_wanted(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_report_query *wanted)
{
	const char *reporter = rt_request_query(req, "reporter");

	*wanted = (struct eds_report_query){0};
	if (reporter != NULL)
		wanted->reporter = rt_lower(ctx, reporter);
	RT_TRY(report_days_given(ctx, req, &wanted->from_ms, &wanted->to_ms));
	RT_TRY(report_class_read(ctx, req, "result", &wanted->class));
	wanted->of_class = wanted->class >= 0;
	return RT_OK;
}

static rt_status read_page(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_report_query *wanted, struct eds_page *page)
{
	static const char *const repeats[] = {"reporter", "from", "to", "result", NULL};
	const char *asked = "";

	RT_TRY(eds_page_read(ctx, req, page));
	RT_TRY(read_wanted(ctx, req, wanted));
	if (wanted->reporter != NULL || wanted->from_ms > 0 || wanted->to_ms > 0 ||
		wanted->of_class)
		asked = rt_printf(ctx, "%lld %lld %d %s", (long long)wanted->from_ms,
			(long long)wanted->to_ms, wanted->class,
			wanted->reporter != NULL ? wanted->reporter : "");
	RT_TRY(eds_page_bind(ctx, page, repeats, asked));
	wanted->before = page->after;
	wanted->limit = page->rows;
	return RT_OK;
}

static rt_status list_reports(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_report_line *lines;
	struct eds_domain domain;
	struct eds_store *store;
	struct eds_report_query wanted;
	struct eds_page page;
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(read_page(ctx, req, &wanted, &page));
	RT_TRY(eds_store_report_list(ctx, store, &domain, &wanted, &lines, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, lines[count - 1].id, res);
	return respond(ctx, lines, count, res);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {
		"reporter", "from", "to", "result", "limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_reports);
}
