#include "functions/lib/once.h"
#include "runtime/event/event-http.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/uuid.h"

#include <string.h>

#include "functions/lib/auth/auth.h"
#include "functions/lib/seal.h"
#include "functions/lib/store/once.h"
#include "runtime/log.h"
#include "runtime/text/hex.h"

enum {
	FORGOTTEN_S = 3600, /* Retry-After when an account has too many keys: within these seconds a
			     * run of reports-expire removes expired keys */
};

/* A request with an Idempotency-Key. */
struct call {
	const struct eds_once *once;
	struct eds_once_claim claim;
	uint8_t secret[RT_HMAC_BYTES]; /* derived from the client's key and token */
	struct rt_response begun;      /* a copy of the response that eds_once() got; each call of
					* answer() begins with such a copy */
	struct rt_response *res;
};

/* Reads a String of structured fields (RFC 9651 section 3.3.3), which must not be empty. */
static bool read_key(struct rt_ctx *ctx, const char *field, const char **key)
{
	char *out = rt_alloc(ctx, strlen(field) + 1);
	size_t length = 0;

	*key = out;
	field += strspn(field, " ");
	if (*field++ != '"')
		return false;
	for (; *field != '"'; field++) {
		if (*field == '\\' && *++field != '"' && *field != '\\')
			return false;
		if (*field < ' ' || *field > '~')
			return false;
		out[length++] = *field;
	}
	field++;
	return length > 0 && length <= EDS_ONCE_KEY_MAX && field[strspn(field, " ")] == '\0';
}

static char *digest(struct rt_ctx *ctx, const uint8_t secret[RT_HMAC_BYTES], const char *purpose,
	const char *text)
{
	uint8_t bytes[RT_HMAC_BYTES];
	char *hex = rt_alloc(ctx, 2 * sizeof bytes + 1);

	rt_hmac(secret, RT_HMAC_BYTES, rt_printf(ctx, "%s %s", purpose, text), bytes);
	rt_hex_write(hex, bytes, sizeof bytes);
	return hex;
}

static rt_status begin(struct rt_ctx *ctx, const struct rt_request *req, const char *field,
	const struct eds_once *once, struct call *call)
{
	const char *token = eds_auth_bearer(req);
	const char *key;

	if (!read_key(ctx, field, &key))
		return rt_fail(ctx, RT_BAD_INPUT, "idempotency-key-invalid",
			"Idempotency-Key must be 1 to 255 characters of ASCII in double quotes");
	rt_hmac(token, strlen(token), rt_printf(ctx, "Idempotency-Key %s", key), call->secret);
	call->once = once;
	call->claim = (struct eds_once_claim){
		.account_id = once->account_id,
		.key = digest(ctx, call->secret, "key", ""),
		.request = digest(ctx, call->secret, "request",
			rt_printf(ctx, "%s %s\n%s", req->method, req->path,
				req->body != NULL ? req->body : "")),
		.holder = rt_uuid(ctx),
	};
	return RT_OK;
}

/* The response as text to store: {"status": 201, "headers": {"location": …}, "body": "…"}. */
static const char *response_text(struct rt_ctx *ctx, const struct rt_response *res)
{
	json_t *headers = json_object();
	json_t *json = json_object();
	size_t length;

	for (size_t i = 0; i < res->header_count; i++)
		rt_json_set_text(ctx, headers, res->headers[i].name, res->headers[i].value);
	rt_json_set(json, "status", json_integer(res->status));
	rt_json_set(json, "headers", headers);
	rt_json_set_text(ctx, json, "body", rt_memdup(ctx, res->body, res->body_length));
	return rt_json_format(ctx, json, &length);
}

static rt_status keep(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct call *call = arg;
	struct rt_response res = call->begun;

	RT_TRY(call->once->answer(ctx, call->once->arg, &res));
	RT_TRY(eds_store_once_keep(ctx, store, &call->claim,
		eds_seal(ctx, call->secret, call->claim.holder, response_text(ctx, &res))));
	*call->res = res;
	return RT_OK;
}

/* Makes the object and stores the answer. After a failure, removes the claim on the key, so that
 * the client can try again at once; if that fails, too, the claim ends at the event's deadline. */
static rt_status make(struct rt_ctx *ctx, struct eds_store *store, struct call *call)
{
	rt_status status;

	eds_store_also(store, keep, call);
	status = call->once->make(ctx, store, call->once->arg);
	if (status != RT_OK && eds_store_once_drop(ctx, store, &call->claim) != RT_OK)
		rt_log(ctx, RT_LOG_WARNING,
			"the claim on an Idempotency-Key could not be removed; the key is busy "
			"until the claim expires");
	return status;
}

static rt_status give_again(struct rt_ctx *ctx, const struct call *call,
	const struct eds_once_found *found, struct rt_response *res)
{
	char *text = eds_seal_open(ctx, call->secret, found->holder, found->answer);
	json_t *headers;
	json_t *value;
	json_t *json;
	const char *name;

	if (text == NULL)
		return rt_fail(ctx, RT_INTERNAL, "store-failed",
			"the stored answer for the Idempotency-Key cannot be read");
	RT_TRY(rt_json_parse(ctx, text, strlen(text), &json));
	headers = json_object_get(json, "headers");
	json_object_foreach(headers, name, value)
	{
		rt_response_header(res, name, json_string_value(value));
	}
	res->status = (int)json_integer_value(json_object_get(json, "status"));
	res->body = rt_json_string(json, "body");
	res->body_length = strlen(res->body);
	return RT_OK;
}

static rt_status run(struct rt_ctx *ctx, struct eds_store *store, struct call *call)
{
	struct eds_once_found found;

	RT_TRY(eds_store_once_claim(ctx, store, &call->claim, &found));
	switch (found.state) {
	case EDS_ONCE_OURS:
		return make(ctx, store, call);
	case EDS_ONCE_DONE:
		return give_again(ctx, call, &found, call->res);
	case EDS_ONCE_BUSY:
		return eds_store_once_busy(ctx);
	case EDS_ONCE_OTHER:
		return rt_fail(ctx, RT_BAD_INPUT, "idempotency-key-reused",
			"this Idempotency-Key was sent with another request; a key stands for one "
			"request and its repetitions");
	case EDS_ONCE_FULL:
		break;
	}
	ctx->failure.retry_after_s = FORGOTTEN_S;
	return rt_fail(ctx, RT_LIMIT, "too-many-idempotency-keys",
		"an account may send %d requests with an Idempotency-Key a day",
		EDS_ONCE_ACCOUNT_MAX);
}

rt_status eds_once(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	const struct eds_once *once, struct rt_response *res)
{
	const char *field = rt_request_header(req, "idempotency-key");
	struct call call = {.begun = *res, .res = res};

	if (field == NULL) {
		RT_TRY(once->make(ctx, store, once->arg));
		return once->answer(ctx, once->arg, res);
	}
	RT_TRY(begin(ctx, req, field, once, &call));
	return run(ctx, store, &call);
}
