#include <string.h>

#include "functions/lib/store/accounts/account-row.h"
#include "functions/lib/store/domains/domain.h"
#include "functions/lib/store/tokens/token-head.h"
#include "functions/lib/store/tokens/token.h"
#include "functions/lib/store/transaction.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

enum {
	HEAD_LENGTH = 16, /* number of digits of the digest that find a row: the time of the lookup
			   * reveals at most these 64 bits */
	USE_MS = 60 * 60 * 1000, /* minimum time between two records of a token's use */
	REFUSED_MS = 60 * 1000,  /* pause after the database refused to record a use */
};

/* clang-format off */
#define GRANT_COLUMNS(FIRST, NEXT) \
	FIRST(GRANT_DIGEST, "t.digest") \
	NEXT(GRANT_ID, "t.id") \
	NEXT(GRANT_NAME, "t.name") \
	NEXT(GRANT_EXPIRES_AT_MS, "t.expires_at_ms") \
	NEXT(GRANT_USED_AT_MS, "t.used_at_ms") \
	NEXT(GRANT_READ_ONLY, "t.read_only") \
	NEXT(GRANT_SOME_DOMAINS, "t.some_domains")
enum { EDS_DB_NAMES(GRANT_COLUMNS) GRANT_COLUMN_COUNT };

/* The columns of the domain, after those of the grant. */
#define DOMAIN_COLUMNS(FIRST, NEXT) \
	FIRST(DOMAIN_ID, "d.id") \
	NEXT(DOMAIN_ACCOUNT_ID, "a.id") \
	NEXT(DOMAIN_NAME, "d.name") \
	NEXT(DOMAIN_CREATED_AT_MS, "d.created_at_ms") \
	NEXT(DOMAIN_PLAN, "a.plan")
enum { EDS_DB_NAMES(DOMAIN_COLUMNS) };

/* Finds a token that is valid at the time $3, by the head of its digest (token-head.h). A token
 * with limits can only read, or can use only some domains; its head is stored with a mark. $1 is
 * the head without the mark, $2 the head with it. */
#define VALID_TOKEN " FROM tokens t JOIN accounts a ON a.id = t.account_id"
#define IS_VALID \
	" WHERE t.digest_head IN ($1, $2) AND t.revoked_at_ms = 0" \
	" AND (t.expires_at_ms = 0 OR t.expires_at_ms > $3)"

static const struct eds_db_statement ACCOUNT = {"token-account",
	"SELECT " EDS_DB_LIST(GRANT_COLUMNS) ", " EDS_DB_LIST(EDS_ACCOUNT_COLUMNS)
	VALID_TOKEN IS_VALID};

static const struct eds_db_statement DOMAIN = {"token-domain",
	"SELECT " EDS_DB_LIST(GRANT_COLUMNS) ", " EDS_DB_LIST(DOMAIN_COLUMNS) VALID_TOKEN
	" LEFT JOIN domains d ON d.account_id = a.id AND d.id = $4"
	" AND (t.some_domains = 0 OR EXISTS"
	" (SELECT 1 FROM token_domains l WHERE l.token_id = t.id"
	" AND l.domain_id = d.id))" IS_VALID};

static const struct eds_db_statement USE = {"token-use",
	"UPDATE tokens SET used_at_ms = $2 WHERE id = $1 AND used_at_ms < $3"};

static const struct eds_db_statement INSERT = {"token-insert",
	"INSERT INTO tokens (id, account_id, name, digest_head, digest, created_at_ms,"
	" expires_at_ms, revoked_at_ms)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, 0)"};

static const struct eds_db_statement REVOKE = {"token-revoke",
	"UPDATE tokens"
	" SET revoked_at_ms = CASE WHEN revoked_at_ms = 0 THEN $2 ELSE revoked_at_ms END"
	" WHERE id = $1"};

#define TOKEN_COLUMNS(FIRST, NEXT) \
	FIRST(TOKEN_ID, "t.id") \
	NEXT(TOKEN_ACCOUNT_NAME, "a.name") \
	NEXT(TOKEN_NAME, "t.name") \
	NEXT(TOKEN_CREATED_AT_MS, "t.created_at_ms") \
	NEXT(TOKEN_EXPIRES_AT_MS, "t.expires_at_ms") \
	NEXT(TOKEN_REVOKED_AT_MS, "t.revoked_at_ms")
