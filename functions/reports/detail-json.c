#include "functions/reports/detail-json.h"

#include <string.h>

#include "functions/reports/line.h"
#include "runtime/json-string.h"

enum {
	DETAIL_BYTES_MAX = 1024 * 1024, /* more than the caps of a report let it have */
};

/* The columns of a row, in the order in which they are kept. */
static const char *const columns[] = {"source", "disposition", "dkim", "spf", "messages"};

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
	if (policy->pct >= 0)
		rt_buffer_format(out, ",\"pct\":%d}", policy->pct);
	else
		rt_buffer_text(out, ",\"pct\":null}");
}

static void put_row(struct rt_buffer *out, const struct eds_report_row *row)
{
	char source[RT_IP_TEXT_MAX] = "";

	if (row->source.family != 0)
		rt_ip_format(&row->source, source);
	report_put_text(out, "[", source);
	rt_buffer_text(out, ",\"");
	rt_buffer_text(out, disposition_name(row->disposition));
	rt_buffer_text(out, "\",\"");
	rt_buffer_text(out, alignment_name(row->dkim));
	rt_buffer_text(out, "\",\"");
	rt_buffer_text(out, alignment_name(row->spf));
	put_count(out, "\",", row->messages);
	rt_buffer_text(out, "]");
}

static void put_rows(struct rt_buffer *out, const struct eds_report *report)
{
	rt_buffer_text(out, ",\"rows\":[");
	for (size_t i = 0; i < report->row_count; i++) {
		if (i > 0)
			rt_buffer_text(out, ",");
		put_row(out, &report->rows[i]);
	}
	rt_buffer_text(out, "]");
	put_count(out, ",\"otherMessages\":", report->messages_of_other_rows);
}

static void put_policies(struct rt_ctx *ctx, struct rt_buffer *out, const struct eds_domain *domain,
	const struct eds_report *report)
{
	const char *before = "{\"type\":";

	rt_buffer_text(out, ",\"policies\":[");
	for (size_t i = 0; i < report->tls_policy_count; i++) {
		const struct eds_report_tls_policy *policy = &report->tls_policies[i];

		if (!report_is_about(ctx, domain, policy->domain))
			continue;
		report_put_text(out, before, policy->type);
		report_put_text(out, ",\"domain\":", policy->domain);
		put_count(out, ",\"successful\":", policy->successful);
		put_count(out, ",\"failed\":", policy->failed);
		rt_buffer_text(out, "}");
		before = ",{\"type\":";
	}
	rt_buffer_text(out, "]");
}

static void put_failures(struct rt_ctx *ctx, struct rt_buffer *out, const struct eds_domain *domain,
	const struct eds_report *report)
{
	const char *before = "{\"type\":";

	rt_buffer_text(out, ",\"failures\":[");
	for (size_t i = 0; i < report->tls_failure_count; i++) {
		const struct eds_report_tls_failure *failure = &report->tls_failures[i];

		if (!report_is_about(ctx, domain, report->tls_policies[failure->policy].domain))
			continue;
		report_put_text(out, before, failure->type);
		put_count(out, ",\"sessions\":", failure->sessions);
		report_put_text(out, ",\"receivingMx\":", failure->receiving_mx);
		report_put_text(out, ",\"reason\":", failure->reason);
		rt_buffer_text(out, "}");
		before = ",{\"type\":";
	}
	rt_buffer_text(out, "]");
}

const char *report_detail_text(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report *report)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, DETAIL_BYTES_MAX);
	report_put_text(&out, "{\"file\":", report->file);
	put_count(&out, ",\"bytes\":", report->xml_bytes);
	rt_buffer_text(&out, report->repaired ? ",\"repaired\":true" : ",\"repaired\":false");
	rt_buffer_text(&out, ",\"policy\":");
	if (report->kind == EDS_REPORT_DMARC)
		put_policy(&out, &report->policy);
	else
		rt_buffer_text(&out, "null");
	put_rows(&out, report);
	put_policies(ctx, &out, domain, report);
	put_failures(ctx, &out, domain, report);
	rt_buffer_text(&out, "}");
	return out.bytes;
}

static json_t *row_json(const json_t *kept)
{
	json_t *row = json_object();

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		rt_json_set(row, columns[i], json_incref(json_array_get(kept, i)));
	return row;
}

rt_status report_detail_json(struct rt_ctx *ctx, const char *text, json_t **json)
{
	json_t *rows = json_array();
	const json_t *kept;

	if (rt_json_parse(ctx, text, strlen(text), json) != RT_OK) {
		rt_fail_clear(ctx);
		return rt_fail(ctx, RT_INTERNAL, "report-damaged",
			"what is stored of the report cannot be read");
	}
	kept = json_object_get(*json, "rows");
	for (size_t i = 0; i < json_array_size(kept); i++)
		rt_json_append(rows, row_json(json_array_get(kept, i)));
	rt_json_set(*json, "rows", rows);
	return RT_OK;
}
