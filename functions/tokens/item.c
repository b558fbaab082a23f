/* tokens-item: DELETE /api/v1/tokens/{tokenId}
 *
 * out   200 {"data": {tokenId, deleted: true}}: it is valid no more, were it the request's own
 * err   401; 403 token-read-only, token-domains; 404 token-not-found
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/token-own.h"
#include "runtime/handler.h"
#include "runtime/log.h"

static rt_status delete_token(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *param = rt_request_param(req, "tokenId");
	const char *id = param != NULL ? rt_lower(ctx, param) : "";
	struct eds_account account;
	struct eds_token_grant own;
	struct eds_store *store;
	json_t *json;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_caller(ctx, req, store, &account, &own));
	RT_TRY(eds_auth_all_domains(ctx, &own));
	RT_TRY(eds_store_own_token_delete(ctx, store, &account, id));
	rt_log(ctx, RT_LOG_INFO, "token %s deletes token %s", own.id, id);
	json = json_object();
	rt_json_set_text(ctx, json, "tokenId", id);
	rt_json_set(json, "deleted", json_true());
	return rt_respond_data(ctx, res, 200, json);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, delete_token);
}
