/* reports-export: GET /api/v1/domains/{id}/report-export
 *
 * in    ?format= csv, jsonl; ?what= rows, sums; ?from=, ?to= days, by default the last 30;
 *       ?reporter= the domain of the sender; ?result= passed, forwarded, failed; for sums ?by= day,
 *       source, reporter, disposition; for rows the other filters of row-filter.h; ?limit= the
 *       number of reports or sums, ?cursor=
 * out   200 text/csv or application/jsonl, with a Link to the next page: the rows of DMARC reports,
 *       newest first, by default of 200 reports (a page may begin within a report that is longer
 *       than an answer); or the sums, by default 1000
 * err   400 format-invalid, what-invalid, by-invalid, day-invalid, result-invalid,
 *       source-invalid, disposition-invalid, limit-invalid, cursor-invalid; 401;
 *       404 domain-not-found
 */
#include <string.h>

#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/reports/rows/days.h"
#include "functions/reports/rows/export-rows.h"
#include "functions/reports/rows/sum-by.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/text/json-string.h"
#include "runtime/time.h"

enum {
	/* An answer may have 6 MB, including the JSON around its body; base64 adds a third. */
	BODY_BYTES_MAX = 4 * 1024 * 1024,
	TEXT_BYTES_MAX = BODY_BYTES_MAX / 3 * 4,
	REPORTS = 200,
};

struct exporting {
	const struct rt_request *req;
	struct eds_store *store;
	struct eds_domain domain;
	struct eds_report_sums_query days;
	const char *reporter; /* ?reporter= in lower case; NULL: reports of all reporters */
	struct rt_buffer body;
	struct report_sheet sheet;
};

/* Reads a parameter that must have one of two values. False if the parameter has another value or
 * is missing. */
static bool choose(
	const struct rt_request *req, const char *name, const char *const words[2], bool *is_second)
{
	const char *text = rt_request_query(req, name);

	*is_second = text != NULL && strcmp(text, words[1]) == 0;
	return *is_second || (text != NULL && strcmp(text, words[0]) == 0);
}

static rt_status read_choices(
	struct rt_ctx *ctx, const struct rt_request *req, bool *jsonl, bool *sums)
{
	static const char *const formats[2] = {"csv", "jsonl"};
	static const char *const contents[2] = {"rows", "sums"};

	if (!choose(req, "format", formats, jsonl))
		return rt_fail(ctx, RT_BAD_INPUT, "format-invalid", "format= must be csv or jsonl");
	if (!choose(req, "what", contents, sums))
		return rt_fail(ctx, RT_BAD_INPUT, "what-invalid", "what= must be rows or sums");
	return RT_OK;
}

/* Refuses filters that only work for rows: sums do not keep the addresses and signatures of the
 * rows that they add up. */
static rt_status refuse_row_filters(struct rt_ctx *ctx, const struct rt_request *req)
{
	static const char *const names[] = {REPORT_ROW_FILTERS, NULL};

	for (size_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], "result") != 0 && rt_request_query(req, names[i]) != NULL)
			return rt_fail(ctx, RT_BAD_INPUT, "what-invalid",
				"%s= selects rows, and can only be used with what=rows", names[i]);
	return RT_OK;
}

/* The filters of the request with their values, as text; "" without filters. */
static const char *filters_text(struct rt_ctx *ctx, const struct rt_request *req)
{
	static const char *const names[] = {"reporter", REPORT_ROW_FILTERS, NULL};
	const char *text = "";

	for (size_t i = 0; names[i] != NULL; i++) {
		const char *value = rt_request_query(req, names[i]);

		if (value != NULL)
			text = rt_printf(ctx, "%s%s=%s\n", text, names[i], value);
	}
	return text;
}

static rt_status read_sums_query(struct rt_ctx *ctx, struct exporting *e, struct eds_page *page)
{
	static const char *const repeats[] = {
		"format", "what", "by", "from", "to", "reporter", "result", NULL};
	const char *asked;

	RT_TRY(report_by_read(ctx, e->req, &e->days.by));
	RT_TRY(refuse_row_filters(ctx, e->req));
	RT_TRY(report_class_read(ctx, e->req, "result", &e->days.class));
	e->days.reporter = e->reporter != NULL ? e->reporter : "";
	e->days.all = true;
	asked = rt_printf(ctx, "by=%s\n%s", report_by_name(e->days.by), filters_text(ctx, e->req));
	RT_TRY(eds_page_read(ctx, e->req, page));
	RT_TRY(eds_page_bind(ctx, page, repeats, asked));
	if (page->limit == 0)
		page->limit = EDS_REPORT_SUMS_MAX;
	return RT_OK;
}

/* The key of a sum for paging. A sum has no key when the address of its rows is unreadable, or when
 * their reporter is not known. */
static const char *key_of(const struct eds_report_sum *sum)
{
	return *sum->key != '\0' ? sum->key : "none";
}

