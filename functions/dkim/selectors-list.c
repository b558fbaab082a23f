/* dkim-selectors-list: GET /api/v1/domains/{id}/dkim/selectors
 *
 * in    ?search= a part of the name; ?state= active, unused, revoked, invalid, unknown; ?sort=
 *       selector, -selector, createdAt, -createdAt; ?limit=, ?cursor=
 * out   200 {"data": [{selector, valid, keyType, keySize, errors, warnings, addedManually,
 *           checkedAt, state, evidence}, …]}, by name if sort is missing; Link to the next page
 * err   400 search-invalid, state-invalid, sort-invalid, limit-invalid, cursor-invalid; 401; 404
 *       domain-not-found; 429 answer-too-large
 */
#include "functions/dkim/selector-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/lib/store/selectors/selector-list.h"
#include "runtime/event/handler.h"

static void write_entries(
	struct selector_body *body, const struct eds_selector *selectors, size_t count)
{
	rt_buffer_text(&body->text, "[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			rt_buffer_text(&body->text, ",");
		selector_write_entry(body, &selectors[i]);
	}
	rt_buffer_text(&body->text, "]");
}

/* The cursor text of the page's last row: "s1", or "1764000000000.s1" when sorted by age. */
static const char *place_of(struct rt_ctx *ctx, const struct eds_selector_query *wanted,
	const struct eds_selector *selector)
{
	return eds_order_is_by_age(wanted->order)
		? eds_page_timed_key(ctx, selector->created_at_ms, rt_lower(ctx, selector->name))
		: selector->name;
}

static rt_status read_wanted(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_selector_query *wanted)
{
	static const char *const sorts[] = {[EDS_BY_NAME] = "selector",
		[EDS_BY_NAME_DOWN] = "-selector",
		[EDS_BY_AGE] = "createdAt",
		[EDS_BY_AGE_DOWN] = "-createdAt",
		NULL};
	static const char *const states[] = {
		"active", "unused", "revoked", "invalid", "unknown", NULL};
	const char *search;
	int sort;
	int state;

	*wanted = (struct eds_selector_query){
		.order = EDS_BY_NAME, .active_since_ms = selector_active_since()};
	if (!eds_page_choice(req, "sort", sorts, &sort))
		return rt_fail(ctx, RT_BAD_INPUT, "sort-invalid",
			"sort= must be one of selector, -selector, createdAt and -createdAt");
	if (!eds_page_choice(req, "state", states, &state))
		return rt_fail(ctx, RT_BAD_INPUT, "state-invalid",
			"state= must be one of active, unused, revoked, invalid and unknown");
	if (sort >= 0)
		wanted->order = (enum eds_order)sort;
	if (state >= 0)
		wanted->state = states[state];
	RT_TRY(eds_page_search(ctx, req, &search));
	wanted->part = search[0] != '\0' ? rt_lower(ctx, search) : NULL;
	return RT_OK;
}

static rt_status read_page(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_selector_query *wanted, struct eds_selector *place, struct eds_page *page)
{
	static const char *const repeats[] = {"search", "state", "sort", NULL};
	const char *asked = "";

	RT_TRY(eds_page_read(ctx, req, page));
	RT_TRY(read_wanted(ctx, req, wanted));
	if (wanted->order != EDS_BY_NAME || wanted->state != NULL || wanted->part != NULL)
		asked = rt_printf(ctx, "%d %s %s", (int)wanted->order,
			wanted->state != NULL ? wanted->state : "any",
			wanted->part != NULL ? wanted->part : "");
	RT_TRY(eds_page_bind(ctx, page, repeats, asked));
	wanted->limit = page->rows;
	if (page->after == NULL)
		return RT_OK;
	*place = (struct eds_selector){.name = page->after};
	wanted->after = place;
	if (!eds_order_is_by_age(wanted->order))
		return RT_OK;
	return eds_page_read_timed_key(ctx, page, &place->created_at_ms, &place->name);
}

static rt_status list_selectors(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_selector *selectors;
	struct eds_domain domain;
	struct eds_store *store;
	struct selector_body body;
	struct eds_page page;
	struct eds_selector place;
	struct eds_selector_query wanted;
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(read_page(ctx, req, &wanted, &place, &page));
	RT_TRY(eds_store_selector_list(ctx, store, &domain, &wanted, &selectors, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, place_of(ctx, &wanted, &selectors[count - 1]), res);
	selector_body_begin(ctx, &body);
	write_entries(&body, selectors, count);
	return selector_body_respond(ctx, &body, res, 200);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"search", "state", "sort", "limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_selectors);
}
