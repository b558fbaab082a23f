/* domains-delete: DELETE /api/v1/domains/{id}
 *
 * out   200 {"data": {id, deleted: true}}; all that belongs to the domain is deleted with it
 * err   400 if-match-invalid; 401; 403 token-read-only; 404 domain-not-found, whether the id is
 *       unknown, malformed, of another account or outside the token's grant;
 *       412 version-changed, by If-Match
 */
#include "functions/domains/domain-json.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/if-match.h"
#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/posture/posture.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

static rt_status version(struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag)
{
	struct eds_domain domain = *(const struct eds_domain *)arg;

	RT_TRY(eds_store_posture_get(ctx, store, &domain, &domain.posture));
	*etag = rt_data_etag(ctx, eds_domain_json(ctx, &domain));
	return RT_OK;
}

static rt_status delete_domain(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_domain domain;
	struct eds_store *store;
	json_t *answer = json_object();

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_if_match(ctx, req, store, version, &domain));
	RT_TRY(eds_store_domain_delete(ctx, store, &domain));
	rt_json_set_text(ctx, answer, "id", domain.id);
	rt_json_set(answer, "deleted", json_true());
	return rt_respond_data(ctx, res, 200, answer);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, delete_domain);
}
