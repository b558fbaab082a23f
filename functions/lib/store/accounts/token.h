/* Tokens: a row each, found by the first digits of the digest, compared in constant time. */
#ifndef EDS_STORE_TOKEN_H
#define EDS_STORE_TOKEN_H

#include "functions/lib/store/accounts/account.h"

/* All of them by name, and all tokens by account's name and age. */
RT_MUST_USE rt_status eds_store_token_list(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_token **tokens, size_t *count);

/* A token for the account of this name; expires_at_ms 0: never. RT_NOT_FOUND "account-not-found".
 */
RT_MUST_USE rt_status eds_store_token_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_name, const char *name, int64_t expires_at_ms, const char *digest,
	struct eds_token *token);

/* From now on it is not valid; twice is as once. RT_NOT_FOUND "token-not-found". */
RT_MUST_USE rt_status eds_store_token_revoke(
	struct rt_ctx *ctx, struct eds_store *store, const char *id);

/* The account of a valid token, or in the same round trip its domain of this id. RT_UNAUTHORISED
 * "token-invalid" for an unknown, expired or revoked token; RT_NOT_FOUND "domain-not-found", also
 * where the token is for other domains: then *grant says what it may do. The token counts as used.
 */
RT_MUST_USE rt_status eds_store_token_account(struct rt_ctx *ctx, struct eds_store *store,
	const char *digest, struct eds_account *account, struct eds_token_grant *grant);
RT_MUST_USE rt_status eds_store_token_domain(struct rt_ctx *ctx, struct eds_store *store,
	const char *digest, const char *domain_id, struct eds_domain *domain,
	struct eds_token_grant *grant);

#endif
