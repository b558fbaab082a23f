/* domains-list: GET /api/v1/domains
 *
 * in    ?search= a part of the name, in A-labels or U-labels; ?state= ok, warning, error, unknown;
 *       ?sort= name, -name, createdAt, -createdAt; ?limit=, ?cursor=
 * out   200 {"data": [{id, name, createdAt, reportAddress, expectedRecords, posture}, …]}, by name
 *       if sort is missing; Link to the next page
 * err   400 state-invalid, sort-invalid, search-invalid, limit-invalid, cursor-invalid; 401
 */
#include "functions/domains/domain-json.h"
#include "functions/domains/name-search.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/lib/store/domains/domain-list.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

/* The cursor text of the page's last row: "b.example", or "1764000000000.0193484c-…" when sorted by
 * age. */
static const char *place_of(
	struct rt_ctx *ctx, const struct eds_domain_query *wanted, const struct eds_domain *domain)
{
	return eds_order_is_by_age(wanted->order)
		? eds_page_timed_key(ctx, domain->created_at_ms, domain->id)
		: domain->name;
}

static rt_status read_place(struct rt_ctx *ctx, const struct eds_page *page,
	const struct eds_domain_query *wanted, struct eds_domain *place)
{
	*place = (struct eds_domain){.name = page->after};
	if (!eds_order_is_by_age(wanted->order))
		return RT_OK;
	return eds_page_read_timed_key(ctx, page, &place->created_at_ms, &place->id);
}

static rt_status read_wanted(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_domain_query *wanted)
{
	static const char *const sorts[] = {[EDS_BY_NAME] = "name",
		[EDS_BY_NAME_DOWN] = "-name",
		[EDS_BY_AGE] = "createdAt",
		[EDS_BY_AGE_DOWN] = "-createdAt",
		NULL};
	static const char *const states[] = {"ok", "warning", "error", "unknown", NULL};
	const char *search;
	int sort;
	int state;

	*wanted = (struct eds_domain_query){.order = EDS_BY_NAME};
	if (!eds_page_choice(req, "sort", sorts, &sort))
		return rt_fail(ctx, RT_BAD_INPUT, "sort-invalid",
			"sort= must be one of name, -name, createdAt and -createdAt");
	if (!eds_page_choice(req, "state", states, &state))
		return rt_fail(ctx, RT_BAD_INPUT, "state-invalid",
			"state= must be one of ok, warning, error and unknown");
	if (sort >= 0)
		wanted->order = (enum eds_order)sort;
	if (state >= 0)
		wanted->state = states[state];
	RT_TRY(eds_page_search(ctx, req, &search));
	domain_search(ctx, search, wanted);
	return RT_OK;
}

static rt_status read_page(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_domain_query *wanted, struct eds_domain *place, struct eds_page *page)
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
	wanted->after = place;
	return read_place(ctx, page, wanted, place);
}

static rt_status list_domains(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_account account;
	struct eds_token_grant grant;
	struct eds_domain *domains;
	struct eds_domain place;
	struct eds_domain_query wanted;
	struct eds_store *store;
	struct eds_page page;
	json_t *list = json_array();
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_caller(ctx, req, store, &account, &grant));
	RT_TRY(read_page(ctx, req, &wanted, &place, &page));
	RT_TRY(eds_store_domain_list(ctx, store, &account, &wanted, &domains, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, place_of(ctx, &wanted, &domains[count - 1]), res);
	for (size_t i = 0; i < count; i++)
		rt_json_append(list, eds_domain_json(ctx, &domains[i]));
	return rt_respond_data(ctx, res, 200, list);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"search", "state", "sort", "limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_domains);
}
