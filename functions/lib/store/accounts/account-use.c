#include "functions/lib/store/accounts/account-use.h"
#include "runtime/time.h"

#include <stdio.h>

#include "functions/lib/store/accounts/plan-quota.h"
#include "functions/lib/store/transaction.h"
#include "runtime/config/config.h"

/* clang-format off */
/* $3 is now, $4 an hour before, $5 the limit. A beginning in the future means that the clock was
 * set back since; the count begins anew then. */
#define OVER "(account_uses.began_at_ms <= $4 OR account_uses.began_at_ms > $3)"
#define USE_COLUMNS(FIRST, NEXT) \
	FIRST(USE_BEGAN_AT_MS, "began_at_ms") \
	NEXT(USE_USED, "used")
enum { EDS_DB_NAMES(USE_COLUMNS) };

static const struct eds_db_statement USE = {"account-use",
	"INSERT INTO account_uses (account_id, kind, began_at_ms, used)"
	" VALUES ($1, $2, $3, 1)"
	" ON CONFLICT (account_id, kind) DO UPDATE SET used = CASE WHEN " OVER " THEN 1"
	" ELSE account_uses.used + 1 END, began_at_ms = CASE WHEN " OVER " THEN $3"
	" ELSE account_uses.began_at_ms END"
	" WHERE " OVER " OR account_uses.used < $5"
	" RETURNING " EDS_DB_LIST(USE_COLUMNS)};

static const struct eds_db_statement BEGAN = {"account-use-began",
	"SELECT began_at_ms FROM account_uses WHERE account_id = $1 AND kind = $2"};
/* clang-format on */

static const char *const KINDS[] = {
	[EDS_USE_CHECK] = "check",
	[EDS_USE_CERTIFICATE] = "certificate",
	[EDS_USE_CALLBACK] = "callback",
	[EDS_USE_ALERT] = "alert",
	[EDS_USE_DOMAIN] = "domain-creation",
	[EDS_USE_UPLOAD] = "upload",
};

static void note(struct rt_ctx *ctx, enum eds_use use, int limit, int64_t used, int64_t wait_ms)
{
	struct rt_limit noted = {.quota = limit,
		.window_s = EDS_USE_HOUR_MS / 1000,
		.left = used < limit ? (int)(limit - used) : 0,
		.restored_s = wait_ms > 1000 ? (int)((wait_ms + 999) / 1000) : 1};

	snprintf(noted.name, sizeof noted.name, "%ss", KINDS[use]);
	rt_note_limit(ctx, &noted);
}

/* Every domain of the plan may be replaced once in the hour. A small plan must not stop a user who
 * corrects mistakes. */
static int creations(int domains)
{
	if (domains == 0)
		return 0;
	return 2 * domains > EDS_USE_CREATIONS_LEAST ? 2 * domains : EDS_USE_CREATIONS_LEAST;
}

static int limit_of(enum eds_plan plan, enum eds_use use)
{
	const struct rt_quota *quota = eds_plan_quota(plan);

	switch (use) {
	case EDS_USE_CERTIFICATE:
		return quota->certificates;
	case EDS_USE_CALLBACK:
		return quota->callbacks;
	case EDS_USE_ALERT:
		return EDS_USE_ALERTS;
	case EDS_USE_DOMAIN:
		return creations(quota->domains);
	case EDS_USE_UPLOAD:
		return quota->uploads;
	case EDS_USE_CHECK:
		break;
	}
	return quota->checks;
}

static rt_status fail(struct rt_ctx *ctx, enum eds_use use, int limit)
{
	switch (use) {
	case EDS_USE_CERTIFICATE:
		return rt_fail(ctx, RT_LIMIT, "too-many-certificates",
			"the plan allows new certificates for at most %d names an hour", limit);
	case EDS_USE_CALLBACK:
		return rt_fail(ctx, RT_LIMIT, "too-many-callbacks",
			"the plan allows at most %d tests with a callback an hour", limit);
	case EDS_USE_ALERT:
		return rt_fail(ctx, RT_LIMIT, "too-many-alerts",
			"at most %d alerts an hour are sent for an account", limit);
	case EDS_USE_DOMAIN:
		return rt_fail(ctx, RT_LIMIT, "too-many-domains",
			"the plan allows at most %d new domains an hour, deleted ones included",
			limit);
	case EDS_USE_UPLOAD:
		return rt_fail(ctx, RT_LIMIT, "too-many-uploads",
			"the plan allows at most %d files with reports an hour; a zip or a tar may "
			"contain many",
			limit);
	case EDS_USE_CHECK:
		break;
	}
	return rt_fail(ctx, RT_LIMIT, "too-many-checks",
		"the plan allows at most %d checks on request an hour; scheduled checks continue",
		limit);
}

static rt_status refuse(struct rt_ctx *ctx, struct eds_store *store, const char *account_id,
	int limit, enum eds_use use)
{
	int64_t wait_ms = EDS_USE_HOUR_MS;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &BEGAN,
		EDS_DB_VALUES(eds_db_text_value(account_id), eds_db_text_value(KINDS[use])),
		&query);

	if (result == EDS_DB_ROW)
		wait_ms += eds_db_int(query, EDS_DB_ONLY) - rt_wall_ms();
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	ctx->failure.retry_after_s = wait_ms > 1000 ? (int)((wait_ms + 999) / 1000) : 1;
	note(ctx, use, limit, limit, wait_ms);
	return fail(ctx, use, limit);
}

rt_status eds_store_use(struct rt_ctx *ctx, struct eds_store *store, const char *account_id,
	enum eds_plan plan, enum eds_use use)
{
	int limit = limit_of(plan, use);
	int64_t now_ms = rt_wall_ms();
	struct eds_db_query *query;
	enum eds_db_result result;
	bool counted;

	if (limit == 0)
		return RT_OK;
	result = eds_db_query(store->db, &USE,
		EDS_DB_VALUES(eds_db_text_value(account_id), eds_db_text_value(KINDS[use]),
			eds_db_int_value(now_ms), eds_db_int_value(now_ms - EDS_USE_HOUR_MS),
			eds_db_int_value(limit)),
		&query);
	counted = result == EDS_DB_ROW;
	if (counted) {
		note(ctx, use, limit, eds_db_int(query, USE_USED),
			eds_db_int(query, USE_BEGAN_AT_MS) + EDS_USE_HOUR_MS - now_ms);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return counted ? RT_OK : refuse(ctx, store, account_id, limit, use);
}
