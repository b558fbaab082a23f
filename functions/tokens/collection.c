/* tokens-collection: POST and GET /api/v1/tokens
 *
 * POST  in    {"name": "ci", "access": "read", "domains": null, "expiresAt": null}: access is read
 *             or full; domains lists the ids of the only domains that the token may use; all
 *             members but the name are optional, and access is read by default
 *       out   201 {"data": {tokenId, name, access, domains, createdAt, expiresAt, lastUsedAt,
 *             current, token}}: no other answer shows the token itself
 *
 * GET   out   200 {"data": [{tokenId, …}, …]}, the oldest first; lastUsedAt is exact to the hour
 *
 * err   401; 403 token-domains; of POST: 400 json-invalid, body-missing, body-not-object,
 *       field-invalid, field-unknown; 403 token-read-only, token-outlives, token-limit; 413; 415;
 *       of Idempotency-Key (functions/lib/once.h) 400, 409, 422, 429
 *
 * A token cannot be used to gain rights by making another: the new token cannot last longer or name
 * more domains, and cannot change data if the first token can only read.
 */
#include <string.h>

#include "functions/lib/auth/auth.h"
#include "functions/lib/auth/token.h"
#include "functions/lib/once.h"
#include "functions/tokens/token-json.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/log.h"
#include "runtime/time.h"

static rt_status check_expiry(
	struct rt_ctx *ctx, const struct eds_token_grant *own, const struct eds_own_token *wanted)
{
	if (own->expires_at_ms == 0 ||
		(wanted->expires_at_ms != 0 && wanted->expires_at_ms <= own->expires_at_ms))
		return RT_OK;
	return rt_fail(ctx, RT_FORBIDDEN, "token-outlives",
		"this token expires at %s and cannot make one that is valid for longer: give "
		"\"expiresAt\"",
		rt_time_format(ctx, own->expires_at_ms));
}

struct creation {
	const struct eds_account *account;
	const struct eds_token_grant *own;
	const char *text;
	struct eds_own_token token;
};

static rt_status make(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct creation *creation = arg;

	creation->text = eds_token_new(ctx);
	RT_TRY(eds_store_own_token_create(ctx, store, creation->account,
		eds_token_digest(ctx, creation->text), &creation->token));
	rt_log(ctx, RT_LOG_INFO, "token %s makes token %s", creation->own->id, creation->token.id);
	return RT_OK;
}

static rt_status answer(struct rt_ctx *ctx, void *arg, struct rt_response *res)
{
	const struct creation *creation = arg;
	json_t *json = token_json(ctx, &creation->token, creation->own->id);

	rt_response_header(res, "etag", token_etag(ctx, &creation->token));
	rt_json_set_text(ctx, json, "token", creation->text);
	return rt_respond_data(ctx, res, 201, json);
}

static rt_status create(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	const struct eds_account *account, const struct eds_token_grant *own,
	struct rt_response *res)
{
	struct creation creation = {.account = account, .own = own};

	RT_TRY(token_read_new(ctx, req, &creation.token));
	RT_TRY(check_expiry(ctx, own, &creation.token));
	return eds_once(
		ctx, req, store, &(struct eds_once){account->id, make, answer, &creation}, res);
}

static rt_status list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const struct eds_token_grant *own,
	struct rt_response *res)
{
	struct eds_own_token *tokens;
	json_t *json = json_array();
	size_t count;

	RT_TRY(eds_store_own_token_list(ctx, store, account, &tokens, &count));
	for (size_t i = 0; i < count; i++)
		rt_json_append(json, token_json(ctx, &tokens[i], own->id));
	return rt_respond_data(ctx, res, 200, json);
}

static rt_status serve(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_account account;
	struct eds_token_grant own;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_caller(ctx, req, store, &account, &own));
	RT_TRY(eds_auth_all_domains(ctx, &own));
	/* caches must store neither a new secret nor the list of tokens */
	rt_response_header(res, "cache-control", "no-store");
	if (strcmp(req->method, "POST") == 0)
		return create(ctx, req, store, &account, &own, res);
	return list(ctx, store, &account, &own, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, serve);
}
