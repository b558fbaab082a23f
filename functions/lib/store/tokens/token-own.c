/* Creates, lists and deletes the tokens of an account, at the request of the account. */
#include "functions/lib/store/tokens/token-own.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <string.h>

#include "functions/lib/store/accounts/audit-write.h"
#include "functions/lib/store/tokens/token-head.h"
#include "functions/lib/store/transaction.h"

/* clang-format off */
static const struct eds_db_statement INSERT = {"token-own-insert",
	"INSERT INTO tokens (id, account_id, name, digest_head, digest, created_at_ms,"
	" expires_at_ms, revoked_at_ms, read_only, some_domains)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9)"};

static const struct eds_db_statement INSERT_DOMAIN = {"token-own-insert-domain",
	"INSERT INTO token_domains (token_id, domain_id)"
	" SELECT t.id, d.id"
	" FROM tokens t, domains d"
	" WHERE t.id = $1 AND d.account_id = t.account_id AND d.id = $2"};

static const struct eds_db_statement COUNT = {"token-own-count",
	"SELECT count(*) FROM tokens WHERE account_id = $1 AND revoked_at_ms = 0"};

#define TOKEN_COLUMNS(FIRST, NEXT) \
	FIRST(TOKEN_ID, "t.id") \
	NEXT(TOKEN_NAME, "t.name") \
	NEXT(TOKEN_CREATED_AT_MS, "t.created_at_ms") \
	NEXT(TOKEN_EXPIRES_AT_MS, "t.expires_at_ms") \
	NEXT(TOKEN_USED_AT_MS, "t.used_at_ms") \
	NEXT(TOKEN_READ_ONLY, "t.read_only") \
	NEXT(TOKEN_SOME_DOMAINS, "t.some_domains") \
	NEXT(TOKEN_DOMAIN_ID, "l.domain_id")
enum { EDS_DB_NAMES(TOKEN_COLUMNS) };

static const struct eds_db_statement LIST = {"token-own-list",
	"SELECT " EDS_DB_LIST(TOKEN_COLUMNS)
	" FROM tokens t"
	" LEFT JOIN token_domains l ON l.token_id = t.id"
	" WHERE t.account_id = $1 AND t.revoked_at_ms = 0"
	" ORDER BY t.created_at_ms, t.id COLLATE \"C\", l.domain_id COLLATE \"C\""};

static const struct eds_db_statement DELETE = {"token-own-delete",
	"DELETE FROM tokens"
	" WHERE account_id = $1 AND id = $2 AND revoked_at_ms = 0"
	" RETURNING name"};
/* clang-format on */

struct work {
	const struct eds_account *account;
	const char *digest;
	const struct eds_own_token *token;
};

static rt_status not_ours(struct rt_ctx *ctx, size_t number)
{
	rt_fail_field(ctx, rt_printf(ctx, "domains[%zu]", number),
		"is not the id of a domain of the account");
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"the body has a field whose value is not allowed");
}

static rt_status add_domains(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_own_token *token)
{
	for (size_t i = 0; i < token->domain_count; i++) {
		int64_t added = 0;
		enum eds_db_result result = eds_db_execute(store->db, &INSERT_DOMAIN,
			EDS_DB_VALUES(
				eds_db_text_value(token->id), eds_db_text_value(token->domains[i])),
			&added);

		if (result != EDS_DB_OK)
			return eds_store_failed(ctx, store, result);
		if (added == 0)
			return not_ours(ctx, i);
	}
	return RT_OK;
}

static rt_status check_room(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_account *account)
{
	int64_t count;

	RT_TRY(eds_store_count(ctx, store, &COUNT, account->id, &count));
	if (count <= EDS_TOKENS_MAX)
		return RT_OK;
	return rt_fail(ctx, RT_FORBIDDEN, "token-limit",
		"an account may have %d tokens, expired ones included: delete one first",
		EDS_TOKENS_MAX);
}

