/* reports-sources: GET /api/v1/domains/{id}/sources
 *
 * in    ?from=, ?to= days, by default the last 30; ?result= passed, forwarded, failed: only sources
 *       with such messages; ?class= service, unknown, forwarder; ?limit=, ?cursor=
 * out   200 {"data": [{source, name, operator, network, lists, class, messages, passed,
 *       forwarded, failed, firstDay, lastDay, headerFrom, dkimDomains, spfDomains, finding}, …]},
 *       1000 sources at most, those with the most messages first; Link to the next page
 * err   400 day-invalid, result-invalid, class-invalid, limit-invalid, cursor-invalid; 401;
 *       404 domain-not-found
 *
 * A DNS name is looked up again after a week; a name that was not found, the network and blocklist
 * results after a day; what DNS did not answer after ten minutes. A request looks up the
 * facts that its page lacks, for a second at most and within one event's limit of DNS questions;
 * later requests look up the rest.
 */
#include <string.h>

#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/lib/reports/report.h"
#include "functions/reports/rows/days.h"
#include "functions/reports/sources/source-json.h"
#include "functions/reports/sources/source-name.h"
#include "functions/reports/sources/source-operator.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

struct wanted {
	struct eds_report_sums_query sums;
	int result; /* class of the messages, an enum eds_report_class; -1: any */
	int class;  /* class of the sources, an enum report_source_class; -1: any */
	struct eds_page page;
};

static rt_status read_class(struct rt_ctx *ctx, const struct rt_request *req, int *class)
{
	const char *text = rt_request_query(req, "class");

	*class = -1;
	if (text == NULL)
		return RT_OK;
	for (int i = 0; i < REPORT_SOURCE_CLASSES; i++)
		if (strcmp(text, report_source_class_name((enum report_source_class)i)) == 0)
			*class = i;
	if (*class >= 0)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "class-invalid",
		"class= must be one of service, unknown and forwarder");
}

static rt_status read_wanted(
	struct rt_ctx *ctx, const struct rt_request *req, struct wanted *wanted)
{
	static const char *const repeats[] = {"from", "to", "result", "class", NULL};

	wanted->sums.reporter = "";
	RT_TRY(report_days_read(ctx, req, &wanted->sums));
	wanted->sums.class = -1;
	RT_TRY(report_class_read(ctx, req, "result", &wanted->result));
	RT_TRY(read_class(ctx, req, &wanted->class));
	RT_TRY(eds_page_read(ctx, req, &wanted->page));
	wanted->page.repeats = repeats;
	return RT_OK;
}

/* The key of a source for paging. The source of messages with unreadable addresses has no key of
 * its own. */
static const char *key_of(const struct eds_report_source *source)
{
	return *source->sum.key != '\0' ? source->sum.key : "unreadable";
}

static bool is_wanted(
	struct rt_ctx *ctx, const struct wanted *wanted, const struct eds_report_source *source)
{
	const int64_t results[EDS_CLASSES] = {
		[EDS_CLASS_PASSED] = source->sum.passed,
		[EDS_CLASS_FORWARDED] = source->sum.forwarded,
		[EDS_CLASS_FAILED] = source->sum.failed,
	};

	if (wanted->result >= 0 && results[wanted->result] == 0)
		return false;
	return wanted->class < 0 || (int)report_source_class(ctx, source) == wanted->class;
}

/* Removes the sources that the filters exclude, and the sources up to the cursor, which earlier
 * pages have shown. Returns the number of sources that are left. */
static size_t choose(struct rt_ctx *ctx, const struct wanted *wanted,
	struct eds_report_source *sources, size_t count)
{
	const char *after = wanted->page.after;
	bool is_behind = after == NULL;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool is_cursor = after != NULL && strcmp(key_of(&sources[i]), after) == 0;

		if (is_behind && is_wanted(ctx, wanted, &sources[i]))
			sources[kept++] = sources[i];
		is_behind = is_behind || is_cursor;
	}
	return kept;
}

static rt_status name(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_report_source *sources, size_t count)
{
	struct eds_report_source *asked;
	size_t asked_count;

	RT_TRY(report_sources_name(ctx, sources, count, true, &asked, &asked_count));
	return eds_store_source_names_keep(ctx, store, asked, asked_count);
}

static rt_status list_sources(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct wanted wanted = {0};
	struct eds_report_source *sources;
	struct eds_domain domain;
	struct eds_store *store;
	json_t *list = json_array();
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(read_wanted(ctx, req, &wanted));
	RT_TRY(eds_store_report_sources(ctx, store, &domain, &wanted.sums, &sources, &count));
	count = choose(ctx, &wanted, sources, count);
	if (eds_page_cut(&wanted.page, &count))
		eds_page_next(ctx, req, &wanted.page, key_of(&sources[count - 1]), res);
	RT_TRY(name(ctx, store, sources, count));
	for (size_t i = 0; i < count; i++)
		rt_json_append(list, report_source_json(ctx, &domain, &sources[i]));
	return rt_respond_data(ctx, res, 200, list);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {
		"from", "to", "result", "class", "limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_sources);
}
