#include "functions/lib/reports/report-wire.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/reports/rows-wire.h"

void eds_put_report_task(struct rt_buffer *out, const struct eds_report_task *task)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_REPORT_TASK);

	eds_put_count(out, task->mail_bytes);
	eds_put_u8(out, task->tls_alone);
	eds_put_u8(out, task->of_file);
	eds_put_u32(out, task->skip);
	eds_frame_end(out, begin);
}

bool eds_get_report_task(struct eds_wire *wire, struct eds_report_task *task)
{
	task->mail_bytes = (size_t)eds_get_number(wire);
	task->tls_alone = eds_get_u8(wire) != 0;
	task->of_file = eds_get_u8(wire) != 0;
	task->skip = eds_get_u32(wire);
	return eds_wire_finished(wire);
}

static void put_head(
	struct rt_buffer *out, const struct eds_report *report, enum eds_report_fault fault)
{
	const struct eds_report_policy *policy = &report->policy;

	eds_put_u8(out, report->kind);
	eds_put_u8(out, fault);
	eds_put_text(out, report->fault, EDS_REPORT_TEXT_MAX);
	eds_put_text(out, report->file, EDS_REPORT_TEXT_MAX);
	eds_put_count(out, report->xml_bytes);
	eds_put_u8(out, report->repaired);
	eds_put_text(out, report->flaw_code, EDS_REPORT_WORD_MAX);
	eds_put_text(out, report->flaw, EDS_REPORT_TEXT_MAX);
	eds_put_text(out, report->org, EDS_REPORT_TEXT_MAX);
	eds_put_text(out, report->email, EDS_REPORT_TEXT_MAX);
	eds_put_text(out, report->report_id, EDS_REPORT_ID_MAX);
	eds_put_text(out, report->domain, EDS_REPORT_DOMAIN_MAX);
	eds_put_i64(out, report->begin_s);
	eds_put_i64(out, report->end_s);
	eds_put_text(out, report->version, EDS_REPORT_WORD_MAX);
	eds_put_text(out, report->extra_contact, EDS_REPORT_TEXT_MAX);
	eds_put_text(out, report->generator, EDS_REPORT_TEXT_MAX);
	eds_put_u8(out, (unsigned)report->error_count);
	for (size_t i = 0; i < report->error_count; i++)
		eds_put_text(out, report->errors[i], EDS_REPORT_TEXT_MAX);
	eds_put_text(out, policy->adkim, EDS_REPORT_WORD_MAX);
	eds_put_text(out, policy->aspf, EDS_REPORT_WORD_MAX);
	eds_put_text(out, policy->p, EDS_REPORT_WORD_MAX);
	eds_put_text(out, policy->sp, EDS_REPORT_WORD_MAX);
	eds_put_text(out, policy->np, EDS_REPORT_WORD_MAX);
	eds_put_text(out, policy->testing, EDS_REPORT_WORD_MAX);
	eds_put_text(out, policy->discovery, EDS_REPORT_WORD_MAX);
	eds_put_text(out, policy->fo, EDS_REPORT_WORD_MAX);
	eds_put_u8(out, (unsigned)(policy->pct + 1));
}

static void put_signatures(struct rt_buffer *out, const struct eds_report *report)
{
	eds_put_count(out, report->other_signatures);
	eds_put_u32(out, (uint32_t)report->signature_count);
	for (size_t i = 0; i < report->signature_count; i++) {
		const struct eds_report_signature *signature = &report->signatures[i];

		eds_put_text(out, signature->domain, EDS_REPORT_DOMAIN_MAX);
		eds_put_text(out, signature->selector, EDS_REPORT_SELECTOR_MAX);
		for (size_t j = 0; j < EDS_DKIM_RESULTS; j++)
			eds_put_u32(out, signature->results[j]);
		eds_put_count(out, signature->messages);
		eds_put_count(out, signature->passed);
	}
}

static void put_texts(struct rt_buffer *out, const struct eds_report_texts *texts, size_t max)
{
	eds_put_u32(out, (uint32_t)texts->count);
	for (size_t i = 0; i < texts->count; i++)
		eds_put_text(out, texts->items[i], max);
}

static void put_tls_failures(struct rt_buffer *out, const struct eds_report *report)
{
	eds_put_u32(out, (uint32_t)report->tls_failure_count);
	for (size_t i = 0; i < report->tls_failure_count; i++) {
		const struct eds_report_tls_failure *failure = &report->tls_failures[i];

		eds_put_u32(out, failure->policy);
		eds_put_text(out, failure->type, EDS_REPORT_WORD_MAX);
		eds_put_count(out, failure->sessions);
		eds_put_text(out, failure->sending_ip, EDS_REPORT_IP_MAX);
		eds_put_text(out, failure->receiving_mx, EDS_REPORT_DOMAIN_MAX);
		eds_put_text(out, failure->receiving_helo, EDS_REPORT_DOMAIN_MAX);
		eds_put_text(out, failure->receiving_ip, EDS_REPORT_IP_MAX);
		eds_put_text(out, failure->information, EDS_REPORT_TEXT_MAX);
		eds_put_text(out, failure->reason, EDS_REPORT_REMARK_MAX);
	}
}

