/* Accounts and the tokens that act for them.
 *
 * An account has a plan, tokens and domains, and sees nothing of other accounts. The store keeps
 * only the SHA-256 of a token, as 64 hexadecimal digits ("digest").
 */
#ifndef EDS_STORE_ACCOUNT_H
#define EDS_STORE_ACCOUNT_H

#include "functions/lib/store/store.h"

enum {
	EDS_ACCOUNT_NAME_MAX = 100, /* maximum number of octets of the name of an account, or of a
				     * token */
	EDS_TOKEN_DIGEST_LENGTH = 64,
};

enum eds_plan {
	EDS_PLAN_FREE,
	EDS_PLAN_PAID,
};

struct rt_quota;

struct eds_account {
	const char *id; /* UUIDv7 */
	const char *name;
	enum eds_plan plan;
	int64_t created_at_ms;
	/* ID of the acting token when that token is limited to some domains; lists then contain
	 * only these domains. Else NULL. */
	const char *only_token;
};

struct eds_token {
	const char *id; /* UUIDv7 */
	const char *account_name;
	const char *name;
	int64_t created_at_ms;
	int64_t expires_at_ms; /* 0: never */
	int64_t revoked_at_ms; /* when the token was revoked; 0 if it was not */
};

/* What the token of a request may do. */
struct eds_token_grant {
	const char *id;
	const char *name;
	int64_t expires_at_ms; /* 0: never */
	int64_t used_at_ms;    /* last use before this request, exact to an hour; 0 for never */
	bool read_only;
	bool some_domains; /* the token may use only the domains that it names */
};

/* The word for a plan: "free" or "paid". */
const char *eds_plan_name(enum eds_plan plan);
RT_MUST_USE bool eds_plan_parse(const char *name, enum eds_plan *plan);

/* Creates an account. RT_CONFLICT "account-exists" when the name is taken. */
RT_MUST_USE rt_status eds_store_account_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, enum eds_plan plan, struct eds_account *account);

/* Finds an account by name. RT_NOT_FOUND "account-not-found". */
RT_MUST_USE rt_status eds_store_account_get(
	struct rt_ctx *ctx, struct eds_store *store, const char *name, struct eds_account *account);

/* Lists all accounts, in the order of their names. */
RT_MUST_USE rt_status eds_store_account_list(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_account **accounts, size_t *count);

#endif
