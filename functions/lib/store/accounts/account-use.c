#include "functions/lib/store/accounts/account-use.h"
#include "runtime/time.h"

#include <stdio.h>

#include "functions/lib/store/accounts/plan-quota.h"
#include "functions/lib/store/transaction.h"
#include "runtime/config/config.h"

/* clang-format off */
/* $3 is now, $4 an hour before, $5 the limit. An hour that begins in the future shows that the
 * clock was set back; the count then begins anew. */
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

static const struct eds_db_statement HAS_OTHER = {"account-use-other-domain",
	"SELECT 1 FROM domains WHERE account_id = $1 AND id <> $2 LIMIT 1"};

static const struct eds_db_statement LEAVE = {"account-use-leave",
	"DELETE FROM account_uses WHERE account_id = $1 AND kind = $2"};
/* clang-format on */

static const char *const KINDS[] = {
	[EDS_USE_CHECK] = "check",
	[EDS_USE_CERTIFICATE] = "certificate",
	[EDS_USE_CALLBACK] = "callback",
	[EDS_USE_ALERT] = "alert",
	[EDS_USE_DOMAIN] = "domain-creation",
	[EDS_USE_UPLOAD] = "upload",
};

/* The limit of new domains per hour for a plan with this number of domains: enough to create all of
 * them and to replace each once. A small plan allows more, so that its limit does not stop a user
 * who corrects mistakes. */
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

/* A kind of use, and the state of its hour after the use was counted. */
struct hour {
	const char *kind;
	int limit;
	bool counted; /* false when the hour's limit was used up before */
	int64_t used;
	int64_t wait_ms; /* milliseconds until the hour is over */
};

static rt_status read_wait(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, struct hour *hour)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &BEGAN,
		EDS_DB_VALUES(eds_db_text_value(account_id), eds_db_text_value(hour->kind)),
		&query);

	hour->wait_ms = EDS_USE_HOUR_MS;
	if (result == EDS_DB_ROW)
		hour->wait_ms += eds_db_int(query, EDS_DB_ONLY) - rt_wall_ms();
	eds_db_end(query);
	return result == EDS_DB_ROW || result == EDS_DB_OK ? RT_OK
							   : eds_store_failed(ctx, store, result);
}

static rt_status count(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, struct hour *hour)
{
	int64_t now_ms = rt_wall_ms();
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &USE,
		EDS_DB_VALUES(eds_db_text_value(account_id), eds_db_text_value(hour->kind),
			eds_db_int_value(now_ms), eds_db_int_value(now_ms - EDS_USE_HOUR_MS),
			eds_db_int_value(hour->limit)),
		&query);

	hour->counted = result == EDS_DB_ROW;
	hour->used = hour->limit;
	if (hour->counted) {
		hour->used = eds_db_int(query, USE_USED);
		hour->wait_ms = eds_db_int(query, USE_BEGAN_AT_MS) + EDS_USE_HOUR_MS - now_ms;
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return hour->counted ? RT_OK : read_wait(ctx, store, account_id, hour);
}

static int seconds(int64_t wait_ms)
{
	return wait_ms > 1000 ? (int)((wait_ms + 999) / 1000) : 1;
}

static void note(struct rt_ctx *ctx, enum eds_use use, const struct hour *hour)
{
	struct rt_limit noted = {.quota = hour->limit,
		.window_s = EDS_USE_HOUR_MS / 1000,
		.left = hour->used < hour->limit ? (int)(hour->limit - hour->used) : 0,
		.restored_s = seconds(hour->wait_ms)};

	snprintf(noted.name, sizeof noted.name, "%ss", KINDS[use]);
	rt_note_limit(ctx, &noted);
}

rt_status eds_store_use(struct rt_ctx *ctx, struct eds_store *store, const char *account_id,
	enum eds_plan plan, enum eds_use use)
{
	struct hour hour = {.kind = KINDS[use], .limit = limit_of(plan, use)};

	if (hour.limit == 0)
		return RT_OK;
	RT_TRY(count(ctx, store, account_id, &hour));
	note(ctx, use, &hour);
	if (hour.counted)
		return RT_OK;
	ctx->failure.retry_after_s = seconds(hour.wait_ms);
	return fail(ctx, use, hour.limit);
}

static const char *kind_of_domain(struct rt_ctx *ctx, const char *domain_id)
{
	return rt_printf(ctx, "%s %s", KINDS[EDS_USE_ALERT], domain_id);
}

static rt_status use_share(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *domain_id)
{
	struct hour hour = {
		.kind = kind_of_domain(ctx, domain_id), .limit = EDS_USE_ALERTS_OF_DOMAIN};
	bool others;

	RT_TRY(eds_store_has_row(ctx, store, &HAS_OTHER,
		EDS_DB_VALUES(eds_db_text_value(account_id), eds_db_text_value(domain_id)),
		&others));
	if (!others)
		hour.limit = EDS_USE_ALERTS;
	RT_TRY(count(ctx, store, account_id, &hour));
	if (hour.counted)
		return RT_OK;
	ctx->failure.retry_after_s = seconds(hour.wait_ms);
	return rt_fail(ctx, RT_LIMIT, "too-many-alerts",
		"at most %d alerts an hour are sent about a domain, and %d for an account",
		hour.limit, EDS_USE_ALERTS);
}

rt_status eds_store_use_alert(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *domain_id)
{
	if (domain_id != NULL)
		RT_TRY(use_share(ctx, store, account_id, domain_id));
	return eds_store_use(ctx, store, account_id, EDS_PLAN_FREE, EDS_USE_ALERT);
}

rt_status eds_store_use_leave(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *domain_id)
{
	enum eds_db_result result = eds_db_execute(store->db, &LEAVE,
		EDS_DB_VALUES(eds_db_text_value(account_id),
			eds_db_text_value(kind_of_domain(ctx, domain_id))),
		NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}
