#include "functions/reports/detail-json.h"
#include "functions/lib/store/reports/report-named-json.h"
#include "runtime/json-format.h"

#include <inttypes.h>
#include <string.h>

#include "functions/reports/line.h"
#include "functions/reports/rows/row-json.h"
#include "runtime/text/json-string.h"

enum {
	/* maximum length of a stored body; a report within the limits of
	 * functions/lib/reports/report.h needs less */
	DETAIL_BYTES_MAX = 8 * 1024 * 1024,
};

void report_put_text(struct rt_buffer *out, const char *before, const char *text)
{
	rt_buffer_text(out, before);
	if (report_text(text) != NULL)
		rt_json_string_add(out, text, strlen(text));
	else
		rt_buffer_text(out, "null");
}

static void put_count(struct rt_buffer *out, const char *before, uint64_t count)
{
	rt_buffer_text(out, before);
	rt_buffer_integer(out, report_count(count));
}

static void put_policy(struct rt_buffer *out, const struct eds_report_policy *policy)
{
	report_put_text(out, "{\"p\":", policy->p);
	report_put_text(out, ",\"sp\":", policy->sp);
	report_put_text(out, ",\"np\":", policy->np);
	report_put_text(out, ",\"adkim\":", policy->adkim);
	report_put_text(out, ",\"aspf\":", policy->aspf);
	report_put_text(out, ",\"testing\":", policy->testing);
	report_put_text(out, ",\"fo\":", policy->fo);
	report_put_text(out, ",\"discoveryMethod\":", policy->discovery);
	if (policy->pct >= 0)
		rt_buffer_format(out, ",\"pct\":%d}", policy->pct);
	else
		rt_buffer_text(out, ",\"pct\":null}");
}

static void put_errors(struct rt_buffer *out, const struct eds_report *report)
{
	rt_buffer_text(out, ",\"errors\":[");
	for (size_t i = 0; i < report->error_count; i++)
		report_put_text(out, i > 0 ? "," : "", report->errors[i]);
	rt_buffer_text(out, "]");
}

/* Writes the members that describe the whole report. */
static void put_head(struct rt_buffer *out, const struct eds_report *report)
{
	report_put_text(out, "{\"file\":", report->file);
	put_count(out, ",\"bytes\":", report->xml_bytes);
	rt_buffer_text(out, report->repaired ? ",\"repaired\":true" : ",\"repaired\":false");
	report_put_text(out, ",\"version\":", report->version);
	report_put_text(out, ",\"generator\":", report->generator);
	report_put_text(out, ",\"extraContact\":", report->extra_contact);
	put_errors(out, report);
	rt_buffer_text(out, ",\"policy\":");
	if (report->kind == EDS_REPORT_DMARC)
		put_policy(out, &report->policy);
	else
		rt_buffer_text(out, "null");
}

static void put_texts(
	struct rt_buffer *out, const char *before, const struct eds_report_texts *texts)
{
	rt_buffer_text(out, before);
	for (size_t i = 0; i < texts->count; i++)
		report_put_text(out, i > 0 ? "," : "", texts->items[i]);
	rt_buffer_text(out, "]");
}

static void put_policies(struct rt_buffer *out, const struct eds_report *report)
{
	const char *before = "{\"type\":";

	rt_buffer_text(out, ",\"policies\":[");
	for (size_t i = 0; i < report->tls_policy_count; i++) {
		const struct eds_report_tls_policy *policy = &report->tls_policies[i];

		report_put_text(out, before, policy->type);
		report_put_text(out, ",\"domain\":", policy->domain);
		put_count(out, ",\"successful\":", policy->successful);
		put_count(out, ",\"failed\":", policy->failed);
		put_texts(out, ",\"strings\":[", &policy->strings);
		put_texts(out, ",\"mxHosts\":[", &policy->mx_hosts);
		rt_buffer_text(out, "}");
		before = ",{\"type\":";
	}
	rt_buffer_text(out, "]");
}

static void put_failures(struct rt_buffer *out, const struct eds_report *report)
{
	const char *before = "{\"type\":";

	rt_buffer_text(out, ",\"failures\":[");
	for (size_t i = 0; i < report->tls_failure_count; i++) {
		const struct eds_report_tls_failure *failure = &report->tls_failures[i];

		report_put_text(out, before, failure->type);
		put_count(out, ",\"policy\":", failure->policy);
		put_count(out, ",\"sessions\":", failure->sessions);
		report_put_text(out, ",\"sendingIp\":", failure->sending_ip);
		report_put_text(out, ",\"receivingMx\":", failure->receiving_mx);
		report_put_text(out, ",\"receivingHelo\":", failure->receiving_helo);
		report_put_text(out, ",\"receivingIp\":", failure->receiving_ip);
		report_put_text(out, ",\"information\":", failure->information);
		report_put_text(out, ",\"reason\":", failure->reason);
		rt_buffer_text(out, "}");
		before = ",{\"type\":";
	}
	rt_buffer_text(out, "]");
}

size_t report_signatures_kept(const struct eds_report *report)
{
	return report->signature_count < EDS_REPORT_SHOWN_MAX ? report->signature_count
							      : EDS_REPORT_SHOWN_MAX;
}

