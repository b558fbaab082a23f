#include "functions/reports/line.h"
#include "functions/reports/line-read.h"

#include <string.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"

/* The end of the year 9999; later times cannot be written in RFC 3339. */
#define TIME_MAX_S INT64_C(253402300799)

/* Epoch ms of a time in a report; 0 for an impossible time. */
static int64_t report_time_ms(int64_t at_s)
{
	return at_s > 0 && at_s <= TIME_MAX_S ? at_s * 1000 : 0;
}

bool report_is_about(struct rt_ctx *ctx, const struct eds_domain *domain, const char *name)
{
	const char *own = eds_domain_normalize(ctx, name, strlen(name));

	return own != NULL && strcmp(own, domain->name) == 0;
}

static bool has_policy_about(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report)
{
	for (size_t i = 0; i < report->tls_policy_count; i++)
		if (report_is_about(ctx, domain, report->tls_policies[i].domain))
			return true;
	return false;
}

bool report_is_from_above(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report)
{
	const char *policy = eds_domain_normalize(ctx, report->domain, strlen(report->domain));

	return report->kind == EDS_REPORT_DMARC && report->fault_code == NULL && policy != NULL &&
		strcmp(domain->name, policy) != 0 && eds_dns_name_covers(policy, domain->name);
}

/* True if the report is about the log's domain or, for DMARC, a parent of it up to the
 * organizational domain: a report about com says nothing about example.com. */
static bool is_for(
	struct rt_ctx *ctx, const struct report_log *log, const struct eds_report *report)
{
	const char *name = log->domain->name;
	const char *policy;

	if (report->kind == EDS_REPORT_TLS)
		return has_policy_about(ctx, log->domain, report);
	policy = eds_domain_normalize(ctx, report->domain, strlen(report->domain));
	if (policy == NULL)
		return false;
	return strcmp(policy, name) == 0 ||
		(eds_dns_name_covers(policy, name) && eds_dns_name_covers(log->org_domain, policy));
}

static const char *kind_name(enum eds_report_kind kind)
{
	if (kind == EDS_REPORT_UNKNOWN)
		return "unknown";
	return kind == EDS_REPORT_TLS ? "tls" : "dmarc";
}

/* The identity of a report: its kind, policy domain, reporter, and the reporter's id for it (or its
 * period if it has no id). A report that does not count gets a different identity, so that a forged
 * report cannot take the place of a real one. */
static const char *identity(struct rt_ctx *ctx, const struct report_log *log,
	const struct eds_report *report, const struct eds_report_line *line)
{
	const char *reporter = report->org;
	const char *id = report->report_id;

	if (*reporter == '\0')
		reporter = *report->email != '\0' ? report->email : log->mail->mail_from;
	if (line->counts)
		reporter = line->origin.reporter;
	else
		reporter = rt_printf(ctx, "unverified %s %s", line->origin.reporter, reporter);
	if (*id == '\0')
		id = rt_printf(
			ctx, "%lld-%lld", (long long)report->begin_s, (long long)report->end_s);
	return rt_printf(ctx, "%s|%s|%s|%s", kind_name(report->kind), report->domain,
		rt_lower(ctx, reporter), id);
}

static void sum_messages(struct eds_report_line *line, const struct eds_report *report)
{
	line->records = report_count(report->records);
	line->total = report_count(report->messages);
	line->passed = report_count(report->passed);
	line->forwarded = report_count(report->forwarded);
	line->failed = line->total - line->passed - line->forwarded;
}

static void sum_sessions(struct rt_ctx *ctx, const struct eds_domain *domain,
	struct eds_report_line *line, const struct eds_report *report)
{
	uint64_t passed = 0;
	uint64_t failed = 0;

	for (size_t i = 0; i < report->tls_policy_count; i++) {
		const struct eds_report_tls_policy *policy = &report->tls_policies[i];

		if (!report_is_about(ctx, domain, policy->domain))
			continue;
		line->records++;
		passed += (uint64_t)report_count(policy->successful);
		failed += (uint64_t)report_count(policy->failed);
	}
	line->passed = report_count(passed);
	line->failed = report_count(failed);
	line->total = line->passed + line->failed;
	line->policy_domain = domain->name;
}

static bool is_vouched_for(const struct report_log *log)
{
	return log->way != NULL && strcmp(log->way, EDS_REPORT_UPLOAD) == 0;
}

/* Describes where the report came from. A reporter that was verified before may use any
 * organization name, but each of its mails must still prove the reporter's domain. */
static struct eds_report_origin origin(
	struct rt_ctx *ctx, const struct report_log *log, const struct eds_report *report)
{
	const struct report_sender *sender = log->sender;
	bool is_his = log->known.verified_ms > 0 ||
		(report != NULL && report_is_of_sender(ctx, report, sender));

	return (struct eds_report_origin){
		.reporter = sender->domain,
		.judged = true,
		.verified = is_vouched_for(log) ||
			(sender->proved && *sender->domain != '\0' && is_his),
		.spf = sender->spf,
		.dkim = sender->dkim,
		.dmarc = sender->dmarc,
		.standing = log->known.standing,
		.way = log->way,
	};
}