static void put_tls(struct rt_buffer *out, const struct eds_report *report)
{
	eds_put_count(out, report->other_tls_policies);
	eds_put_count(out, report->other_tls_failures);
	eds_put_u32(out, (uint32_t)report->tls_policy_count);
	for (size_t i = 0; i < report->tls_policy_count; i++) {
		const struct eds_report_tls_policy *policy = &report->tls_policies[i];

		eds_put_text(out, policy->type, EDS_REPORT_WORD_MAX);
		eds_put_text(out, policy->domain, EDS_REPORT_DOMAIN_MAX);
		eds_put_count(out, policy->successful);
		eds_put_count(out, policy->failed);
		put_texts(out, &policy->strings, EDS_REPORT_REMARK_MAX);
		put_texts(out, &policy->mx_hosts, EDS_REPORT_DOMAIN_MAX);
	}
	put_tls_failures(out, report);
}

void eds_put_report(
	struct rt_buffer *out, const struct eds_report *report, enum eds_report_fault fault)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_REPORT);

	put_head(out, report, fault);
	if (fault == EDS_FAULT_NONE && report->kind == EDS_REPORT_DMARC) {
		eds_put_rows(out, report);
		put_signatures(out, report);
	} else if (fault == EDS_FAULT_NONE) {
		put_tls(out, report);
	}
	eds_frame_end(out, begin);
}

void eds_put_reports_done(struct rt_buffer *out, bool cut)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_REPORTS_DONE);

	eds_put_u8(out, cut);
	eds_frame_end(out, begin);
}

/* Reads the kind and the fault. A report without a fault must have a known kind; a report with a
 * fault must have a sentence that explains the fault. */
static void get_fault(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	enum eds_report_fault fault;

	report->kind = (enum eds_report_kind)eds_get_enum(wire, EDS_REPORT_TLS);
	fault = (enum eds_report_fault)eds_get_enum(wire, EDS_FAULTS - 1);
	report->fault = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
	if (fault == EDS_FAULT_NONE ? report->kind == EDS_REPORT_UNKNOWN : report->fault[0] == '\0')
		wire->bad = true;
	report->fault_code = eds_report_fault_code(fault);
	if (fault == EDS_FAULT_NONE)
		report->fault = NULL;
}

static void get_policy(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report_policy *policy)
{
	policy->adkim = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->aspf = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->p = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->sp = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->np = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->testing = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->discovery = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->fo = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	policy->pct = (int)eds_get_enum(wire, 101) - 1;
}

/* Reads the flaw, and checks that it has a sentence and that the report was read. */
static void get_flaw(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	static const char *const codes[] = {
		"report-truncated", "report-malformed", "report-email-bare"};
	const char *code = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	const char *flaw = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);

	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (strcmp(code, codes[i]) == 0)
			report->flaw_code = codes[i];
	report->flaw = report->flaw_code != NULL ? flaw : NULL;
	if (report->flaw_code == NULL ? *code != '\0' : *flaw == '\0' || report->fault != NULL)
		wire->bad = true;
}

static void get_errors(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	const char **errors;

	report->error_count = eds_get_enum(wire, EDS_REPORT_ERRORS_MAX);
	report->errors = errors = rt_alloc_array(ctx, report->error_count, sizeof *errors);
	for (size_t i = 0; i < report->error_count; i++)
		errors[i] = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
}

static int64_t get_time(struct eds_wire *wire)
{
	return (int64_t)eds_get_number(wire);
}

static void get_head(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	get_fault(ctx, wire, report);
	report->file = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
	report->xml_bytes = eds_get_number(wire);
	report->repaired = eds_get_bool(wire);
	get_flaw(ctx, wire, report);
	report->org = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
	report->email = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
	report->report_id = eds_get_shown(ctx, wire, EDS_REPORT_ID_MAX);
	report->domain = eds_get_shown(ctx, wire, EDS_REPORT_DOMAIN_MAX);
	report->begin_s = get_time(wire);
	report->end_s = get_time(wire);
	report->version = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	report->extra_contact = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
	report->generator = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
	get_errors(ctx, wire, report);
	get_policy(ctx, wire, &report->policy);
	if (report->fault == NULL && report->domain[0] == '\0')
		wire->bad = true;
}

static uint64_t elements(const struct eds_report_signature *signature)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < EDS_DKIM_RESULTS; i++)
		sum += signature->results[i];
	return sum;
}

/* The order of signatures: those that ever passed come before the others. Within each of these two
 * groups, the more frequent come first; equally frequent ones are ordered by name. */
