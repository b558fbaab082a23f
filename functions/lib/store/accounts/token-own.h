/* The tokens of an account as it sees to them itself: made, listed and deleted. Those that the
 * operator makes (account.h) are among them.
 */
#ifndef EDS_STORE_TOKEN_OWN_H
#define EDS_STORE_TOKEN_OWN_H

#include "functions/lib/store/accounts/account.h"

enum {
	EDS_TOKENS_MAX = 100,        /* of an account, expired ones included */
	EDS_TOKEN_DOMAINS_MAX = 100, /* that one may name */
};

struct eds_own_token {
	const char *id; /* UUIDv7 */
	const char *name;
	int64_t created_at_ms;
	int64_t expires_at_ms; /* 0: never */
	int64_t used_at_ms;    /* within an hour; 0: never */
	bool read_only;
	bool some_domains;    /* those below alone, of which none may be left */
	const char **domains; /* ids */
	size_t domain_count;
};

/* With name, expires_at_ms, read_only, some_domains and domains of *token. RT_BAD_INPUT
 * "field-invalid" for a domain that is not the account's; RT_FORBIDDEN "token-limit". */
RT_MUST_USE rt_status eds_store_own_token_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *digest, struct eds_own_token *token);

/* The oldest first, without those that are revoked. */
RT_MUST_USE rt_status eds_store_own_token_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, struct eds_own_token **tokens, size_t *count);

/* RT_NOT_FOUND "token-not-found". */
RT_MUST_USE rt_status eds_store_no_own_token(struct rt_ctx *ctx);

/* It is valid no more. RT_NOT_FOUND "token-not-found", also for another account's. */
RT_MUST_USE rt_status eds_store_own_token_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *id);

#endif
