#include "functions/reports/report-json.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <inttypes.h>

#include "functions/reports/detail-json.h"
#include "functions/reports/line-read.h"
#include "functions/reports/line.h"

static void write_time(struct rt_buffer *out, const char *name, int64_t at_ms)
{
	report_put_text(out, name, at_ms > 0 ? rt_time_format(out->ctx, at_ms) : NULL);
}

static void write_count(struct rt_buffer *out, const char *name, int64_t count)
{
	rt_buffer_format(out, "%s%" PRId64, name, count);
}

static void write_reporter(struct rt_buffer *out, const struct eds_report_line *line)
{
	report_put_text(out, ",\"mailFrom\":", line->mail_from);
	report_put_text(out, ",\"organization\":", line->organization);
	report_put_text(out, ",\"contact\":", line->contact);
	report_put_text(out, ",\"externalId\":", line->reporter_id);
	report_put_text(out, ",\"policyDomain\":", line->policy_domain);
	write_time(out, ",\"period\":{\"begin\":", line->begins_at_ms);
	write_time(out, ",\"end\":", line->ends_at_ms);
	rt_buffer_text(out, "}");
}

const char *report_standing_name(const struct eds_report_origin *origin)
{
	if (!origin->judged)
		return "unjudged";
	if (!report_standing_is_blocked(origin->standing) && eds_report_is_upload(origin))
		return "uploaded";
	if (*origin->standing != '\0')
		return origin->standing;
	return origin->verified ? "verified" : "unverified";
}

static void write_origin(struct rt_buffer *out, const struct eds_report_line *line)
{
	const struct eds_report_origin *origin = &line->origin;
	bool counts = line->counts && report_line_was_read(line);

	report_put_text(out, ",\"reporter\":{\"domain\":", origin->reporter);
	report_put_text(out, ",\"standing\":", report_standing_name(origin));
	report_put_text(out, ",\"spf\":", origin->spf);
	report_put_text(out, ",\"dkim\":", origin->dkim);
	report_put_text(out, ",\"dmarc\":", origin->dmarc);
	rt_buffer_text(out, counts ? "},\"counts\":true" : "},\"counts\":false");
}

static void write_reason(struct rt_buffer *out, const struct eds_report_line *line)
{
	if (line->reason_code == NULL) {
		rt_buffer_text(out, ",\"reason\":null");
		return;
	}
	report_put_text(out, ",\"reason\":{\"code\":", line->reason_code);
	report_put_text(out, ",\"message\":", line->reason);
	rt_buffer_text(out, "}");
}

static void write_fields(struct rt_buffer *out, const struct eds_report_line *line)
{
	report_put_text(out, "{\"id\":", line->id);
	report_put_text(out, ",\"kind\":", line->kind);
	report_put_text(out, ",\"state\":", line->state);
	report_put_text(out, ",\"via\":", line->origin.way);
	write_time(out, ",\"receivedAt\":", line->received_at_ms);
	write_reporter(out, line);
	write_count(out, ",\"records\":", line->records);
	write_count(out, ",\"total\":", line->total);
	write_count(out, ",\"passed\":", line->passed);
	write_count(out, ",\"forwarded\":", line->forwarded);
	write_count(out, ",\"failed\":", line->failed);
	rt_buffer_text(out, ",\"discovered\":");
	rt_buffer_text(out, line->discovered);
	write_reason(out, line);
	write_origin(out, line);
}

void report_write_entry(struct rt_buffer *out, const struct eds_report_line *line)
{
	write_fields(out, line);
	rt_buffer_text(out, "}");
}

rt_status report_write_whole(
	struct rt_buffer *out, const struct eds_domain *domain, const struct eds_report_line *line)
{
	json_t *detail = NULL;
	json_t *selectors = json_array();

	if (report_line_was_read(line))
		RT_TRY(report_detail_json(out->ctx, domain, line, &detail, &selectors));
	write_fields(out, line);
	rt_buffer_text(out, ",\"selectors\":");
	rt_json_write(out, selectors);
	rt_buffer_text(out, ",\"report\":");
	if (detail != NULL)
		rt_json_write(out, detail);
	else
		rt_buffer_text(out, "null");
	rt_buffer_text(out, "}");
	return RT_OK;
}
