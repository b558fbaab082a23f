#include "functions/reports/detail-json.h"

#include <string.h>

#include "functions/reports/line.h"
#include "runtime/json.h"

static const char *disposition_name(enum eds_report_disposition disposition)
{
	static const char *const names[] = {
		[EDS_DISPOSITION_UNKNOWN] = "unknown",
		[EDS_DISPOSITION_NONE] = "none",
		[EDS_DISPOSITION_PASS] = "pass",
		[EDS_DISPOSITION_QUARANTINE] = "quarantine",
		[EDS_DISPOSITION_REJECT] = "reject",
	};

	return names[disposition];
}

static const char *alignment_name(enum eds_report_alignment alignment)
{
	static const char *const names[] = {
		[EDS_ALIGNMENT_UNKNOWN] = "unknown",
		[EDS_ALIGNMENT_PASS] = "pass",
		[EDS_ALIGNMENT_FAIL] = "fail",
	};

	return names[alignment];
}

/* What the reporter did not say is null. */
static void set_word(struct rt_ctx *ctx, json_t *json, const char *name, const char *word)
{
	rt_json_set_text(ctx, json, name, report_text(word));
}

static void set_count(json_t *json, const char *name, uint64_t count)
{
	rt_json_set(json, name, json_integer(report_count(count)));
}

static json_t *policy_json(struct rt_ctx *ctx, const struct eds_report_policy *policy)
{
	json_t *json = json_object();

	set_word(ctx, json, "p", policy->p);
	set_word(ctx, json, "sp", policy->sp);
	set_word(ctx, json, "np", policy->np);
	set_word(ctx, json, "adkim", policy->adkim);
	set_word(ctx, json, "aspf", policy->aspf);
	set_word(ctx, json, "testing", policy->testing);
	rt_json_set(json, "pct", policy->pct >= 0 ? json_integer(policy->pct) : NULL);
	return json;
}

static json_t *row_json(struct rt_ctx *ctx, const struct eds_report_row *row)
{
	char source[RT_IP_TEXT_MAX] = "";
	json_t *json = json_object();

	if (row->source.family != 0)
		rt_ip_format(&row->source, source);
	set_word(ctx, json, "source", source);
	set_word(ctx, json, "disposition", disposition_name(row->disposition));
	set_word(ctx, json, "dkim", alignment_name(row->dkim));
	set_word(ctx, json, "spf", alignment_name(row->spf));
	set_count(json, "messages", row->messages);
	return json;
}

static json_t *tls_policy_json(struct rt_ctx *ctx, const struct eds_report_tls_policy *policy)
{
	json_t *json = json_object();

	set_word(ctx, json, "type", policy->type);
	set_word(ctx, json, "domain", policy->domain);
	set_count(json, "successful", policy->successful);
	set_count(json, "failed", policy->failed);
	return json;
}

static json_t *tls_failure_json(struct rt_ctx *ctx, const struct eds_report_tls_failure *failure)
{
	json_t *json = json_object();

	set_word(ctx, json, "type", failure->type);
	set_count(json, "sessions", failure->sessions);
	set_word(ctx, json, "receivingMx", failure->receiving_mx);
	set_word(ctx, json, "reason", failure->reason);
	return json;
}

static json_t *rows_json(struct rt_ctx *ctx, const struct eds_report *report)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < report->row_count; i++)
		rt_json_append(rows, row_json(ctx, &report->rows[i]));
	return rows;
}

static void set_tls(struct rt_ctx *ctx, json_t *json, const struct eds_domain *domain,
	const struct eds_report *report)
{
	json_t *policies = json_array();
	json_t *failures = json_array();

	for (size_t i = 0; i < report->tls_policy_count; i++)
		if (report_is_about(ctx, domain, report->tls_policies[i].domain))
			rt_json_append(policies, tls_policy_json(ctx, &report->tls_policies[i]));
	for (size_t i = 0; i < report->tls_failure_count; i++)
		if (report_is_about(ctx, domain,
			    report->tls_policies[report->tls_failures[i].policy].domain))
			rt_json_append(failures, tls_failure_json(ctx, &report->tls_failures[i]));
	rt_json_set(json, "policies", policies);
	rt_json_set(json, "failures", failures);
}

const char *report_detail_json(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report)
{
	bool dmarc = report->kind == EDS_REPORT_DMARC;
	json_t *json = json_object();

	set_word(ctx, json, "file", report->file);
	set_count(json, "bytes", report->xml_bytes);
	rt_json_set(json, "repaired", json_boolean(report->repaired));
	rt_json_set(json, "policy", dmarc ? policy_json(ctx, &report->policy) : NULL);
	rt_json_set(json, "rows", rows_json(ctx, report));
	set_count(json, "otherMessages", report->messages_of_other_rows);
	set_tls(ctx, json, domain, report);
	return rt_json_format(ctx, json, NULL);
}
