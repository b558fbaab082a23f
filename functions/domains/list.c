/* domains-list: GET /api/v1/domains
 *
 * in    ?search= a part of the name, in A-labels or U-labels; ?state= ok, warning, error, unknown;
 *       ?sort= name, -name, createdAt, -createdAt; ?limit=, ?cursor=
 * out   200 {"data": [{id, name, createdAt, reportAddress, expectedRecords, posture}, …]}, by name
 *       without sort; Link to the next page
 * err   400 state-invalid, sort-invalid, search-invalid, limit-invalid, cursor-invalid; 401
 */
#include <stdio.h>
#include <string.h>

#include "functions/domains/domain-json.h"
#include "functions/domains/name-search.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "runtime/handler.h"

enum {
	SEARCH_BYTES_MAX = 253, /* as many as a name has at most */
};

static bool by_age(const struct eds_domain_query *wanted)
{
	return wanted->order == EDS_DOMAINS_BY_AGE || wanted->order == EDS_DOMAINS_BY_AGE_DOWN;
}

/* "b.example", or "1764000000000.0193484c-…". */
static const char *place_of(
	struct rt_ctx *ctx, const struct eds_domain_query *wanted, const struct eds_domain *domain)
{
	if (!by_age(wanted))
		return domain->name;
	return rt_printf(ctx, "%lld.%s", (long long)domain->created_at_ms, domain->id);
}

static rt_status read_place(struct rt_ctx *ctx, const char *cursor,
	const struct eds_domain_query *wanted, struct eds_domain *place)
{
	long long at_ms = 0;
	int id = 0;

	*place = (struct eds_domain){.name = cursor};
	if (!by_age(wanted))
		return RT_OK;
	if (sscanf(cursor, "%14lld.%n", &at_ms, &id) != 1 || id == 0)
		return rt_fail(ctx, RT_BAD_INPUT, "cursor-invalid",
			"cursor must be what the Link field of the page before names");
	place->created_at_ms = at_ms;
	place->id = cursor + id;
	return RT_OK;
}

static rt_status read_search(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_domain_query *wanted)
{
	const char *search = rt_request_query(req, "search");

	if (search == NULL)
		return RT_OK;
	if (strlen(search) > SEARCH_BYTES_MAX)
		return rt_fail(ctx, RT_BAD_INPUT, "search-invalid",
			"search must be a part of a name, %d octets at most", SEARCH_BYTES_MAX);
	domain_search(ctx, search, wanted);
	return RT_OK;
}

static rt_status read_wanted(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_domain_query *wanted)
{
	static const char *const sorts[] = {[EDS_DOMAINS_BY_NAME] = "name",
		[EDS_DOMAINS_BY_NAME_DOWN] = "-name",
		[EDS_DOMAINS_BY_AGE] = "createdAt",
		[EDS_DOMAINS_BY_AGE_DOWN] = "-createdAt",
		NULL};
	static const char *const states[] = {"ok", "warning", "error", "unknown", NULL};
	int sort;
	int state;

	*wanted = (struct eds_domain_query){.order = EDS_DOMAINS_BY_NAME};
	if (!eds_page_choice(req, "sort", sorts, &sort))
		return rt_fail(ctx, RT_BAD_INPUT, "sort-invalid",
			"sort= is one of name, -name, createdAt and -createdAt");
	if (!eds_page_choice(req, "state", states, &state))
		return rt_fail(ctx, RT_BAD_INPUT, "state-invalid",
			"state= is one of ok, warning, error and unknown");
	if (sort >= 0)
		wanted->order = (enum eds_domain_order)sort;
	if (state >= 0)
		wanted->state = states[state];
	return read_search(ctx, req, wanted);
}

static rt_status read_page(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_domain_query *wanted, struct eds_domain *place, struct eds_page *page)
{
	static const char *const repeats[] = {"search", "state", "sort", NULL};
	const char *asked = "";

	RT_TRY(eds_page_read(ctx, req, page));
	RT_TRY(read_wanted(ctx, req, wanted));
	if (wanted->order != EDS_DOMAINS_BY_NAME || wanted->state != NULL || wanted->part != NULL)
		asked = rt_printf(ctx, "%d %s %s", (int)wanted->order,
			wanted->state != NULL ? wanted->state : "any",
			wanted->part != NULL ? wanted->part : "");
	RT_TRY(eds_page_bind(ctx, page, repeats, asked));
	wanted->limit = page->rows;
	if (page->after == NULL)
		return RT_OK;
	wanted->after = place;
	return read_place(ctx, page->after, wanted, place);
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
