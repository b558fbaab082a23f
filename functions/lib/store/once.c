#include "functions/lib/store/once.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/store/transaction.h"

enum {
	RETRY_S = 1,
};

/* clang-format off */
/* Claims a key that is free, has expired, or has an unanswered claim that has ended. $7 is the
 * maximum number of keys per account, expired ones included; keys claimed at $8 or before have
 * expired. */
static const struct eds_db_statement CLAIM = {"once-claim",
	"INSERT INTO once_answers (account_id, key, request, holder, at_ms, until_ms)"
	" SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT),"
	" CAST($5 AS BIGINT), CAST($6 AS BIGINT)"
	" WHERE (SELECT count(*) FROM once_answers WHERE account_id = $1) < $7"
	" ON CONFLICT (account_id, key) DO UPDATE SET request = $3, holder = $4, at_ms = $5,"
	" until_ms = $6, answer = NULL"
	" WHERE once_answers.at_ms <= $8 OR (once_answers.answer IS NULL"
	" AND once_answers.until_ms < $5)"
	" RETURNING holder"};

#define FOUND_COLUMNS(FIRST, NEXT) \
	FIRST(FOUND_REQUEST, "request") \
	NEXT(FOUND_HOLDER, "holder") \
	NEXT(FOUND_ANSWER, "answer")
enum { EDS_DB_NAMES(FOUND_COLUMNS) };

static const struct eds_db_statement FIND = {"once-find",
	"SELECT " EDS_DB_LIST(FOUND_COLUMNS)
	" FROM once_answers"
	" WHERE account_id = $1 AND key = $2"};

static const struct eds_db_statement KEEP = {"once-keep",
	"UPDATE once_answers SET answer = $4 WHERE account_id = $1 AND key = $2 AND holder = $3"};

static const struct eds_db_statement DROP = {"once-drop",
	"DELETE FROM once_answers"
	" WHERE account_id = $1 AND key = $2 AND holder = $3 AND answer IS NULL"};

static const struct eds_db_statement EXPIRE = {"once-expire",
	"DELETE FROM once_answers"
	" WHERE (account_id, key) IN (SELECT account_id, key FROM once_answers WHERE at_ms <= $1"
	" ORDER BY at_ms LIMIT $2)"};
/* clang-format on */

rt_status eds_store_once_busy(struct rt_ctx *ctx)
{
	ctx->failure.retry_after_s = RETRY_S;
	return rt_fail(ctx, RT_CONFLICT, "idempotency-key-busy",
		"the first request with this Idempotency-Key is under way; ask again in a moment");
}

static rt_status try_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_once_claim *claim, bool *claimed)
{
	int64_t now_ms = rt_wall_ms();
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &CLAIM,
		EDS_DB_VALUES(eds_db_text_value(claim->account_id), eds_db_text_value(claim->key),
			eds_db_text_value(claim->request), eds_db_text_value(claim->holder),
			eds_db_int_value(now_ms), eds_db_int_value(now_ms + rt_remaining_ms(ctx)),
			eds_db_int_value(EDS_ONCE_ACCOUNT_MAX),
			eds_db_int_value(now_ms - EDS_ONCE_KEPT_MS)),
		&query);

	*claimed = result == EDS_DB_ROW;
	if (*claimed)
		result = eds_db_next(query);
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static void read_found(struct rt_ctx *ctx, struct eds_db_query *query, const char *request,
	struct eds_once_found *found)
{
	found->holder = eds_db_text(ctx, query, FOUND_HOLDER);
	found->answer = eds_db_text(ctx, query, FOUND_ANSWER);
	if (strcmp(eds_db_text(ctx, query, FOUND_REQUEST), request) != 0)
		found->state = EDS_ONCE_OTHER;
	else
		found->state = found->answer != NULL ? EDS_ONCE_DONE : EDS_ONCE_BUSY;
}

rt_status eds_store_once_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_once_claim *claim, struct eds_once_found *found)
{
	struct eds_db_query *query;
	enum eds_db_result result;
	bool claimed;

	*found = (struct eds_once_found){.state = EDS_ONCE_OURS};
	RT_TRY(try_claim(ctx, store, claim, &claimed));
	if (claimed)
		return RT_OK;
	found->state = EDS_ONCE_FULL;
	result = eds_db_query(store->db, &FIND,
		EDS_DB_VALUES(eds_db_text_value(claim->account_id), eds_db_text_value(claim->key)),
		&query);
	if (result == EDS_DB_ROW)
		read_found(ctx, query, claim->request, found);
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

rt_status eds_store_once_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_once_claim *claim, const char *answer)
{
	int64_t changed;
	enum eds_db_result result = eds_db_execute(store->db, &KEEP,
		EDS_DB_VALUES(eds_db_text_value(claim->account_id), eds_db_text_value(claim->key),
			eds_db_text_value(claim->holder), eds_db_text_value(answer)),
		&changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed == 1 ? RT_OK : eds_store_once_busy(ctx);
}

rt_status eds_store_once_drop(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_once_claim *claim)
{
	enum eds_db_result result = eds_db_execute(store->db, &DROP,
		EDS_DB_VALUES(eds_db_text_value(claim->account_id), eds_db_text_value(claim->key),
			eds_db_text_value(claim->holder)),
		NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status expire(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	enum eds_db_result result = eds_db_execute(store->db, &EXPIRE,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() - EDS_ONCE_KEPT_MS),
			eds_db_int_value(EDS_ONCE_EXPIRE_BATCH)),
		arg);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_once_expire(struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	int64_t changed = 0;

	RT_TRY(eds_store_write(ctx, store, expire, &changed));
	*removed = (size_t)changed;
	return RT_OK;
}
