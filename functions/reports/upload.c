/* reports-upload: POST /api/v1/domains/{id}/reports
 *
 * in    a file with reports: XML, JSON, gzip, zip, tar, or mails (message/rfc822, application/mbox)
 *       with such files
 * out   200 {"data": [{file, outcome, id, kind, organization, externalId, policyDomain, period,
 *       reason}, …]}, one for each report; outcome: accepted, duplicate, or refused for the reason
 * err   400 body-missing; 401; 403 token-read-only; 404 domain-not-found; 413 body-too-large;
 *       415 media-type-unsupported; 429 too-many-uploads; 503 sandbox-unavailable
 *
 * The file is read like a mail to the report address, by the same sandboxed program. At most 200
 * reports of a file are read; 20 at a time are read and stored, so that memory and transactions
 * stay small. The owner vouches for the file, so its reports count as if their reporters were
 * verified, unless a reporter is blocked; the log shows that they were uploaded. A report that
 * arrived before, in any way, counts once.
 */

#include "functions/lib/auth/auth.h"
#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/reports/report-twin.h"
#include "functions/reports/detail-json.h"
#include "functions/reports/intake/body.h"
#include "functions/reports/intake/keep.h"
#include "functions/reports/intake/poster.h"
#include "functions/reports/line-read.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	BODY_BYTES_MAX = 10 * 1024 * 1024,
	/* room for EDS_FILE_REPORTS_MAX reports whose texts consist of characters that JSON escapes
	 * with six octets */
	ANSWER_BYTES_MAX = 3 * 1024 * 1024,
	/* Each round skips the reports of all earlier rounds. So reading the reports of the next
	 * round may take this many times as long as in the last round. */
	ROUND_SHARE = 4,
	ROUND_MS = 5000, /* time to store the reports of a round */
	/* Maximum number of DNS questions about the reporters of all rounds together. A file of 8
	 * KB can name 200 reporters in a stranger's zone, whose servers we would then question. */
	QUESTIONS_MAX = 400,
};

static const char *const types[] = {"application/xml", "text/xml", "application/gzip",
	"application/x-gzip", "application/zip", "application/x-zip-compressed",
	"application/x-tar", "application/x-gtar", "application/x-compressed-tar", "message/rfc822",
	"application/mbox", "application/tlsrpt+gzip", "application/tlsrpt+json",
	"application/json", "application/octet-stream", NULL};

static const struct report_body_form form = {
	.name = "file",
	.types = types,
	.wanted = "reports must be sent as application/xml, application/gzip, application/zip, "
		  "application/x-tar, application/json or message/rfc822",
	.max = BODY_BYTES_MAX,
};

/* Names the sender of a report. If the log already has the same report from a verified sender,
 * takes the sender's domain from there. For a report that came by mail, this is the domain of From,
 * which may differ from the domain in the report. */
static rt_status name_sender(struct rt_ctx *ctx, struct report_delivery *delivery,
	const struct eds_domain *domain, int64_t until_ms, const struct eds_report *report,
	struct report_sender *sender)
{
	struct eds_report_twin twin = {.kind = report->kind == EDS_REPORT_TLS ? "tls" : "dmarc",
		.organization = report->org,
		.reporter_id = report->report_id,
		.begins_at_ms = report->begin_s * 1000,
		.ends_at_ms = report->end_s * 1000};
	const char *reporter;

	report_poster_claim(ctx, delivery->dns, until_ms, report, sender);
	if (report->fault_code != NULL)
		return RT_OK;
	RT_TRY(eds_store_report_twin(ctx, delivery->store, domain, &twin, &reporter));
	if (reporter != NULL)
		sender->domain = reporter;
	return RT_OK;
}

/* The state of one upload. */
struct handing {
	const struct rt_request *req;
	struct eds_store *store;
	const struct eds_domain *domain;
	const struct rt_mail_event *mail;
	struct rt_buffer answer;
	int64_t until_ms; /* end of DNS lookups about reporters, on the monotonic clock */
	int fd;
	unsigned read;    /* reports of the file read so far */
	size_t questions; /* DNS questions about reporters so far */
	size_t lookups;   /* how many selectors may still be looked up in DNS */
	bool goes_on;
};

/* The end of DNS lookups about reporters; 0 (no lookups) once QUESTIONS_MAX questions have been
 * asked. Without a lookup, the name in the report is used. */
static int64_t dns_until_ms(const struct handing *handing, const struct report_delivery *delivery)
{
	size_t asked = handing->questions + eds_dns_query_count(delivery->dns);

	return asked < QUESTIONS_MAX ? handing->until_ms : 0;
}

static rt_status read_some(
	struct rt_ctx *ctx, struct handing *handing, struct report_delivery *delivery)
{
	struct eds_reports *reports = &delivery->reports;

	RT_TRY(eds_dns_open(ctx, &delivery->dns));
	RT_TRY(eds_report_read_file(
		ctx, handing->fd, handing->req->body_length, handing->read, reports));
	if (reports->crash[0] != '\0')
		rt_log(ctx, RT_LOG_WARNING, "the reader of %s crashed: %s",
			delivery->mail->message_id, reports->crash);
	for (size_t i = 0; i < reports->count; i++) {
		struct report_sender *sender = rt_alloc(ctx, sizeof *sender);

		RT_TRY(name_sender(ctx, delivery, handing->domain, dns_until_ms(handing, delivery),
			&reports->items[i], sender));
		delivery->senders[i] = sender;
	}
	handing->questions += eds_dns_query_count(delivery->dns);
	report_write_bodies(ctx, delivery);
	return RT_OK;
}

