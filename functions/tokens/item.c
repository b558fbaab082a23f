/* tokens-item: DELETE /api/v1/tokens/{tokenId}
 *
 * out   200 {"data": {tokenId, deleted: true}}: the token is invalid from now on. A request may
 *       delete the token that it was sent with
 * err   400 if-match-invalid; 401; 403 token-read-only, token-domains; 404 token-not-found;
 *       412 version-changed, by If-Match
 */
#include <string.h>

#include "functions/lib/auth/auth.h"
#include "functions/lib/if-match.h"
#include "functions/tokens/token-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/log.h"

struct call {
	const struct eds_account *account;
	const char *id;
};

static rt_status version(struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag)
{
	const struct call *call = arg;
	struct eds_own_token *tokens;
	size_t count;

	RT_TRY(eds_store_own_token_list(ctx, store, call->account, &tokens, &count));
	for (size_t i = 0; i < count; i++) {
		if (strcmp(tokens[i].id, call->id) != 0)
			continue;
		*etag = token_etag(ctx, &tokens[i]);
		return RT_OK;
	}
	return eds_store_no_own_token(ctx);
}

static rt_status delete_token(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *param = rt_request_param(req, "tokenId");
	const char *id = param != NULL ? rt_lower(ctx, param) : "";
	struct eds_account account;
	struct call call = {&account, id};
	struct eds_token_grant own;
	struct eds_store *store;
	json_t *json;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_caller(ctx, req, store, &account, &own));
	RT_TRY(eds_auth_all_domains(ctx, &own));
	RT_TRY(eds_if_match(ctx, req, store, version, &call));
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
