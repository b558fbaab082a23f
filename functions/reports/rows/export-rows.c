#include "functions/reports/rows/export-rows.h"
#include "runtime/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/reports/line.h"
#include "functions/reports/report-json.h"
#include "runtime/json.h"

static const char *const columns[] = {"reportId", "begin", "end", "reporter", "standing", "counts",
	"organization", "externalId", "policyDomain", "source", "disposition", "dkim", "spf",
	"messages", "class", "headerFrom", "envelopeFrom", "envelopeTo", "reasons", "dkimResults",
	"spfResults", NULL};

/* The export of one report's rows. */
struct one {
	struct report_export *export;
	const char *id;
	size_t from;
	size_t next; /* index of the first row that did not fit, if is_cut */
	size_t written;
	bool is_cut;
};

static const char *time_text(struct rt_ctx *ctx, int64_t at_ms)
{
	return at_ms > 0 ? rt_time_format(ctx, at_ms) : NULL;
}

static const char *text_in(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static const char *or_nothing(const char *text)
{
	return text != NULL ? text : "";
}

/* Results as "example.com/s1=pass mailer.example/k1=fail". */
static const char *results_text(struct rt_ctx *ctx, const json_t *list, const char *middle)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, REPORT_EXPORT_CELL_MAX);
	for (size_t i = 0; i < json_array_size(list) && !out.overflow; i++) {
		const json_t *item = json_array_get(list, i);
		const char *text = rt_printf(ctx, "%s%s/%s=%s", i > 0 ? " " : "",
			or_nothing(text_in(item, "domain")), or_nothing(text_in(item, middle)),
			or_nothing(text_in(item, "result")));

		rt_buffer_add(&out, text, strlen(text));
	}
	return out.length > 0 ? rt_memdup(ctx, out.bytes, out.length) : NULL;
}

/* Reasons as "mailing_list forwarded". */
static const char *reasons_text(struct rt_ctx *ctx, const json_t *list)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, REPORT_EXPORT_CELL_MAX);
	for (size_t i = 0; i < json_array_size(list) && !out.overflow; i++) {
		const char *text = or_nothing(text_in(json_array_get(list, i), "type"));

		rt_buffer_text(&out, i > 0 ? " " : "");
		rt_buffer_add(&out, text, strlen(text));
	}
	return out.length > 0 ? rt_memdup(ctx, out.bytes, out.length) : NULL;
}

static void write_report(
	struct rt_ctx *ctx, struct report_sheet *sheet, const struct eds_report_line *line)
{
	const char *reporter = line->origin.reporter;

	report_sheet_text(sheet, line->id);
	report_sheet_text(sheet, time_text(ctx, line->begins_at_ms));
	report_sheet_text(sheet, time_text(ctx, line->ends_at_ms));
	report_sheet_text(sheet, *reporter != '\0' ? reporter : NULL);
	report_sheet_text(sheet, report_standing_name(&line->origin));
	report_sheet_text(sheet, line->counts ? "yes" : "no");
	report_sheet_text(sheet, line->organization);
	report_sheet_text(sheet, line->reporter_id);
	report_sheet_text(sheet, line->policy_domain);
}

static void write_row(struct rt_ctx *ctx, struct report_sheet *sheet, const json_t *row)
{
	static const char *const words[] = {"source", "disposition", "dkim", "spf"};
	static const char *const names[] = {"class", "headerFrom", "envelopeFrom", "envelopeTo"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		report_sheet_text(sheet, text_in(row, words[i]));
	report_sheet_count(sheet, json_integer_value(json_object_get(row, "messages")));
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		report_sheet_text(sheet, text_in(row, names[i]));
	report_sheet_text(sheet, reasons_text(ctx, json_object_get(row, "reasons")));
	report_sheet_text(
		sheet, results_text(ctx, json_object_get(row, "dkimResults"), "selector"));
	report_sheet_text(sheet, results_text(ctx, json_object_get(row, "spfResults"), "scope"));
}

/* Returns false, and writes nothing, when the row does not fit. */
static bool write_line(struct rt_ctx *ctx, struct report_sheet *sheet,
	const struct eds_report_line *line, const json_t *row)
{
	struct rt_buffer *out = sheet->out;
	size_t before = out->length;

	write_report(ctx, sheet, line);
	write_row(ctx, sheet, row);
	if (!out->overflow)
		return true;
	out->length = before;
	out->overflow = false;
	return false;
}

static rt_status write_one(struct rt_ctx *ctx, void *arg)
{
	struct one *one = arg;
	struct report_export *export = one->export;
	struct eds_report_line line;
	const json_t *rows;
	RT_JSON_MEMORY(ctx);

	RT_TRY(report_walk_rows(ctx, &export->walk, one->id, &line, &rows));
	for (one->next = one->from; one->next < json_array_size(rows); one->next++) {
		const json_t *row = json_array_get(rows, one->next);

		if (!report_row_filter_selects(&export->rows, row))
			continue;
		one->is_cut = !write_line(ctx, export->sheet, &line, row);
		if (one->is_cut)
			break;
		one->written++;
	}
	return RT_OK;
}

/* Writes the rows of the report with this id. If not all of its rows fit, writes none of them; but
 * if the report is the first of a page, writes as many rows as fit. */
static rt_status add(struct rt_ctx *ctx, struct report_export *export, const char *id, size_t from)
{
	struct rt_buffer *out = export->sheet->out;
	struct one one = {.export = export, .id = id, .from = from};
	size_t before = out->length;

	RT_TRY(rt_run_apart(ctx, write_one, &one));
	export->walk.done = one.is_cut;
	if (one.is_cut && export->last[0] != '\0') {
		out->length = before;
		return RT_OK;
	}
	if (one.written > 0)
		export->left--;
	if (one.is_cut)
		snprintf(export->last, sizeof export->last, "%s.%zu", id, one.next);
	else
		snprintf(export->last, sizeof export->last, "%s", id);
	return RT_OK;
}

static rt_status on_report(struct rt_ctx *ctx, void *arg, const struct eds_report_line *line)
{
	struct report_export *export = arg;

	if (export->left == 0) {
		export->walk.done = true;
		export->more = true;
		return RT_OK;
	}
	RT_TRY(add(ctx, export, line->id, 0));
	export->more = export->walk.done;
	return RT_OK;
}

/* Writes the rest of a report, whose first `count` rows are on the previous page. Writes nothing if
 * the report has been removed meanwhile. */
static rt_status go_on(struct rt_ctx *ctx, struct report_export *export, const char *count)
{
	rt_status status = add(ctx, export, export->walk.after, strtoul(count, NULL, 10));

	export->more = export->walk.done;
	if (status != RT_NOT_FOUND)
		return status;
	rt_fail_clear(ctx);
	return RT_OK;
}

rt_status report_export_rows(struct rt_ctx *ctx, struct report_export *export, const char *after)
{
	struct report_walk *walk = &export->walk;
	char *count;

	export->sheet->columns = columns;
	report_sheet_head(export->sheet);
	walk->on_report = on_report;
	walk->arg = export;
	walk->class = export->rows.class;
	snprintf(walk->after, sizeof walk->after, "%s", after != NULL ? after : "");
	count = strchr(walk->after, '.');
	if (count != NULL) {
		*count = '\0';
		RT_TRY(go_on(ctx, export, count + 1));
	}
	RT_TRY(report_walk(ctx, walk));
	if (walk->is_late) {
		export->more = true;
		snprintf(export->last, sizeof export->last, "%s", walk->after);
	}
	return RT_OK;
}
