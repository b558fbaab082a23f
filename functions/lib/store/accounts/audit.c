/* The audit log: lists entries and removes old ones. */
#include "functions/lib/store/accounts/audit.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <limits.h>

#include "functions/lib/store/accounts/audit-write.h"
#include "functions/lib/store/transaction.h"

enum {
	DAY_MS = 24 * 3600 * 1000,
};

/* clang-format off */
#define ENTRY_COLUMNS(FIRST, NEXT) \
	FIRST(ENTRY_ID, "id") \
	NEXT(ENTRY_AT_MS, "at_ms") \
	NEXT(ENTRY_TOKEN_ID, "token_id") \
	NEXT(ENTRY_TOKEN_NAME, "token_name") \
	NEXT(ENTRY_ACTION, "action") \
	NEXT(ENTRY_DOMAIN, "domain") \
	NEXT(ENTRY_SUBJECT, "subject")
enum { EDS_DB_NAMES(ENTRY_COLUMNS) };

static const struct eds_db_statement LIST = {"audit-list",
	"SELECT " EDS_DB_LIST(ENTRY_COLUMNS)
	" FROM audit_log"
	" WHERE account_id = $1 AND at_ms > $2 AND id COLLATE \"C\" < $3"
	" ORDER BY id COLLATE \"C\" DESC"
	" LIMIT $4"};

static const struct eds_db_statement EXPIRE = {"audit-expire",
	"DELETE FROM audit_log"
	" WHERE (account_id, id) IN (SELECT account_id, id FROM audit_log WHERE at_ms <= $1"
	" ORDER BY at_ms LIMIT $2)"};

#define FULL_COLUMNS(FIRST, NEXT) \
	FIRST(FULL_ACCOUNT_ID, "account_id") \
	NEXT(FULL_COUNT, "count(*)")
enum { EDS_DB_NAMES(FULL_COLUMNS) };

/* Finds an account with more than $1 entries. Counts only the entries of accounts that have more
 * than $3 entries since $2, a day ago: an account with fewer entries a day cannot fill its log. */
static const struct eds_db_statement FIND_FULL = {"audit-find-full",
	"WITH busy AS (SELECT account_id FROM audit_log WHERE at_ms > $2 GROUP BY account_id"
	" HAVING count(*) > $3)"
	" SELECT " EDS_DB_LIST(FULL_COLUMNS)
	" FROM audit_log"
	" WHERE account_id IN (SELECT account_id FROM busy)"
	" GROUP BY account_id"
	" HAVING count(*) > $1"
	" LIMIT 1"};

static const struct eds_db_statement COUNT = {
	"audit-count", "SELECT count(*) FROM audit_log WHERE account_id = $1"};

/* Deletes the oldest entries of the tokens with the most entries, so that one token cannot push out
 * the entries of other tokens. */
static const struct eds_db_statement DELETE_OVER = {"audit-delete-over",
	"DELETE FROM audit_log"
	" WHERE account_id = $1 AND id IN (SELECT id FROM (SELECT id,"
	" row_number() OVER (PARTITION BY token_id ORDER BY id COLLATE \"C\" DESC) AS place"
	" FROM audit_log WHERE account_id = $1) AS placed"
	" ORDER BY place DESC, id COLLATE \"C\" LIMIT $2)"};
/* clang-format on */

/* A text that sorts after every id, since ids consist of hexadecimal digits and hyphens. */
static const char *const behind_all = "~";

static void forget_entry(void *handle)
{
	struct eds_store *store = handle;

	store->entry = NULL;
}

void eds_store_audit_begin(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_audit_entry *entry)
{
	struct eds_audit_entry *own = rt_alloc(ctx, sizeof *own);

	*own = *entry;
	own->id = rt_uuid(ctx);
	own->at_ms = rt_wall_ms();
	store->entry = own;
	rt_on_release(ctx, forget_entry, store);
}

