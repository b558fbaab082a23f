/* tester-session-create: POST /api/inbound-tester/sessions
 *
 * in    nothing, or a JSON object, whose members callbackUrl and callbackSecret are read
 * out   201 {testId, email, expiresAt, status: "pending"}, with a callback {…, callback}
 * err   400 json-invalid, body-not-object, field-invalid; 401 token-missing, token-invalid;
 *       403 client-blocked, and with a callback token-read-only, token-domains;
 *       413 body-too-large; 415 media-type-unsupported, content-coding-unsupported;
 *       429 too-many-sessions, too-many-callbacks with Retry-After
 *
 * Only a callback needs a token: a callback makes eds send requests to a third party, so an account
 * must be responsible for these requests. The account's plan limits the number of callbacks. With a
 * token the session belongs to the account, which learns DKIM selectors of its domains from the
 * messages. The number of sessions that a client may create in an hour is limited. When the client
 * gave no secret for its callback, eds makes one, and no other answer shows it.
 */
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/counted-client.h"
#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/webhook/address.h"
#include "functions/tester/session-json.h"
#include "runtime/counts.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status field_invalid(struct rt_ctx *ctx, const char *field, const char *detail)
{
	rt_fail_field(ctx, field, "%s", detail);
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid", "%s %s", field, detail);
}

static rt_status read_url(struct rt_ctx *ctx, const json_t *body, struct eds_callback *callback)
{
	const json_t *url = json_object_get(body, "callbackUrl");
	struct eds_webhook_address address;
	const char *reason;

	if (!json_is_string(url))
		return field_invalid(ctx, "callbackUrl", "must be a string");
	if (!eds_webhook_address_read(ctx, json_string_value(url), &address, &reason))
		return field_invalid(ctx, "callbackUrl", reason);
	callback->url = rt_printf(ctx, "https://%s%s", address.host, address.path);
	return RT_OK;
}

static rt_status read_secret(
	struct rt_ctx *ctx, const json_t *body, struct eds_callback *callback, bool *is_ours)
{
	const json_t *secret = json_object_get(body, "callbackSecret");
	size_t length;

	*is_ours = secret == NULL;
	callback->secret = secret != NULL ? json_string_value(secret) : eds_webhook_secret_new(ctx);
	if (callback->secret != NULL &&
		eds_webhook_secret_read(ctx, callback->secret, &length) != NULL)
		return RT_OK;
	return field_invalid(ctx, "callbackSecret",
		"must be whsec_ followed by the base64 of 24 to 64 octets, or be left out");
}

static rt_status create_calling(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, const char *client, const json_t *body,
	struct eds_session *session)
{
	struct eds_account account;
	struct eds_callback callback;
	bool is_ours;

	RT_TRY(eds_auth_account(ctx, req, store, &account));
	RT_TRY(read_url(ctx, body, &callback));
	RT_TRY(read_secret(ctx, body, &callback, &is_ours));
	callback.account_id = account.id;
	RT_TRY(eds_store_use(ctx, store, account.id, account.plan, EDS_USE_CALLBACK));
	RT_TRY(eds_store_session_create_calling(
		ctx, store, client, rt_config()->sessions_per_hour, &callback, session));
	session->callback_secret = is_ours ? callback.secret : NULL;
	return RT_OK;
}

/* Creates a session without a callback. An invalid token, or one that is limited to some domains,
 * counts as no token, since a session without a callback needs none. */
static rt_status create_plain(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, const char *client, struct eds_session *session)
{
	struct eds_account account = {0};
	struct eds_callback nobody = {0};
	rt_status status = RT_OK;

	if (eds_auth_bearer(req) != NULL)
		status = eds_auth_account(ctx, req, store, &account);
	if (status == RT_UNAUTHORIZED || status == RT_FORBIDDEN)
		rt_fail_clear(ctx);
	else
		RT_TRY(status);
	nobody.account_id = status == RT_OK ? account.id : NULL;
	return eds_store_session_create_calling(
		ctx, store, client, rt_config()->sessions_per_hour, &nobody, session);
}

static rt_status create_session(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_store *store;
	struct eds_session session;
	const char *client;
	json_t *body = NULL;

	RT_TRY(eds_counted_client(ctx, req, &client));
	if (req->body_length > 0)
		RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(eds_store_open(ctx, &store));
	if (json_object_get(body, "callbackUrl") != NULL)
		RT_TRY(create_calling(ctx, req, store, client, body, &session));
	else
		RT_TRY(create_plain(ctx, req, store, client, &session));
	rt_count(RT_COUNT_SESSIONS_CREATED);
	rt_response_header(res, "location",
		rt_printf(ctx, "/api/inbound-tester/sessions/%s", session.test_id));
	return eds_session_respond(ctx, req, res, 201, &session);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, create_session);
}