enum { EDS_DB_NAMES(TOKEN_COLUMNS) };

static const struct eds_db_statement LIST = {"token-list",
	"SELECT " EDS_DB_LIST(TOKEN_COLUMNS)
	" FROM tokens t"
	" JOIN accounts a ON a.id = t.account_id"
	" ORDER BY a.name COLLATE \"C\", t.created_at_ms, t.id"};
/* clang-format on */

const char *eds_token_head(struct rt_ctx *ctx, const char *digest)
{
	return rt_memdup(ctx, digest, strnlen(digest, HEAD_LENGTH));
}

const char *eds_token_limited_head(struct rt_ctx *ctx, const char *digest)
{
	return rt_printf(ctx, ".%s", eds_token_head(ctx, digest));
}

static rt_status not_valid(struct rt_ctx *ctx)
{
	return rt_fail(
		ctx, RT_UNAUTHORIZED, "token-invalid", "the token is unknown, expired or revoked");
}

/* Compares digests in constant time, so that the time does not reveal where they differ. */
static bool same_digest(const char *a, const char *b)
{
	unsigned char differing = 0;

	if (strlen(a) != EDS_TOKEN_DIGEST_LENGTH || strlen(b) != EDS_TOKEN_DIGEST_LENGTH)
		return false;
	for (size_t i = 0; i < EDS_TOKEN_DIGEST_LENGTH; i++)
		differing |= (unsigned char)(a[i] ^ b[i]);
	return differing == 0;
}

/* Fails unless the first row of a query has a token with this digest; compares the whole digest. */
static rt_status check_token(struct rt_ctx *ctx, struct eds_store *store, const char *digest,
	struct eds_db_query *query, enum eds_db_result result)
{
	if (result == EDS_DB_OK)
		return not_valid(ctx);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	return same_digest(digest, eds_db_text(ctx, query, GRANT_DIGEST)) ? RT_OK : not_valid(ctx);
}

static void read_grant(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_token_grant *grant)
{
	grant->id = eds_db_text(ctx, query, GRANT_ID);
	grant->name = eds_db_text(ctx, query, GRANT_NAME);
	grant->expires_at_ms = eds_db_int(query, GRANT_EXPIRES_AT_MS);
	grant->used_at_ms = eds_db_int(query, GRANT_USED_AT_MS);
	grant->read_only = eds_db_int(query, GRANT_READ_ONLY) != 0;
	grant->some_domains = eds_db_int(query, GRANT_SOME_DOMAINS) != 0;
}

/* Records the use of a token. A request that only reads must neither fail nor wait because the use
 * cannot be recorded. So, on SQLite, the function does not wait for the lock of the database. After
 * the database has refused to record a use, the function records none for a while. */
static void note_use(struct eds_store *store, const struct eds_token_grant *grant)
{
	static int64_t again_ms; /* when uses are recorded again, on the monotonic clock */
	int64_t now_ms = rt_wall_ms();
	int64_t wait_until_ms = store->db->wait_until_ms;
	enum eds_db_result result;

	if (now_ms - grant->used_at_ms < USE_MS || rt_monotonic_ms() < again_ms)
		return;
	if (!store->db->driver->writes_beside)
		store->db->wait_until_ms = 0;
	result = eds_db_execute(store->db, &USE,
		EDS_DB_VALUES(eds_db_text_value(grant->id), eds_db_int_value(now_ms),
			eds_db_int_value(now_ms - USE_MS + 1)),
		NULL);
	store->db->wait_until_ms = wait_until_ms;
	if (result != EDS_DB_OK)
		again_ms = rt_monotonic_ms() + REFUSED_MS;
}

rt_status eds_store_token_account(struct rt_ctx *ctx, struct eds_store *store, const char *digest,
	struct eds_account *account, struct eds_token_grant *grant)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &ACCOUNT,
		EDS_DB_VALUES(eds_db_text_value(eds_token_head(ctx, digest)),
			eds_db_text_value(eds_token_limited_head(ctx, digest)),
			eds_db_int_value(rt_wall_ms())),
		&query);
	rt_status status = check_token(ctx, store, digest, query, result);

	memset(account, 0, sizeof *account);
	memset(grant, 0, sizeof *grant);
	if (status == RT_OK) {
		read_grant(ctx, query, grant);
		eds_store_account_read(ctx, query, GRANT_COLUMN_COUNT, account);
		account->only_token = grant->some_domains ? grant->id : NULL;
	}
	eds_db_end(query);
	if (status == RT_OK)
		note_use(store, grant);
	return status;
}

