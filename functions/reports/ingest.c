/* reports-ingest: mail to {domain id}@{report_domain}
 *
 * out   {"read": 1, "duplicate": 0, "refused": 0}, lines that the logs of its domains gained
 * err   message-not-found, store-unavailable, sandbox-violation, …: the event is sent again
 *
 * A mail is judged as any mail is, by SPF, DKIM and DMARC, so that a report counts only when its
 * reporter sent it; it is read once, its content kept once, and a line of it in the log of every
 * domain that it is for, with the selectors it makes known, checked in DNS at once. One that is no
 * report, or about another domain, is a line with the reason. The message is deleted when everybody
 * it came to has read it.
 */
#include <string.h>

#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/recipient.h"
#include "functions/lib/release.h"
#include "functions/lib/reports/reader.h"
#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/store/message-need.h"
#include "functions/lib/store/report-fold.h"
#include "functions/reports/detail-json.h"
#include "functions/reports/discover.h"
#include "functions/reports/line.h"
#include "functions/reports/rows-of.h"
#include "runtime/handler.h"
#include "runtime/log.h"
#include "runtime/mailstore.h"

struct intake {
	struct rt_ctx *ctx; /* of the event */
	struct eds_store *store;
	const struct rt_mail_event *mail;
	struct eds_domain domains[RT_MAIL_RECIPIENTS_MAX]; /* that have not read it yet */
	size_t domain_count;
	size_t added[EDS_REPORT_OVER + 1]; /* lines */
	size_t refused;
};

static bool is_listed(const struct intake *intake, const char *id)
{
	for (size_t i = 0; i < intake->domain_count; i++)
		if (strcmp(intake->domains[i].id, id) == 0)
			return true;
	return false;
}

static rt_status sort_recipient(struct rt_ctx *ctx, struct intake *intake, const char *recipient)
{
	struct eds_domain *domain = &intake->domains[intake->domain_count];
	const char *id;
	rt_status status;
	bool needs;

	if (eds_recipient_read(ctx, recipient, &id) != EDS_RECIPIENT_REPORTS ||
		is_listed(intake, id))
		return RT_OK;
	RT_TRY(eds_store_domain_needs_message(
		ctx, intake->store, id, intake->mail->message_id, &needs));
	if (!needs)
		return RT_OK;
	status = eds_store_domain_find(ctx, intake->store, id, domain);
	if (status == RT_OK)
		intake->domain_count++;
	if (status == RT_NOT_FOUND)
		rt_fail_clear(ctx);
	return status == RT_NOT_FOUND ? RT_OK : status;
}

/* What one mail brings, the same for all its logs. */
struct delivery {
	struct intake *intake;
	struct eds_dns *dns;
	struct report_sender sender;
	struct eds_reports reports;
	const char *bodies[EDS_REPORTS_MAX];
	const char *body_ids[EDS_REPORTS_MAX];
	struct eds_report_row_sum *sums[EDS_REPORTS_MAX];
	size_t sum_counts[EDS_REPORTS_MAX];
	size_t lookups;                  /* left */
	const struct eds_domain *domain; /* that keeps it now */
};

static rt_status fill_item(
	struct rt_ctx *ctx, struct delivery *delivery, size_t index, struct eds_report_item *item)
{
	const struct eds_report *report = &delivery->reports.items[index];
	const struct eds_domain *domain = delivery->domain;

	if (strcmp(item->line->state, "read") != 0)
		return RT_OK;
	item->line->body = delivery->bodies[index];
	item->line->body_id = delivery->body_ids[index];
	item->sums = delivery->sums[index];
	item->sum_count = delivery->sum_counts[index];
	item->failures = report_failures(ctx, domain, report, &item->failure_count);
	return report_named(ctx, delivery->intake->store, domain, report, item);
}

static void count_lines(struct intake *intake, const struct eds_report_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool refused = strcmp(items[i].line->state, "refused") == 0;

		if (items[i].added == EDS_REPORT_OVER ||
			(refused && items[i].added == EDS_REPORT_ADDED))
			intake->refused++;
		else
			intake->added[items[i].added]++;
	}
}

/* Where DNS does not say which it is, any name of several labels may be. */
static void find_org_domain(struct delivery *delivery, struct report_log *log, struct rt_ctx *ctx)
{
	const char *name = log->domain->name;
	const char *dot;

	log->org_domain = name;
	for (size_t i = 0; i < delivery->reports.count; i++) {
		if (!report_is_from_above(ctx, log->domain, &delivery->reports.items[i]))
			continue;
		if (eds_dmarc_org_domain(
			    delivery->intake->ctx, delivery->dns, name, &log->org_domain))
			return;
		for (log->org_domain = name; (dot = strchr(log->org_domain, '.')) != NULL &&
			strchr(dot + 1, '.') != NULL;)
			log->org_domain = dot + 1;
		return;
	}
}

