/* Tokens: one row each. The first digits of the digest find the row; the whole digest is then
 * compared in constant time. */
#ifndef EDS_STORE_TOKEN_H
#define EDS_STORE_TOKEN_H

#include "functions/lib/store/accounts/account.h"

struct eds_domain;

/* Lists all tokens, by account name and age. */
RT_MUST_USE rt_status eds_store_token_list(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_token **tokens, size_t *count);

/* Creates a token for the account with this name. expires_at_ms is 0 for a token that never
 * expires. RT_NOT_FOUND "account-not-found".
 */
RT_MUST_USE rt_status eds_store_token_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_name, const char *name, int64_t expires_at_ms, const char *digest,
	struct eds_token *token);

/* Makes the token invalid from now on; may be repeated. RT_NOT_FOUND "token-not-found". */
RT_MUST_USE rt_status eds_store_token_revoke(
	struct rt_ctx *ctx, struct eds_store *store, const char *id);

/* eds_store_token_account() gives the account of a valid token. eds_store_token_domain() gives the
 * domain that has this id and belongs to the token's account, in a single round trip to the
 * database. RT_UNAUTHORIZED "token-invalid" for an unknown, expired or revoked token. RT_NOT_FOUND
 * "domain-not-found", also when the token is limited to other domains; *grant then says what the
 * token may do. Both functions record, at most once an hour, that the token was used.
 */
RT_MUST_USE rt_status eds_store_token_account(struct rt_ctx *ctx, struct eds_store *store,
	const char *digest, struct eds_account *account, struct eds_token_grant *grant);
RT_MUST_USE rt_status eds_store_token_domain(struct rt_ctx *ctx, struct eds_store *store,
	const char *digest, const char *domain_id, struct eds_domain *domain,
	struct eds_token_grant *grant);

#endif
