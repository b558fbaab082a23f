/* reports-tls-post: POST /tls-reports/{token}. Reporters send to this URL if it is in the rua= of a
 * TLS-RPT record (RFC 8460 section 3)
 *
 * in    a TLS report, application/tlsrpt+gzip or application/tlsrpt+json
 * out   201 {"data": {"added": 1, "duplicate": 0}}; 200 when the report had arrived before
 * err   400 body-missing, report-refused with the reason; 403 reporter-blocked, client-blocked;
 *       404 domain-not-found; 413 body-too-large; 415 media-type-unsupported;
 *       429 too-many-reports, reports-too-many-today
 *
 * The token is the id of a domain. The TLS-RPT record publishes the token, so the token is not a
 * secret and proves nothing about the reporter: the report counts only when the owner of the domain
 * accepts its reporter. The sandboxed child that reads report mails also reads this report, but
 * only as JSON or as one gzip of JSON. The report is stored in the log before the answer; a body
 * that is not a report gets a line in the log that says why. Sending the same body again changes
 * nothing.
 */
#include <string.h>

#include "functions/lib/counted-client.h"
#include "functions/lib/store/reports/report-add.h"
#include "functions/lib/store/tester/client-use.h"
#include "functions/reports/intake/body.h"
#include "functions/reports/intake/keep.h"
#include "functions/reports/intake/poster.h"
#include "functions/reports/line-read.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	DAY_S = 24 * 3600,
};

static const char *const types[] = {"application/tlsrpt+gzip", "application/tlsrpt+json", NULL};

static const struct report_body_form form = {
	.name = "report",
	.types = types,
	.wanted = "send the report with Content-Type: application/tlsrpt+gzip or "
		  "application/tlsrpt+json",
	.max = EDS_REPORT_JSON_MAX, /* the reader accepts no larger report */
};

static rt_status read_report(
	struct rt_ctx *ctx, const struct rt_request *req, struct report_delivery *delivery)
{
	int64_t until_ms;
	int fd;

	RT_TRY(report_body_file(ctx, req, &fd));
	RT_TRY(eds_dns_open(ctx, &delivery->dns));
	RT_TRY(eds_report_read_tls(ctx, fd, req->body_length, &delivery->reports));
	if (delivery->reports.crash[0] != '\0')
		rt_log(ctx, RT_LOG_WARNING, "the reader of %s crashed: %s",
			delivery->mail->message_id, delivery->reports.crash);
	until_ms = rt_monotonic_ms() + REPORT_POSTER_TIME_MS;
	for (size_t i = 0; i < delivery->reports.count; i++) {
		struct report_sender *sender = rt_alloc(ctx, sizeof *sender);

		report_poster_claim(
			ctx, delivery->dns, until_ms, &delivery->reports.items[i], sender);
		delivery->senders[i] = sender;
	}
	report_write_bodies(ctx, delivery);
	return RT_OK;
}

static rt_status refuse_today(struct rt_ctx *ctx)
{
	ctx->failure.retry_after_s = DAY_S - (int)(rt_wall_ms() / 1000 % DAY_S);
	return rt_fail(ctx, RT_LIMIT, "reports-too-many-today",
		"the daily limit of reports about this domain is reached");
}

/* Answers with the reason of the refusal. A report that took too long to read gets a temporary
 * error, so that its reporter tries again. */
static rt_status refuse(struct rt_ctx *ctx, const struct eds_report_item *item)
{
	const char *code = item->line->reason_code;

	if (item->added == EDS_REPORT_OVER)
		return refuse_today(ctx);
	if (strcmp(code, "reporter-blocked") == 0)
		return rt_fail(ctx, RT_FORBIDDEN, "reporter-blocked", "%s", item->line->reason);
	if (strcmp(code, "out-of-time") == 0)
		return rt_fail(ctx, RT_TEMPORARY, "sandbox-unavailable", "%s", item->line->reason);
	return rt_fail(ctx, RT_BAD_INPUT, "report-refused", "%s", item->line->reason);
}

static rt_status answer(struct rt_ctx *ctx, const struct eds_report_item *items, size_t count,
	struct rt_response *res)
{
	json_t *data = json_object();
	json_int_t added = 0;
	json_int_t duplicate = 0;

	for (size_t i = 0; i < count; i++) {
		bool over = items[i].added == EDS_REPORT_OVER;

		if (over || report_line_was_refused(items[i].line))
			return refuse(ctx, &items[i]);
		if (items[i].added == EDS_REPORT_ADDED)
			added++;
		else
			duplicate++;
	}
	rt_json_set(data, "added", json_integer(added));
	rt_json_set(data, "duplicate", json_integer(duplicate));
	return rt_respond_data(ctx, res, added > 0 ? 201 : 200, data);
}

static rt_status post_report(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *token = rt_request_param(req, "token");
	struct report_delivery *delivery = rt_alloc(ctx, sizeof *delivery);
	struct eds_report_item *items;
	struct eds_domain domain;
	const char *client;
	size_t count;
	bool full;

	RT_TRY(eds_counted_client(ctx, req, &client));
	RT_TRY(report_body_check(ctx, req, &form));
	RT_TRY(eds_store_open(ctx, &delivery->store));
	RT_TRY(eds_store_domain_find(
		ctx, delivery->store, token != NULL ? rt_lower(ctx, token) : "", &domain));
	RT_TRY(eds_store_client_report(
		ctx, delivery->store, domain.id, client, rt_config()->sessions_per_hour));
	RT_TRY(eds_store_report_others_full(ctx, delivery->store, &domain, &full));
	if (full)
		return refuse_today(ctx);
	delivery->ctx = ctx;
	delivery->mail = report_body_message(ctx, req, "post");
	delivery->way = "https";
	delivery->tls_alone = true;
	delivery->lookups = REPORT_LOOKUPS_MAX;
	RT_TRY(read_report(ctx, req, delivery));
	RT_TRY(report_keep(ctx, delivery, &domain, &items, &count));
	return answer(ctx, items, count, res);
}

int main(int argc, char **argv)
{
	rt_prepare(eds_report_reader_warm);
	rt_takes_any_query();
	return rt_main_http(argc, argv, post_report);
}
