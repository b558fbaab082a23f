/* reports-get: GET /api/v1/domains/{id}/reports/{reportId}
 *
 * out   200 {"data": {id, kind, state, receivedAt, …, discovered, reason, selectors, report}}
 * err   401; 404 domain-not-found, report-not-found; 429 answer-too-large
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/reports/report-read.h"
#include "functions/reports/report-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

enum {
	/* maximum length of the answer; a report within the limits of
	 * functions/lib/reports/report.h needs less */
	BODY_BYTES_MAX = 5 * 1024 * 1024,
};

static rt_status get_report(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *id = rt_request_param(req, "reportId");
	struct eds_report_line line;
	struct eds_domain domain;
	struct eds_store *store;
	struct rt_buffer body;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_store_report_get(
		ctx, store, &domain, id != NULL ? rt_lower(ctx, id) : "", &line));
	rt_buffer_init(&body, ctx, BODY_BYTES_MAX);
	rt_buffer_text(&body, "{\"data\":");
	RT_TRY(report_write_whole(&body, &domain, &line));
	rt_buffer_text(&body, "}");
	if (body.overflow)
		return rt_fail(
			ctx, RT_LIMIT, "answer-too-large", "the report is too long for one answer");
	return rt_respond_bytes(ctx, res, 200, "application/json", body.bytes, body.length, false);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_report);
}