/* A domain that was deleted meanwhile keeps nothing. */
static rt_status keep(struct rt_ctx *ctx, void *arg)
{
	struct delivery *delivery = arg;
	struct intake *intake = delivery->intake;
	struct report_log log = {
		.domain = delivery->domain, .mail = intake->mail, .sender = &delivery->sender};
	struct eds_report_item *items = rt_alloc_array(
		ctx, delivery->reports.count + 1, sizeof *items);
	size_t count = delivery->reports.count;
	rt_status status;

	RT_TRY(eds_store_reporter_get(
		ctx, intake->store, log.domain, delivery->sender.domain, &log.known));
	find_org_domain(delivery, &log, ctx);
	for (size_t i = 0; i < count; i++) {
		items[i].line = report_line(ctx, &log, &delivery->reports.items[i], i);
		RT_TRY(fill_item(ctx, delivery, i, &items[i]));
	}
	if (delivery->reports.cut)
		items[count++].line = report_line_cut(ctx, &log);
	RT_TRY(report_check_new(ctx, intake->store, items, count, &delivery->lookups));
	status = eds_store_reports_add(ctx, intake->store, log.domain, items, count);
	if (status == RT_NOT_FOUND)
		rt_fail_clear(ctx);
	if (status != RT_OK)
		return status == RT_NOT_FOUND ? RT_OK : status;
	count_lines(intake, items, count);
	return eds_store_report_fold_sometimes(ctx, intake->store, log.domain->id);
}

static void write_bodies(struct rt_ctx *ctx, struct delivery *delivery)
{
	for (size_t i = 0; i < delivery->reports.count; i++) {
		if (delivery->reports.items[i].fault_code != NULL)
			continue;
		delivery->bodies[i] = report_body_text(ctx, &delivery->reports.items[i]);
		delivery->body_ids[i] = eds_report_body_id(ctx, delivery->bodies[i]);
		if (delivery->reports.items[i].kind == EDS_REPORT_DMARC)
			report_rows_read(ctx, &delivery->reports.items[i], &delivery->sums[i],
				&delivery->sum_counts[i]);
	}
}

/* Each log in memory of its own, however many there are. */
static rt_status keep_in_all(struct rt_ctx *ctx, struct delivery *delivery)
{
	rt_status status = RT_OK;

	for (size_t i = 0; i < delivery->intake->domain_count && status == RT_OK; i++) {
		delivery->domain = &delivery->intake->domains[i];
		status = rt_run_apart(ctx, keep, delivery);
	}
	return status;
}

static rt_status read_mail(struct rt_ctx *ctx, struct intake *intake)
{
	struct delivery *delivery = rt_alloc(ctx, sizeof *delivery);
	size_t bytes;
	int fd;

	delivery->intake = intake;
	delivery->lookups = REPORT_LOOKUPS_MAX;
	RT_TRY(rt_mailstore_open(ctx, intake->mail->message_id, &fd, &bytes));
	RT_TRY(eds_dns_open(ctx, &delivery->dns));
	RT_TRY(report_sender_judge(ctx, delivery->dns, intake->mail, fd, bytes, &delivery->sender));
	RT_TRY(eds_report_read(ctx, fd, bytes, &delivery->reports));
	if (delivery->reports.crash[0] != '\0')
		rt_log(ctx, RT_LOG_WARNING, "message %s ended its reader: %s",
			intake->mail->message_id, delivery->reports.crash);
	write_bodies(ctx, delivery);
	return keep_in_all(ctx, delivery);
}

static rt_status ingest(struct rt_ctx *ctx, const struct rt_mail_event *mail, json_t **answer)
{
	struct intake *intake = rt_alloc(ctx, sizeof *intake);

	intake->ctx = ctx;
	intake->mail = mail;
	RT_TRY(eds_store_open(ctx, &intake->store));
	for (size_t i = 0; i < mail->recipient_count; i++)
		RT_TRY(sort_recipient(ctx, intake, mail->recipients[i]));
	if (intake->domain_count > 0)
		RT_TRY(read_mail(ctx, intake));
	RT_TRY(eds_release_message_read(
		ctx, intake->store, mail, intake->domains, intake->domain_count));
	*answer = json_object();
	rt_json_set(*answer, "read", json_integer((json_int_t)intake->added[EDS_REPORT_ADDED]));
	rt_json_set(*answer, "duplicate",
		json_integer((json_int_t)intake->added[EDS_REPORT_DUPLICATE]));
	rt_json_set(*answer, "refused", json_integer((json_int_t)intake->refused));
	return RT_OK;
}

static void warm(void)
{
	eds_report_reader_warm();
	eds_sandbox_warm();
}

int main(int argc, char **argv)
{
	rt_prepare(warm);
	return rt_main_mail(argc, argv, ingest);
}