static void read_entry(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_audit_entry *entry)
{
	*entry = (struct eds_audit_entry){
		.id = eds_db_text(ctx, query, ENTRY_ID),
		.at_ms = eds_db_int(query, ENTRY_AT_MS),
		.token_id = eds_db_text(ctx, query, ENTRY_TOKEN_ID),
		.token_name = eds_db_text(ctx, query, ENTRY_TOKEN_NAME),
		.action = eds_db_text(ctx, query, ENTRY_ACTION),
		.domain = eds_db_text(ctx, query, ENTRY_DOMAIN),
		.subject = eds_db_text(ctx, query, ENTRY_SUBJECT),
	};
}

rt_status eds_store_audit_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const char *after, int limit,
	struct eds_audit_entry **entries, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST,
		EDS_DB_VALUES(eds_db_text_value(account->id),
			eds_db_int_value(rt_wall_ms() - EDS_AUDIT_KEPT_MS),
			eds_db_text_value(after != NULL ? after : behind_all),
			eds_db_int_value(limit > 0 ? limit : INT_MAX)),
		&query);

	*entries = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*entries = rt_grow(ctx, *entries, *count, &room, sizeof **entries);
		read_entry(ctx, query, &(*entries)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status expire(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	enum eds_db_result result = eds_db_execute(store->db, &EXPIRE,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() - EDS_AUDIT_KEPT_MS),
			eds_db_int_value(EDS_AUDIT_EXPIRE_BATCH)),
		arg);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_audit_expire(struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	int64_t changed = 0;

	RT_TRY(eds_store_write(ctx, store, expire, &changed));
	*removed = (size_t)changed;
	return RT_OK;
}

struct trimming {
	int64_t account_max;
	int64_t removed;
};

/* Finds an account with too many entries, and the number of its entries. *account_id is NULL when
 * there is no such account. */
static rt_status find_full(struct rt_ctx *ctx, struct eds_store *store, int64_t account_max,
	const char **account_id, int64_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND_FULL,
		EDS_DB_VALUES(eds_db_int_value(account_max),
			eds_db_int_value(rt_wall_ms() - DAY_MS),
			eds_db_int_value(account_max / EDS_AUDIT_DAYS)),
		&query);

	*account_id = result == EDS_DB_ROW ? eds_db_text(ctx, query, FULL_ACCOUNT_ID) : NULL;
	*count = result == EDS_DB_ROW ? eds_db_int(query, FULL_COUNT) : 0;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

static rt_status delete_over(struct rt_ctx *ctx, struct eds_store *store, const char *account_id,
	int64_t over, int64_t *removed)
{
	enum eds_db_result result = eds_db_execute(store->db, &DELETE_OVER,
		EDS_DB_VALUES(eds_db_text_value(account_id),
			eds_db_int_value(
				over < EDS_AUDIT_EXPIRE_BATCH ? over : EDS_AUDIT_EXPIRE_BATCH)),
		removed);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status trim(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct trimming *trimming = arg;
	const char *account_id;
	int64_t count;

	trimming->removed = 0;
	RT_TRY(find_full(ctx, store, trimming->account_max, &account_id, &count));
	if (account_id == NULL)
		return RT_OK;
	return delete_over(
		ctx, store, account_id, count - trimming->account_max, &trimming->removed);
}

rt_status eds_store_audit_trim_sometimes(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id)
{
	uint32_t chance;
	int64_t count;

	rt_random(&chance, sizeof chance);
	if (chance % EDS_AUDIT_TRIM_EVERY != 0)
		return RT_OK;
	RT_TRY(eds_store_count(ctx, store, &COUNT, account_id, &count));
	if (count <= EDS_AUDIT_ACCOUNT_MAX)
		return RT_OK;
	return delete_over(ctx, store, account_id, count - EDS_AUDIT_ACCOUNT_MAX, NULL);
}

rt_status eds_store_audit_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t account_max, size_t *removed)
{
	struct trimming trimming = {.account_max = account_max};

	RT_TRY(eds_store_write_guarded(ctx, store, trim, &trimming));
	*removed = (size_t)trimming.removed;
	return RT_OK;
}