/* Sets *first to the index after the sum with the key `after`. Fails when there is no such sum: its
 * reports were removed or no longer count, or its days are no longer among those asked for. */
static rt_status find_after(struct rt_ctx *ctx, const struct eds_report_sum *sums, size_t count,
	const char *after, size_t *first)
{
	for (*first = 0; after != NULL && *first < count; ++*first)
		if (strcmp(key_of(&sums[*first]), after) == 0) {
			++*first;
			return RT_OK;
		}
	if (after == NULL)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "cursor-invalid",
		"the sum that the cursor names is gone: begin without the cursor");
}

static void write_sum(struct rt_ctx *ctx, struct exporting *e, const struct eds_report_sum *sum)
{
	report_sheet_text(&e->sheet, report_by_key(ctx, e->days.by, sum->key));
	report_sheet_count(&e->sheet, sum->passed + sum->forwarded + sum->failed);
	report_sheet_count(&e->sheet, sum->passed);
	report_sheet_count(&e->sheet, sum->forwarded);
	report_sheet_count(&e->sheet, sum->failed);
	report_sheet_text(&e->sheet, report_day_text(ctx, sum->first_day));
	report_sheet_text(&e->sheet, report_day_text(ctx, sum->last_day));
}

static rt_status write_sums(struct rt_ctx *ctx, struct exporting *e, struct rt_response *res)
{
	static const char *const columns[] = {
		"key", "messages", "passed", "forwarded", "failed", "firstDay", "lastDay", NULL};
	struct eds_report_sum *sums;
	struct eds_page page;
	size_t first;
	size_t count;

	RT_TRY(read_sums_query(ctx, e, &page));
	RT_TRY(eds_store_report_sums(ctx, e->store, &e->domain, &e->days, &sums, &count));
	RT_TRY(find_after(ctx, sums, count, page.after, &first));
	count -= first;
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, e->req, &page, key_of(&sums[first + count - 1]), res);
	e->sheet.columns = columns;
	report_sheet_head(&e->sheet);
	for (size_t i = first; i < first + count; i++)
		write_sum(ctx, e, &sums[i]);
	return RT_OK;
}

static rt_status write_rows(struct rt_ctx *ctx, struct exporting *e, struct rt_response *res)
{
	static const char *const repeats[] = {
		"format", "what", "from", "to", "reporter", REPORT_ROW_FILTERS, NULL};
	struct eds_page page;
	struct report_export export = {
		.walk = {.store = e->store,
			.domain = &e->domain,
			.from_day = e->days.from_day,
			.to_day = e->days.to_day,
			.reporter = e->reporter,
			.until_ms = rt_monotonic_ms() + rt_remaining_ms(ctx) / 2},
		.sheet = &e->sheet};

	RT_TRY(report_row_filter_read(ctx, e->req, &export.rows));
	RT_TRY(eds_page_read(ctx, e->req, &page));
	RT_TRY(eds_page_bind(ctx, &page, repeats, filters_text(ctx, e->req)));
	if (page.limit == 0)
		page.limit = REPORTS;
	export.left = (size_t)page.limit;
	RT_TRY(report_export_rows(ctx, &export, page.after));
	if (export.more)
		eds_page_next(ctx, e->req, &page, export.last, res);
	return RT_OK;
}

static rt_status export_reports(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct exporting *e = rt_alloc(ctx, sizeof *e);
	bool jsonl;
	bool sums;

	e->req = req;
	RT_TRY(eds_store_open(ctx, &e->store));
	RT_TRY(eds_auth_domain(ctx, req, e->store, &e->domain));
	RT_TRY(read_choices(ctx, req, &jsonl, &sums));
	RT_TRY(report_days_read(ctx, req, &e->days));
	e->reporter = rt_request_query(req, "reporter");
	if (e->reporter != NULL)
		e->reporter = rt_lower(ctx, e->reporter);
	rt_buffer_init(&e->body, ctx, BODY_BYTES_MAX);
	e->sheet.out = &e->body;
	e->sheet.format = jsonl ? REPORT_SHEET_JSONL : REPORT_SHEET_CSV;
	RT_TRY(sums ? write_sums(ctx, e, res) : write_rows(ctx, e, res));
	rt_response_header(res, "content-disposition",
		rt_printf(ctx, "attachment; filename=\"%s-%s.%s\"", e->domain.name,
			sums ? "sums" : "rows", jsonl ? "jsonl" : "csv"));
	return rt_respond_bytes(ctx, res, 200,
		jsonl ? "application/jsonl" : "text/csv; charset=utf-8", e->body.bytes,
		e->body.length,
		rt_json_string_length(e->body.bytes, e->body.length) > TEXT_BYTES_MAX);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"format", "what", "by", "from", "to", "reporter",
		REPORT_ROW_FILTERS, "limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, export_reports);
}