static void put_signatures(struct rt_buffer *out, const struct eds_report *report)
{
	const char *before = "[";

	rt_buffer_text(out, ",\"signatures\":[");
	for (size_t i = 0; i < report_signatures_kept(report); i++) {
		const struct eds_report_signature *signature = &report->signatures[i];
		int64_t messages = report_count(signature->messages);
		int64_t passed = report_count(signature->passed);

		rt_buffer_text(out, before);
		rt_json_string_add(out, signature->domain, strlen(signature->domain));
		rt_buffer_text(out, ",");
		rt_json_string_add(out, signature->selector, strlen(signature->selector));
		rt_buffer_format(out, ",%" PRId64 ",%" PRId64 "]", passed, messages - passed);
		before = ",[";
	}
	rt_buffer_text(out, "]");
}

const char *report_body_text(struct rt_ctx *ctx, const struct eds_report *report)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, DETAIL_BYTES_MAX);
	put_head(&out, report);
	report_put_rows(&out, report);
	put_count(&out, ",\"otherMessages\":", report->messages_of_other_rows);
	put_policies(&out, report);
	put_failures(&out, report);
	put_signatures(&out, report);
	rt_buffer_text(&out, "}");
	return out.bytes;
}

static bool is_about(struct rt_ctx *ctx, const struct eds_domain *domain, const json_t *policy)
{
	const char *name = rt_json_string(policy, "domain");

	return name != NULL && report_is_about(ctx, domain, name);
}

/* Adds the members that earlier releases did not store. */
static void fill_up(json_t *policies, json_t *failures)
{
	static const char *const details[] = {
		"sendingIp", "receivingHelo", "receivingIp", "information"};

	for (size_t i = 0; i < json_array_size(policies); i++) {
		json_t *policy = json_array_get(policies, i);

		if (json_object_get(policy, "strings") == NULL)
			rt_json_set(policy, "strings", json_array());
		if (json_object_get(policy, "mxHosts") == NULL)
			rt_json_set(policy, "mxHosts", json_array());
	}
	for (size_t i = 0; i < json_array_size(failures); i++)
		for (size_t j = 0; j < sizeof details / sizeof details[0]; j++)
			if (json_object_get(json_array_get(failures, i), details[j]) == NULL)
				rt_json_set(json_array_get(failures, i), details[j], json_null());
}

/* Keeps only the policies about this domain: other policies are about domains of other owners. */
static void show_policies(struct rt_ctx *ctx, const struct eds_domain *domain, json_t *report)
{
	const json_t *kept = json_object_get(report, "policies");
	const json_t *failed = json_object_get(report, "failures");
	json_t *policies = json_array();
	json_t *failures = json_array();

	for (size_t i = 0; i < json_array_size(failed); i++) {
		json_t *failure = json_array_get(failed, i);
		json_int_t policy = json_integer_value(json_object_get(failure, "policy"));

		json_object_del(failure, "policy");
		if (is_about(ctx, domain, json_array_get(kept, (size_t)policy)))
			rt_json_append(failures, json_incref(failure));
	}
	for (size_t i = 0; i < json_array_size(kept); i++)
		if (is_about(ctx, domain, json_array_get(kept, i)))
			rt_json_append(policies, json_incref(json_array_get(kept, i)));
	fill_up(policies, failures);
	rt_json_set(report, "policies", policies);
	rt_json_set(report, "failures", failures);
}

/* The selectors of the stored signatures. outcomes: one letter for each signature, its outcome in
 * this log. */
static json_t *take_selectors(struct rt_ctx *ctx, json_t *report, const char *outcomes)
{
	static const char *const names[] = {"domain", "selector", NULL, "passCount", "failCount"};
	const json_t *kept = json_object_get(report, "signatures");
	json_t *selectors = json_array();

	for (size_t i = 0; i < json_array_size(kept) && outcomes[i] != '\0'; i++) {
		const json_t *signature = json_array_get(kept, i);
		json_t *json = json_object();

		for (size_t from = 0, to = 0; to < sizeof names / sizeof names[0]; to++) {
			if (names[to] == NULL)
				rt_json_set_text(
					ctx, json, "outcome", eds_named_outcome_name(outcomes[i]));
			else
				rt_json_set(json, names[to],
					json_incref(json_array_get(signature, from++)));
		}
		rt_json_append(selectors, json);
	}
	json_object_del(report, "signatures");
	return selectors;
}

static rt_status read_kept(struct rt_ctx *ctx, const char *text, json_t **json)
{
	if (rt_json_parse(ctx, text, strlen(text), json) == RT_OK)
		return RT_OK;
	rt_fail_clear(ctx);
	return rt_fail(ctx, RT_INTERNAL, "report-damaged", "the stored report cannot be read");
}

/* A line without a body is from a release that stored no bodies. Such a line itself contains the
 * selectors and the details of the report, as far as they are about the domain. */
rt_status report_detail_json(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_line *line, json_t **report, json_t **selectors)
{
	if (line->body == NULL) {
		RT_TRY(read_kept(ctx, line->selectors, selectors));
		RT_TRY(read_kept(ctx, line->detail, report));
		report_show_rows(*report);
		fill_up(json_object_get(*report, "policies"), json_object_get(*report, "failures"));
		return RT_OK;
	}
	RT_TRY(read_kept(ctx, line->body, report));
	report_show_rows(*report);
	show_policies(ctx, domain, *report);
	*selectors = take_selectors(ctx, *report, line->outcomes);
	return RT_OK;
}
