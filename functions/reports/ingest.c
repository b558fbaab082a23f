/* reports-ingest: mail to {domain id}@{report_domain}
 *
 * out   {"read": 1, "duplicate": 0, "refused": 0}: the numbers of lines added to the logs of the
 *       recipient domains, by outcome
 * err   message-not-found, store-unavailable, sandbox-violation, …: the event is sent again;
 *       sender-undecided: DNS lookups about the sender failed; the event is sent again
 *
 * The mail is verified by SPF, DKIM and DMARC, so that a report counts only when its reporter is
 * proved to have sent it, or when the owner of the domain has accepted the reporter. The mail is
 * read once and the contents of its reports are stored once; the log of every recipient domain gets
 * a line for each report, with the discovered selectors. New selectors are checked in DNS at once,
 * up to a limit (discover.h). For a mail without a report, or for a report about another domain,
 * the line gives the reason. The message is deleted when every function that gets this message has
 * read it.
 */
#include <string.h>
#include <unistd.h>

#include "functions/lib/recipient.h"
#include "functions/lib/release.h"
#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/store/reports/report-original.h"
#include "functions/lib/store/tester/message-need.h"
#include "functions/reports/intake/keep.h"
#include "functions/reports/intake/sender.h"
#include "functions/reports/line-read.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/log.h"
#include "runtime/mail-store/mailstore.h"
#include "runtime/text/base64.h"

struct intake {
	struct rt_ctx *ctx; /* context of the event */
	struct eds_store *store;
	const struct rt_mail_event *mail;
	/* recipient domains whose logs do not have the mail yet */
	struct eds_domain domains[RT_MAIL_RECIPIENTS_MAX];
	size_t domain_count;
	size_t added[EDS_REPORT_OVER + 1]; /* numbers of lines, by enum eds_report_added */
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

/* A mail that is being stored, and the domain in whose log it is stored now. */
struct keeping {
	struct intake *intake;
	struct report_delivery delivery;
	const struct eds_domain *domain;
};

static void count_lines(struct intake *intake, const struct eds_report_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool refused = report_line_was_refused(items[i].line);

		if (items[i].added == EDS_REPORT_OVER ||
			(refused && items[i].added == EDS_REPORT_ADDED))
			intake->refused++;
		else
			intake->added[items[i].added]++;
	}
}

static rt_status keep(struct rt_ctx *ctx, void *arg)
{
	struct keeping *keeping = arg;
	struct eds_report_item *items;
	size_t count;

	RT_TRY(report_keep(ctx, &keeping->delivery, keeping->domain, &items, &count));
	count_lines(keeping->intake, items, count);
	return RT_OK;
}

/* Stores the mail in the log of each domain. The memory used for one domain is freed before the
 * next domain, so that many domains need no more memory than one. */
static rt_status keep_in_all(struct rt_ctx *ctx, struct keeping *keeping)
{
	rt_status status = RT_OK;

	for (size_t i = 0; i < keeping->intake->domain_count && status == RT_OK; i++) {
		keeping->domain = &keeping->intake->domains[i];
		status = rt_run_apart(ctx, keep, keeping);
	}
	return status;
}

/* Reads the mail into the delivery, to be stored unchanged, so that the domain's owner can fetch
 * it. A mail of more than EDS_ORIGINAL_BYTES_MAX is not stored. */
static rt_status keep_original(
	struct rt_ctx *ctx, int fd, size_t bytes, struct report_delivery *delivery)
{
	char *mail;

	if (bytes > EDS_ORIGINAL_BYTES_MAX)
		return RT_OK;
	mail = rt_alloc(ctx, bytes + 1);
	if (pread(fd, mail, bytes, 0) != (ssize_t)bytes)
		return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed", "the mail cannot be read");
	delivery->original = rt_base64_encode(ctx, mail, bytes);
	delivery->original_length = bytes;
	return RT_OK;
}

static bool has_report(const struct eds_reports *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		if (reports->items[i].fault_code == NULL)
			return true;
	return false;
}

/* Puts off a mail with reports when its sender is undecided because a lookup failed, if the mail
 * may still wait. */
static rt_status settle_sender(struct rt_ctx *ctx, const struct rt_mail_event *mail,
	const struct report_sender *sender, const struct eds_reports *reports)
{
	if (!sender->undecided || !has_report(reports) || !report_sender_may_wait(mail))
		return RT_OK;
	return rt_fail(ctx, RT_LATER, "sender-undecided",
		"lookups failed, so the sender %s cannot be verified yet: SPF %s, DKIM %s, DMARC "
		"%s",
		sender->domain, sender->spf, sender->dkim, sender->dmarc);
}

static rt_status read_mail(struct rt_ctx *ctx, struct intake *intake)
{
	struct keeping *keeping = rt_alloc(ctx, sizeof *keeping);
	struct report_sender *sender = rt_alloc(ctx, sizeof *sender);
	struct report_delivery *delivery = &keeping->delivery;
	size_t bytes;
	int fd;

	keeping->intake = intake;
	*delivery = (struct report_delivery){.ctx = ctx,
		.store = intake->store,
		.mail = intake->mail,
		.way = "mail",
		.lookups = REPORT_LOOKUPS_MAX};
	RT_TRY(rt_mailstore_open(ctx, intake->mail->message_id, &fd, &bytes));
	RT_TRY(keep_original(ctx, fd, bytes, delivery));
	RT_TRY(eds_dns_open(ctx, &delivery->dns));
	RT_TRY(report_sender_judge(ctx, delivery->dns, intake->mail, fd, bytes, sender));
	RT_TRY(eds_report_read(ctx, fd, bytes, &delivery->reports));
	if (delivery->reports.crash[0] != '\0')
		rt_log(ctx, RT_LOG_WARNING, "the reader of message %s crashed: %s",
			intake->mail->message_id, delivery->reports.crash);
	RT_TRY(settle_sender(ctx, intake->mail, sender, &delivery->reports));
	for (size_t i = 0; i < delivery->reports.count; i++)
		delivery->senders[i] = sender;
	report_write_bodies(ctx, delivery);
	return keep_in_all(ctx, keeping);
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
