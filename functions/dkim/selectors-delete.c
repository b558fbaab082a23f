/* dkim-selectors-delete: DELETE /api/v1/domains/{id}/dkim/selectors/{selector}
 *
 * out   200 {"data": {selector, deleted: true}}; its history is gone with it
 * err   401; 404 domain-not-found, selector-not-found
 *
 * A selector that signs on is added again by the next report that names it.
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/selector.h"
#include "runtime/handler.h"

static rt_status delete_selector(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *selector = rt_request_param(req, "selector");
	struct eds_domain domain;
	struct eds_store *store;
	json_t *answer = json_object();

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	if (selector == NULL)
		return eds_store_no_selector(ctx);
	RT_TRY(eds_store_selector_delete(ctx, store, &domain, selector, &selector));
	rt_json_set_text(ctx, answer, "selector", selector);
	rt_json_set(answer, "deleted", json_true());
	return rt_respond_data(ctx, res, 200, answer);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, delete_selector);
}