static void read_domain(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_domain *domain)
{
	bool paid = strcmp(eds_db_text(ctx, query, GRANT_COLUMN_COUNT + DOMAIN_PLAN),
			    eds_plan_name(EDS_PLAN_PAID)) == 0;

	domain->id = eds_db_text(ctx, query, GRANT_COLUMN_COUNT + DOMAIN_ID);
	domain->account_id = eds_db_text(ctx, query, GRANT_COLUMN_COUNT + DOMAIN_ACCOUNT_ID);
	domain->name = eds_db_text(ctx, query, GRANT_COLUMN_COUNT + DOMAIN_NAME);
	domain->created_at_ms = eds_db_int(query, GRANT_COLUMN_COUNT + DOMAIN_CREATED_AT_MS);
	domain->plan = paid ? EDS_PLAN_PAID : EDS_PLAN_FREE;
}

rt_status eds_store_token_domain(struct rt_ctx *ctx, struct eds_store *store, const char *digest,
	const char *domain_id, struct eds_domain *domain, struct eds_token_grant *grant)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &DOMAIN,
		EDS_DB_VALUES(eds_db_text_value(eds_token_head(ctx, digest)),
			eds_db_text_value(eds_token_limited_head(ctx, digest)),
			eds_db_int_value(rt_wall_ms()), eds_db_text_value(domain_id)),
		&query);
	rt_status status = check_token(ctx, store, digest, query, result);

	memset(domain, 0, sizeof *domain);
	memset(grant, 0, sizeof *grant);
	if (status == RT_OK) {
		read_grant(ctx, query, grant);
		read_domain(ctx, query, domain);
	}
	eds_db_end(query);
	if (status == RT_OK)
		note_use(store, grant);
	if (status == RT_OK && domain->id == NULL)
		return eds_store_no_domain(ctx);
	return status;
}

rt_status eds_store_token_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_name, const char *name, int64_t expires_at_ms, const char *digest,
	struct eds_token *token)
{
	struct eds_account account;
	enum eds_db_result result;

	RT_TRY(eds_store_account_get(ctx, store, account_name, &account));
	*token = (struct eds_token){
		.id = rt_uuid(ctx),
		.account_name = account_name,
		.name = name,
		.created_at_ms = rt_wall_ms(),
		.expires_at_ms = expires_at_ms,
	};
	result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(token->id), eds_db_text_value(account.id),
			eds_db_text_value(name), eds_db_text_value(eds_token_head(ctx, digest)),
			eds_db_text_value(digest), eds_db_int_value(token->created_at_ms),
			eds_db_int_value(expires_at_ms)),
		NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_token_revoke(struct rt_ctx *ctx, struct eds_store *store, const char *id)
{
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &REVOKE,
		EDS_DB_VALUES(eds_db_text_value(id), eds_db_int_value(rt_wall_ms())), &changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (changed == 0)
		return rt_fail(
			ctx, RT_NOT_FOUND, "token-not-found", "there is no token with this id");
	return RT_OK;
}

static void read_token(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_token *token)
{
	token->id = eds_db_text(ctx, query, TOKEN_ID);
	token->account_name = eds_db_text(ctx, query, TOKEN_ACCOUNT_NAME);
	token->name = eds_db_text(ctx, query, TOKEN_NAME);
	token->created_at_ms = eds_db_int(query, TOKEN_CREATED_AT_MS);
	token->expires_at_ms = eds_db_int(query, TOKEN_EXPIRES_AT_MS);
	token->revoked_at_ms = eds_db_int(query, TOKEN_REVOKED_AT_MS);
}

rt_status eds_store_token_list(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_token **tokens, size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST, EDS_DB_NO_VALUES, &query);
	size_t room = 0;

	*tokens = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*tokens = rt_grow(ctx, *tokens, *count, &room, sizeof **tokens);
		read_token(ctx, query, &(*tokens)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}
