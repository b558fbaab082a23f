/* domains-list: GET /api/v1/domains
 *
 * in    ?limit=, ?cursor=
 * out   200 {"data": [{id, name, createdAt, reportAddress, expectedRecords, posture}, …]} by name;
 *       Link to the next page
 * err   400 limit-invalid, cursor-invalid; 401
 */
#include "functions/domains/domain-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "runtime/handler.h"

static rt_status list_domains(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_account account;
	struct eds_token_grant grant;
	struct eds_domain *domains;
	struct eds_store *store;
	struct eds_page page;
	json_t *list = json_array();
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_caller(ctx, req, store, &account, &grant));
	RT_TRY(eds_page_read(ctx, req, &page));
	RT_TRY(eds_store_domain_list(
		ctx, store, &account, page.after, page.rows, &domains, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, domains[count - 1].name, res);
	for (size_t i = 0; i < count; i++)
		rt_json_append(list, eds_domain_json(ctx, &domains[i]));
	return rt_respond_data(ctx, res, 200, list);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_domains);
}