static int compare(const void *left, const void *right)
{
	const struct eds_report_signature *a = left;
	const struct eds_report_signature *b = right;
	bool a_passed = a->results[EDS_DKIM_RESULT_PASS] > 0;
	bool b_passed = b->results[EDS_DKIM_RESULT_PASS] > 0;
	uint64_t a_elements = elements(a);
	uint64_t b_elements = elements(b);
	int order;

	if (a_passed != b_passed)
		return a_passed ? -1 : 1;
	if (a_elements != b_elements)
		return a_elements > b_elements ? -1 : 1;
	order = strcmp(a->domain, b->domain);
	return order != 0 ? order : strcmp(a->selector, b->selector);
}

static void get_signatures(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	struct eds_report_signature *signatures;

	report->other_signatures = eds_get_number(wire);
	report->signature_count = eds_get_count(wire, EDS_REPORT_SIGNATURES_MAX);
	signatures = rt_alloc_array(ctx, report->signature_count, sizeof *signatures);
	for (size_t i = 0; i < report->signature_count; i++) {
		signatures[i].domain = eds_get_shown(ctx, wire, EDS_REPORT_DOMAIN_MAX);
		signatures[i].selector = eds_get_shown(ctx, wire, EDS_REPORT_SELECTOR_MAX);
		for (size_t j = 0; j < EDS_DKIM_RESULTS; j++)
			signatures[i].results[j] = eds_get_u32(wire);
		signatures[i].messages = eds_get_number(wire);
		signatures[i].passed = eds_get_number(wire);
		if (signatures[i].passed > signatures[i].messages)
			wire->bad = true;
	}
	if (report->signature_count > 0)
		qsort(signatures, report->signature_count, sizeof *signatures, compare);
	report->signatures = signatures;
}

static struct eds_report_texts get_texts(struct rt_ctx *ctx, struct eds_wire *wire, size_t max)
{
	struct eds_report_texts texts = {.count = eds_get_count(wire, EDS_REPORT_TLS_STRINGS_MAX)};
	const char **items = rt_alloc_array(ctx, texts.count + 1, sizeof *items);

	for (size_t i = 0; i < texts.count; i++)
		items[i] = eds_get_shown(ctx, wire, max);
	texts.items = items;
	return texts;
}

static void get_tls_failures(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	struct eds_report_tls_failure *failures;

	report->tls_failure_count = eds_get_count(wire, EDS_REPORT_TLS_FAILURES_MAX);
	failures = rt_alloc_array(ctx, report->tls_failure_count, sizeof *failures);
	for (size_t i = 0; i < report->tls_failure_count; i++) {
		failures[i].policy = eds_get_u32(wire);
		failures[i].type = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
		failures[i].sessions = eds_get_number(wire);
		failures[i].sending_ip = eds_get_shown(ctx, wire, EDS_REPORT_IP_MAX);
		failures[i].receiving_mx = eds_get_shown(ctx, wire, EDS_REPORT_DOMAIN_MAX);
		failures[i].receiving_helo = eds_get_shown(ctx, wire, EDS_REPORT_DOMAIN_MAX);
		failures[i].receiving_ip = eds_get_shown(ctx, wire, EDS_REPORT_IP_MAX);
		failures[i].information = eds_get_shown(ctx, wire, EDS_REPORT_TEXT_MAX);
		failures[i].reason = eds_get_shown(ctx, wire, EDS_REPORT_REMARK_MAX);
		if (failures[i].policy >= report->tls_policy_count)
			wire->bad = true;
	}
	report->tls_failures = failures;
}

static void get_tls(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	struct eds_report_tls_policy *policies;

	report->other_tls_policies = eds_get_number(wire);
	report->other_tls_failures = eds_get_number(wire);
	report->tls_policy_count = eds_get_count(wire, EDS_REPORT_TLS_POLICIES_MAX);
	policies = rt_alloc_array(ctx, report->tls_policy_count, sizeof *policies);
	for (size_t i = 0; i < report->tls_policy_count; i++) {
		policies[i].type = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
		policies[i].domain = eds_get_shown(ctx, wire, EDS_REPORT_DOMAIN_MAX);
		policies[i].successful = eds_get_number(wire);
		policies[i].failed = eds_get_number(wire);
		policies[i].strings = get_texts(ctx, wire, EDS_REPORT_REMARK_MAX);
		policies[i].mx_hosts = get_texts(ctx, wire, EDS_REPORT_DOMAIN_MAX);
	}
	report->tls_policies = policies;
	get_tls_failures(ctx, wire, report);
}

bool eds_get_report(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	*report = (struct eds_report){.policy = {.pct = -1}};
	get_head(ctx, wire, report);
	if (report->fault == NULL && report->kind == EDS_REPORT_DMARC) {
		eds_get_rows(ctx, wire, report);
		get_signatures(ctx, wire, report);
	} else if (report->fault == NULL) {
		get_tls(ctx, wire, report);
	}
	return eds_wire_finished(wire);
}

bool eds_get_reports_done(struct eds_wire *wire, bool *cut)
{
	*cut = eds_get_bool(wire);
	return eds_wire_finished(wire);
}
