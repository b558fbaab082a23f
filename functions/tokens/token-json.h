/* What the programs of tokens share: what a body asks for, and how a token is shown. */
#ifndef TOKENS_TOKEN_JSON_H
#define TOKENS_TOKEN_JSON_H

#include "functions/lib/store/accounts/token-own.h"
#include "runtime/event/event.h"

/* {name, access, domains, expiresAt}, of which the name must be there. RT_BAD_INPUT
 * "field-invalid", "field-unknown" and those of rt_body_object. */
RT_MUST_USE rt_status token_read_new(
	struct rt_ctx *ctx, const struct rt_request *req, struct eds_own_token *token);

/* {tokenId, name, access, domains, createdAt, expiresAt, lastUsedAt, current}: without the secret,
 * which nobody has any more. current: it is the request's own. */
json_t *token_json(struct rt_ctx *ctx, const struct eds_own_token *token, const char *current_id);

/* Of what stays as it is while the token is there: without its use, and who asks. */
const char *token_etag(struct rt_ctx *ctx, const struct eds_own_token *token);

#endif