static const char *outcome(const struct eds_report_item *item)
{
	if (item->added == EDS_REPORT_OVER || report_line_was_refused(item->line))
		return "refused";
	return item->added == EDS_REPORT_ADDED ? "accepted" : "duplicate";
}

static void write_time(struct rt_buffer *out, const char *before, int64_t at_ms)
{
	report_put_text(out, before, at_ms > 0 ? rt_time_format(out->ctx, at_ms) : NULL);
}

static void write_reason(struct rt_buffer *out, const struct eds_report_item *item)
{
	const char *code = item->line->reason_code;
	const char *reason = item->line->reason;

	if (item->added == EDS_REPORT_OVER) {
		code = "reports-too-many-today";
		reason = "The daily limit of uploaded reports is reached.";
	}
	report_put_text(out, ",\"reason\":{\"code\":", code);
	report_put_text(out, ",\"message\":", reason);
	rt_buffer_text(out, "}}");
}

static void write_item(struct rt_buffer *out, const char *file, const struct eds_report_item *item)
{
	const struct eds_report_line *line = item->line;
	bool has_reason = item->added == EDS_REPORT_OVER || line->reason_code != NULL;

	report_put_text(out, "{\"file\":", file);
	report_put_text(out, ",\"outcome\":", outcome(item));
	report_put_text(out, ",\"id\":", item->added == EDS_REPORT_ADDED ? line->id : NULL);
	report_put_text(out, ",\"kind\":", line->kind);
	report_put_text(out, ",\"organization\":", line->organization);
	report_put_text(out, ",\"externalId\":", line->reporter_id);
	report_put_text(out, ",\"policyDomain\":", line->policy_domain);
	write_time(out, ",\"period\":{\"begin\":", line->begins_at_ms);
	write_time(out, ",\"end\":", line->ends_at_ms);
	rt_buffer_text(out, "}");
	if (has_reason)
		write_reason(out, item);
	else
		rt_buffer_text(out, ",\"reason\":null}");
}

static void write_items(struct handing *handing, const struct report_delivery *delivery,
	const struct eds_report_item *items, size_t count)
{
	const struct eds_reports *reports = &delivery->reports;

	for (size_t i = 0; i < count; i++) {
		rt_buffer_text(&handing->answer, handing->read + i > 0 ? "," : "");
		write_item(&handing->answer, i < reports->count ? reports->items[i].file : NULL,
			&items[i]);
	}
}

/* Handles one round: reads and stores up to EDS_REPORTS_MAX reports, in separate memory and one
 * transaction. Sets goes_on if reports are left and the time suffices for another round. */
static rt_status hand_in_some(struct rt_ctx *ctx, void *arg)
{
	struct handing *handing = arg;
	struct report_delivery *delivery = rt_alloc(ctx, sizeof *delivery);
	int64_t begun_ms = rt_monotonic_ms();
	struct eds_report_item *items;
	size_t count;

	*delivery = (struct report_delivery){.ctx = ctx,
		.store = handing->store,
		.mail = handing->mail,
		.way = EDS_REPORT_UPLOAD,
		.first = handing->read,
		.lookups = handing->lookups};
	RT_TRY(read_some(ctx, handing, delivery));
	handing->goes_on = delivery->reports.cut &&
		handing->read + EDS_REPORTS_MAX < EDS_FILE_REPORTS_MAX &&
		rt_remaining_ms(ctx) > ROUND_SHARE * (rt_monotonic_ms() - begun_ms) + ROUND_MS;
	if (handing->goes_on)
		delivery->reports.cut = false;
	RT_TRY(report_keep(ctx, delivery, handing->domain, &items, &count));
	handing->lookups = delivery->lookups;
	write_items(handing, delivery, items, count);
	handing->read += (unsigned)delivery->reports.count;
	return RT_OK;
}

static rt_status upload_reports(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct handing *handing = rt_alloc(ctx, sizeof *handing);
	struct eds_domain domain;

	*handing = (struct handing){
		.req = req, .domain = &domain, .lookups = REPORT_LOOKUPS_MAX, .goes_on = true};
	RT_TRY(eds_store_open(ctx, &handing->store));
	RT_TRY(eds_auth_domain(ctx, req, handing->store, &domain));
	RT_TRY(report_body_check(ctx, req, &form));
	RT_TRY(eds_store_use(ctx, handing->store, domain.account_id, domain.plan, EDS_USE_UPLOAD));
	RT_TRY(report_body_file(ctx, req, &handing->fd));
	handing->mail = report_body_message(ctx, req, "file");
	handing->until_ms = rt_monotonic_ms() + REPORT_POSTER_TIME_MS;
	rt_buffer_init(&handing->answer, ctx, ANSWER_BYTES_MAX);
	rt_buffer_text(&handing->answer, "{\"data\":[");
	while (handing->goes_on)
		RT_TRY(rt_run_apart(ctx, hand_in_some, handing));
	rt_buffer_text(&handing->answer, "]}");
	return rt_respond_bytes(ctx, res, 200, "application/json", handing->answer.bytes,
		handing->answer.length, false);
}

int main(int argc, char **argv)
{
	rt_prepare(eds_report_reader_warm);
	return rt_main_http_within(argc, argv, upload_reports, RT_LARGE_EVENT_BYTES_MAX);
}