static struct eds_report_line *new_line(struct rt_ctx *ctx, const struct report_log *log,
	const struct eds_report *report, const char *index)
{
	const struct rt_mail_event *mail = log->mail;
	struct eds_report_line *line = rt_alloc(ctx, sizeof *line);

	*line = (struct eds_report_line){
		.identity = rt_printf(ctx, "mail|%s|%s", mail->message_id, index),
		.message_id = mail->message_id,
		.received_at_ms = mail->received_at_ms,
		.kind = kind_name(EDS_REPORT_UNKNOWN),
		.state = "refused",
		.mail_from = mail->mail_from,
		.origin = origin(ctx, log, report),
	};
	line->counts = eds_report_origin_counts(&line->origin);
	return line;
}

static void describe(struct eds_report_line *line, const struct eds_report *report)
{
	line->kind = kind_name(report->kind);
	line->organization = report_text(report->org);
	line->contact = report_text(report->email);
	line->reporter_id = report_text(report->report_id);
	line->policy_domain = report_text(report->domain);
	line->begins_at_ms = report_time_ms(report->begin_s);
	line->ends_at_ms = report_time_ms(report->end_s);
}

/* Marks the identity of a report that was read only as far as its fault, so that the whole report
 * can replace this report later. */
static void tell_flaw(
	struct rt_ctx *ctx, struct eds_report_line *line, const struct eds_report *report)
{
	line->reason_code = report->flaw_code;
	line->reason = report->flaw;
	if (report->flaw_code == NULL || strcmp(report->flaw_code, "report-email-bare") == 0)
		return;
	line->whole_identity = line->identity;
	line->identity = rt_printf(ctx, "%s" EDS_REPORT_CUT_MARK, line->identity);
}

void report_line_is(struct rt_ctx *ctx, struct eds_report_line *line, const char *identity)
{
	size_t length = strlen(identity);
	size_t mark = sizeof EDS_REPORT_CUT_MARK - 1;
	const char *whole = identity;

	if (length > mark && strcmp(identity + length - mark, EDS_REPORT_CUT_MARK) == 0)
		whole = rt_memdup(ctx, identity, length - mark);
	line->identity = whole;
	if (line->whole_identity == NULL)
		return;
	line->whole_identity = whole;
	line->identity = rt_printf(ctx, "%s" EDS_REPORT_CUT_MARK, whole);
}

struct eds_report_line *report_line(struct rt_ctx *ctx, const struct report_log *log,
	const struct eds_report *report, size_t index)
{
	const struct eds_domain *domain = log->domain;
	struct eds_report_line *line = new_line(ctx, log, report, rt_printf(ctx, "%zu", index));

	describe(line, report);
	if (report_standing_is_blocked(log->known.standing)) {
		line->reason_code = "reporter-blocked";
		line->reason = "Its reporter is blocked.";
	} else if (report->fault_code != NULL) {
		line->reason_code = report->fault_code;
		line->reason = report->fault;
	} else if (log->tls_alone && report->kind != EDS_REPORT_TLS) {
		line->reason_code = "report-not-tls";
		line->reason = "Only TLS reports are accepted over HTTPS.";
	} else if (!is_for(ctx, log, report)) {
		line->reason_code = "report-other-domain";
		line->reason = rt_printf(
			ctx, "The report is about %s, not about %s.", report->domain, domain->name);
	} else {
		line->state = "read";
		line->identity = identity(ctx, log, report, line);
		tell_flaw(ctx, line, report);
		if (report->kind == EDS_REPORT_TLS)
			sum_sessions(ctx, domain, line, report);
		else
			sum_messages(line, report);
	}
	return line;
}

struct eds_report_line *report_line_cut(struct rt_ctx *ctx, const struct report_log *log)
{
	struct eds_report_line *line = new_line(ctx, log, NULL, "cut");

	line->reason_code = "reports-too-many";
	if (is_vouched_for(log))
		line->reason = "The file holds more reports than are read at once; the others were "
			       "not read. Upload them in another file.";
	else
		line->reason = rt_printf(ctx,
			"The mail holds more than %d reports; the others were not read.",
			EDS_REPORTS_MAX);
	return line;
}

static void add_failure(struct eds_report_failure_sum *sums, size_t *count,
	const struct eds_report_tls_failure *failure)
{
	size_t i = 0;

	while (i < *count && strcmp(sums[i].type, failure->type) != 0)
		i++;
	if (i == *count)
		sums[(*count)++] = (struct eds_report_failure_sum){.type = failure->type};
	sums[i].sessions = report_count(
		(uint64_t)sums[i].sessions + (uint64_t)report_count(failure->sessions));
}

struct eds_report_failure_sum *report_failures(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report *report, size_t *count)
{
	struct eds_report_failure_sum *sums = rt_alloc_array(
		ctx, report->tls_failure_count + 1, sizeof *sums);

	*count = 0;
	for (size_t i = 0; i < report->tls_failure_count; i++) {
		const struct eds_report_tls_failure *failure = &report->tls_failures[i];

		if (report_is_about(ctx, domain, report->tls_policies[failure->policy].domain))
			add_failure(sums, count, failure);
	}
	return sums;
}
