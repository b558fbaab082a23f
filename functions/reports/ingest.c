/* reports-ingest: mail to {domain id}@{report_domain}
 *
 * out   {"read": 1, "duplicate": 0, "refused": 0}, lines that the logs of its domains gained
 * err   message-not-found, store-unavailable, sandbox-violation, …: the event is sent again
 *
 * A mail is read once and kept in the log of every domain that it is for, with the selectors it
 * makes known, checked in DNS at once. One that is no report, or about another domain, is a line
 * with the reason. The message is deleted when everybody it came to has read it.
 */
#include <string.h>

#include "functions/lib/recipient.h"
#include "functions/lib/release.h"
#include "functions/lib/reports/reader.h"
#include "functions/lib/store/message-need.h"
#include "functions/reports/detail-json.h"
#include "functions/reports/discover.h"
#include "functions/reports/line.h"
#include "runtime/handler.h"
#include "runtime/mailstore.h"

struct intake {
	struct eds_store *store;
	const struct rt_mail_event *mail;
	struct eds_domain domains[RT_MAIL_RECIPIENTS_MAX]; /* that have not read it yet */
	size_t domain_count;
	size_t added[EDS_REPORT_SAME + 1]; /* lines */
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

static rt_status fill_item(struct rt_ctx *ctx, struct intake *intake,
	const struct eds_domain *domain, const struct eds_report *report,
	struct eds_report_item *item)
{
	if (strcmp(item->line->state, "read") != 0)
		return RT_OK;
	item->line->detail = report_detail_text(ctx, domain, report);
	item->failures = report_failures(ctx, domain, report, &item->failure_count);
	return report_named(ctx, intake->store, domain, report, &item->named, &item->named_count);
}

static void count_lines(struct intake *intake, const struct eds_report_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool refused = strcmp(items[i].line->state, "refused") == 0;

		if (refused && items[i].added == EDS_REPORT_ADDED)
			intake->refused++;
		else
			intake->added[items[i].added]++;
	}
}

/* A domain that was deleted meanwhile keeps nothing. */
static rt_status keep(struct rt_ctx *ctx, struct intake *intake, const struct eds_domain *domain,
	const struct eds_reports *reports)
{
	struct eds_report_item *items = rt_alloc_array(ctx, reports->count + 1, sizeof *items);
	size_t count = reports->count;
	rt_status status;

	for (size_t i = 0; i < count; i++) {
		const struct eds_report *report = &reports->items[i];

		items[i].line = report_line(ctx, domain, intake->mail, report, i);
		RT_TRY(fill_item(ctx, intake, domain, report, &items[i]));
	}
	if (reports->cut)
		items[count++].line = report_line_cut(ctx, intake->mail);
	RT_TRY(report_check_new(ctx, intake->store, items, count));
	status = eds_store_reports_add(ctx, intake->store, domain, items, count);
	if (status == RT_NOT_FOUND)
		rt_fail_clear(ctx);
	else if (status == RT_OK)
		count_lines(intake, items, count);
	return status == RT_NOT_FOUND ? RT_OK : status;
}

static rt_status read_mail(struct rt_ctx *ctx, struct intake *intake)
{
	struct eds_reports reports;
	size_t bytes;
	int fd;

	RT_TRY(rt_mailstore_open(ctx, intake->mail->message_id, &fd, &bytes));
	RT_TRY(eds_report_read(ctx, fd, bytes, &reports));
	for (size_t i = 0; i < intake->domain_count; i++)
		RT_TRY(keep(ctx, intake, &intake->domains[i], &reports));
	return RT_OK;
}

static rt_status ingest(struct rt_ctx *ctx, const struct rt_mail_event *mail, json_t **answer)
{
	struct intake *intake = rt_alloc(ctx, sizeof *intake);

	intake->mail = mail;
	RT_TRY(eds_store_open(ctx, &intake->store));
	for (size_t i = 0; i < mail->recipient_count; i++)
		RT_TRY(sort_recipient(ctx, intake, mail->recipients[i]));
	if (intake->domain_count > 0)
		RT_TRY(read_mail(ctx, intake));
	RT_TRY(eds_release_message(ctx, intake->store, mail));
	*answer = json_object();
	rt_json_set(*answer, "read", json_integer((json_int_t)intake->added[EDS_REPORT_ADDED]));
	rt_json_set(*answer, "duplicate",
		json_integer((json_int_t)intake->added[EDS_REPORT_DUPLICATE]));
	rt_json_set(*answer, "refused", json_integer((json_int_t)intake->refused));
	return RT_OK;
}

int main(int argc, char **argv)
{
	eds_report_reader_warm();
	return rt_main_mail(argc, argv, ingest);
}