/* The head of a token's digest, with a mark if the token has limits. A program of a release that
 * knows no limits would give a token with limits full rights. Such a program looks for the head
 * without the mark, so it does not find the token. */
static const char *head(struct rt_ctx *ctx, const struct work *work)
{
	bool limited = work->token->read_only || work->token->some_domains;

	return limited ? eds_token_limited_head(ctx, work->digest)
		       : eds_token_head(ctx, work->digest);
}

static rt_status create(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct work *work = arg;
	const struct eds_own_token *token = work->token;
	enum eds_db_result result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(token->id), eds_db_text_value(work->account->id),
			eds_db_text_value(token->name), eds_db_text_value(head(ctx, work)),
			eds_db_text_value(work->digest), eds_db_int_value(token->created_at_ms),
			eds_db_int_value(token->expires_at_ms), eds_db_int_value(token->read_only),
			eds_db_int_value(token->some_domains)),
		NULL);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	eds_store_audit_about(store, NULL, token->name);
	RT_TRY(add_domains(ctx, store, token));
	return check_room(ctx, store, work->account);
}

rt_status eds_store_own_token_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *digest, struct eds_own_token *token)
{
	struct work work = {account, digest, token};

	token->id = rt_uuid(ctx);
	token->created_at_ms = rt_wall_ms();
	token->used_at_ms = 0;
	return eds_store_write(ctx, store, create, &work);
}

static void read_token(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_own_token *token)
{
	*token = (struct eds_own_token){
		.id = eds_db_text(ctx, query, TOKEN_ID),
		.name = eds_db_text(ctx, query, TOKEN_NAME),
		.created_at_ms = eds_db_int(query, TOKEN_CREATED_AT_MS),
		.expires_at_ms = eds_db_int(query, TOKEN_EXPIRES_AT_MS),
		.used_at_ms = eds_db_int(query, TOKEN_USED_AT_MS),
		.read_only = eds_db_int(query, TOKEN_READ_ONLY) != 0,
		.some_domains = eds_db_int(query, TOKEN_SOME_DOMAINS) != 0,
		.domains = rt_alloc_array(ctx, EDS_TOKEN_DOMAINS_MAX, sizeof(const char *)),
	};
}

/* Lists tokens. The statement gives a row for each domain of a token, or one row without a
 * domain. */
rt_status eds_store_own_token_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, struct eds_own_token **tokens, size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &LIST, EDS_DB_VALUES(eds_db_text_value(account->id)), &query);
	struct eds_own_token *token = NULL;
	size_t room = 0;

	*tokens = NULL;
	*count = 0;
	for (; result == EDS_DB_ROW; result = eds_db_next(query)) {
		const char *domain = eds_db_text(ctx, query, TOKEN_DOMAIN_ID);

		if (token == NULL || strcmp(token->id, eds_db_text(ctx, query, TOKEN_ID)) != 0) {
			*tokens = rt_grow(ctx, *tokens, *count, &room, sizeof **tokens);
			token = &(*tokens)[(*count)++];
			read_token(ctx, query, token);
		}
		if (domain != NULL && token->domain_count < EDS_TOKEN_DOMAINS_MAX)
			token->domains[token->domain_count++] = domain;
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_no_own_token(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "token-not-found", "there is no token with this id");
}

struct removal {
	const struct eds_account *account;
	const char *id;
};

static rt_status delete (struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct removal *removal = arg;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &DELETE,
		EDS_DB_VALUES(
			eds_db_text_value(removal->account->id), eds_db_text_value(removal->id)),
		&query);
	bool found = result == EDS_DB_ROW;

	if (found) {
		eds_store_audit_about(store, NULL, eds_db_text(ctx, query, EDS_DB_ONLY));
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return found ? RT_OK : eds_store_no_own_token(ctx);
}

rt_status eds_store_own_token_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *id)
{
	struct removal removal = {.account = account, .id = id};

	return eds_store_write(ctx, store, delete, &removal);
}
