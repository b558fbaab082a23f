/* The tokens of an account, which the account itself creates, lists and deletes. The account can
 * also list and delete the tokens that the operator made for it (token.h).
 */
#ifndef EDS_STORE_TOKEN_OWN_H
#define EDS_STORE_TOKEN_OWN_H

#include "functions/lib/store/accounts/account.h"

enum {
	EDS_TOKENS_MAX = 100, /* maximum number of tokens per account, expired ones included */
	/* maximum number of domains to which one token can be limited */
	EDS_TOKEN_DOMAINS_MAX = 100,
};

struct eds_own_token {
	const char *id; /* UUIDv7 */
	const char *name;
	int64_t created_at_ms;
	int64_t expires_at_ms; /* 0: never */
	int64_t used_at_ms;    /* last use, exact to an hour; 0 for never */
	bool read_only;
	bool some_domains; /* the token may use only the domains in `domains`, which is empty when
			    * all of these domains have been deleted */
	const char **domains; /* ids of the domains that the token may use */
	size_t domain_count;
};

/* Creates a token with the members name, expires_at_ms, read_only, some_domains and domains of
 * *token. RT_BAD_INPUT "field-invalid" for a domain of another account; RT_FORBIDDEN "token-limit"
 * when the account already has EDS_TOKENS_MAX tokens. */
RT_MUST_USE rt_status eds_store_own_token_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *digest, struct eds_own_token *token);

/* Lists the tokens that are not revoked, oldest first. */
RT_MUST_USE rt_status eds_store_own_token_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, struct eds_own_token **tokens, size_t *count);

/* Fails with RT_NOT_FOUND "token-not-found". */
RT_MUST_USE rt_status eds_store_no_own_token(struct rt_ctx *ctx);

/* Makes the token invalid. RT_NOT_FOUND "token-not-found", also for a token of another account. */
RT_MUST_USE rt_status eds_store_own_token_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *id);

#endif
