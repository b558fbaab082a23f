/* Shared by the functions of tokens: reads a request's body, and shows a token. */
#ifndef TOKENS_TOKEN_JSON_H
#define TOKENS_TOKEN_JSON_H

#include "functions/lib/store/tokens/token-own.h"
#include "runtime/event/event.h"

/* Reads {name, access, domains, expiresAt}; only the name is required. Fails with
 * RT_BAD_INPUT "field-invalid" and "field-unknown", and with the errors of rt_body_object(). */
RT_MUST_USE rt_status token_read_new(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_own_token *token);

/* The token as JSON: {tokenId, name, access, domains, createdAt, expiresAt, lastUsedAt, current},
 * without the secret, which is not stored. current: the token is the one that the request was made
 * with. */
json_t *token_json(struct rt_ctx *ctx, const struct eds_own_token *token, const char *current_id);

/* The ETag of a token, made from all members but lastUsedAt and current. It changes only when a
 * domain to which the token is limited is deleted. */
const char *token_etag(struct rt_ctx *ctx, const struct eds_own_token *token);

#endif
