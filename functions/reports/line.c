#include "functions/reports/line.h"

#include <string.h>

#include "functions/lib/mail/from.h"

/* A million million; and the end of the year 9999, behind which no time can be written. */
#define COUNT_MAX UINT64_C(1000000000000)
#define TIME_MAX_S INT64_C(253402300799)

const char *report_text(const char *text)
{
	return text != NULL && *text != '\0' ? text : NULL;
}

int64_t report_count(uint64_t count)
{
	return (int64_t)(count < COUNT_MAX ? count : COUNT_MAX);
}

/* 0 for a time that cannot be. */
static int64_t report_time_ms(int64_t at_s)
{
	return at_s > 0 && at_s <= TIME_MAX_S ? at_s * 1000 : 0;
}

bool report_is_below(const char *name, const char *parent)
{
	size_t length = strlen(name);
	size_t parent_length = strlen(parent);

	return length > parent_length + 1 && name[length - parent_length - 1] == '.' &&
		strcmp(name + length - parent_length, parent) == 0;
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

static bool is_for(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report)
{
	const char *policy;

	if (report->kind == EDS_REPORT_TLS)
		return has_policy_about(ctx, domain, report);
	policy = eds_domain_normalize(ctx, report->domain, strlen(report->domain));
	return policy != NULL &&
		(strcmp(policy, domain->name) == 0 || report_is_below(domain->name, policy));
}

static const char *kind_name(enum eds_report_kind kind)
{
	if (kind == EDS_REPORT_UNKNOWN)
		return "unknown";
	return kind == EDS_REPORT_TLS ? "tls" : "dmarc";
}

/* Kind, domain, reporter and the reporter's id; one without an id is told by its period. */
static const char *identity(
	struct rt_ctx *ctx, const struct rt_mail_event *mail, const struct eds_report *report)
{
	const char *reporter = report->org;
	const char *id = report->report_id;

	if (*reporter == '\0')
		reporter = *report->email != '\0' ? report->email : mail->mail_from;
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
	line->failed = line->total - line->passed;
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

static struct eds_report_line *new_line(
	struct rt_ctx *ctx, const struct rt_mail_event *mail, const char *index)
{
	struct eds_report_line *line = rt_alloc(ctx, sizeof *line);

	*line = (struct eds_report_line){
		.identity = rt_printf(ctx, "mail|%s|%s", mail->message_id, index),
		.message_id = mail->message_id,
		.received_at_ms = mail->received_at_ms,
		.kind = kind_name(EDS_REPORT_UNKNOWN),
		.state = "refused",
		.mail_from = mail->mail_from,
	};
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

struct eds_report_line *report_line(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct rt_mail_event *mail, const struct eds_report *report, size_t index)
{
	struct eds_report_line *line = new_line(ctx, mail, rt_printf(ctx, "%zu", index));

	describe(line, report);
	if (report->fault_code != NULL) {
		line->reason_code = report->fault_code;
		line->reason = report->fault;
	} else if (!is_for(ctx, domain, report)) {
		line->reason_code = "report-other-domain";
		line->reason = rt_printf(
			ctx, "The report is about %s, not about %s.", report->domain, domain->name);
	} else {
		line->state = "read";
		line->identity = identity(ctx, mail, report);
		if (report->kind == EDS_REPORT_TLS)
			sum_sessions(ctx, domain, line, report);
		else
			sum_messages(line, report);
	}
	return line;
}

struct eds_report_line *report_line_cut(struct rt_ctx *ctx, const struct rt_mail_event *mail)
{
	struct eds_report_line *line = new_line(ctx, mail, "cut");

	line->reason_code = "reports-too-many";
	line->reason = rt_printf(ctx,
		"The mail holds more than %d reports; the others were not read.", EDS_REPORTS_MAX);
	return line;
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
			sums[(*count)++] = (struct eds_report_failure_sum){
				failure->type, report_count(failure->sessions)};
	}
	return sums;
}
