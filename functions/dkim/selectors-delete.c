/* dkim-selectors-delete: DELETE /api/v1/domains/{id}/dkim/selectors/{selector}
 *
 * out   200 {"data": {selector, deleted: true}}; its history is deleted with it
 * err   400 if-match-invalid; 401; 403 token-read-only; 404 domain-not-found,
 *       selector-not-found; 412 version-changed, by If-Match
 *
 * If mail is still signed with the selector, the next report that names the selector adds it again.
 */
#include "functions/dkim/selector-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/if-match.h"
#include "functions/lib/store/selectors/selector-list.h"
#include "functions/lib/store/selectors/selector.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

struct removed {
	const struct eds_domain *domain;
	const char *name;
};

static rt_status version(struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag)
{
	const struct removed *removed = arg;
	struct eds_selector selector;

	RT_TRY(eds_store_selector_get(ctx, store, removed->domain, removed->name, &selector));
	*etag = selector_etag(ctx, selector.name, &selector.check);
	return RT_OK;
}

static rt_status delete_selector(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *selector = rt_request_param(req, "selector");
	struct eds_domain domain;
	struct removed removed = {&domain, selector};
	struct eds_store *store;
	json_t *answer = json_object();

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	if (selector == NULL)
		return eds_store_no_selector(ctx);
	RT_TRY(eds_if_match(ctx, req, store, version, &removed));
	RT_TRY(eds_store_selector_delete(ctx, store, &domain, selector, &selector));
	rt_json_set_text(ctx, answer, "selector", selector);
	rt_json_set(answer, "deleted", json_true());
	return rt_respond_data(ctx, res, 200, answer);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, delete_selector);
}
