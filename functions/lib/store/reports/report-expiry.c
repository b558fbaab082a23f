#include "functions/lib/store/reports/report-expiry.h"
#include "functions/lib/store/reports/report.h"
#include "runtime/time.h"

#include "functions/lib/store/reports/report-rows.h"
#include "functions/lib/store/transaction.h"

static const struct eds_db_statement DELETE_LINES = {"reports-expire",
	"DELETE FROM reports"
	" WHERE (domain_id, id) IN (SELECT domain_id, id FROM reports WHERE received_at_ms <= $1"
	" ORDER BY received_at_ms LIMIT $2)"};

static const struct eds_db_statement DELETE_CREDITS = {"reports-expire-credits",
	"DELETE FROM report_credits"
	" WHERE (domain_id, identity) IN (SELECT domain_id, identity FROM report_credits"
	" WHERE received_at_ms <= $1 ORDER BY received_at_ms LIMIT $2)"};

/* Finds a domain with more than $1 lines in its log of reports. Counts only the lines of domains
 * that got more than $3 lines after the time $2: a domain that gets fewer lines a day cannot fill
 * its log. */
static const struct eds_db_statement FIND_FULL = {"reports-find-full",
	"WITH busy AS (SELECT domain_id FROM reports WHERE received_at_ms > $2 GROUP BY domain_id"
	" HAVING count(*) > $3)"
	" SELECT domain_id"
	" FROM reports"
	" WHERE domain_id IN (SELECT domain_id FROM busy)"
	" GROUP BY domain_id"
	" HAVING count(*) > $1"
	" LIMIT 1"};

static const struct eds_db_statement DELETE_OVER = {"reports-delete-over",
	"DELETE FROM reports WHERE domain_id = $1 AND id IN (" EDS_REPORTS_OVER ")"};

static const struct eds_db_statement DELETE_REPORTERS = {"reporters-expire",
	"DELETE FROM report_reporters"
	" WHERE (domain_id, reporter) IN (SELECT domain_id, reporter FROM report_reporters"
	" WHERE last_seen_at_ms <= $1 AND standing = '' ORDER BY last_seen_at_ms LIMIT $2)"};

static const struct eds_db_statement DELETE_USAGE = {
	"report-usage-expire", "DELETE FROM report_usage WHERE day < $1"};

/* Removes the sums of old days, even if the reports about such a day arrived much later. */
static const struct eds_db_statement DELETE_DAY_PACKS = {"report-day-packs-expire",
	"DELETE FROM report_day_packs WHERE domain_id IN (SELECT id FROM domains) AND day < $1"};

/* Removes old daily sums from tables that only programs of an earlier release fill. */
static const struct eds_db_statement DELETE_SOURCE_DAYS = {"report-source-days-expire",
	"DELETE FROM report_source_days WHERE domain_id IN (SELECT id FROM domains) AND day < $1"};

static const struct eds_db_statement DELETE_REPORTER_DAYS = {"report-reporter-days-expire",
	"DELETE FROM report_reporter_days"
	" WHERE domain_id IN (SELECT id FROM domains) AND day < $1"};

static const struct eds_db_statement SWEEP_BODIES = {"report-bodies-sweep",
	"DELETE FROM report_bodies"
	" WHERE id IN (SELECT b.id FROM report_bodies b WHERE b.received_at_ms > $1"
	" AND b.received_at_ms <= $2 AND NOT EXISTS"
	" (SELECT 1 FROM report_origins o WHERE o.body_id = b.id) LIMIT $3)"};

enum {
	HOUR_MS = 3600 * 1000,
	DAY_MS = 24 * HOUR_MS,
	DAYS_KEPT = (int)(EDS_REPORT_KEPT_MS / DAY_MS),
};

struct expiry {
	int64_t domain_max;
	int64_t removed;
};

static rt_status forget(struct rt_ctx *ctx, struct eds_store *store, struct expiry *expiry,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count)
{
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, statement, values, count, &changed);

	expiry->removed += changed;
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* Removes old daily sums, without adding them to the number of removed reports. */
static rt_status forget_days(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_db_statement *statement)
{
	struct expiry days = {0};

	return forget(ctx, store, &days, statement,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() / DAY_MS - DAYS_KEPT)));
}

static rt_status forget_old(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_db_value until = eds_db_int_value(rt_wall_ms() - EDS_REPORT_KEPT_MS);
	const struct eds_db_value batch = eds_db_int_value(EDS_REPORTS_EXPIRE_BATCH);
	struct expiry *expiry = arg;

	expiry->removed = 0;
	RT_TRY(forget(ctx, store, expiry, &DELETE_LINES, EDS_DB_VALUES(until, batch)));
	RT_TRY(forget(ctx, store, expiry, &DELETE_CREDITS, EDS_DB_VALUES(until, batch)));
	RT_TRY(forget(ctx, store, expiry, &DELETE_REPORTERS, EDS_DB_VALUES(until, batch)));
	RT_TRY(forget_days(ctx, store, &DELETE_DAY_PACKS));
	RT_TRY(forget_days(ctx, store, &DELETE_SOURCE_DAYS));
	RT_TRY(forget_days(ctx, store, &DELETE_REPORTER_DAYS));
	return forget(ctx, store, expiry, &DELETE_USAGE,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() / DAY_MS - 1)));
}

/* Removes bodies that no line refers to. In each hour, examines only the bodies that arrived on one
 * past day, and in the next hour the bodies that arrived a day earlier. A round over all days takes
 * less than four days. In the last hour of a round, examines all bodies older than 90 days: these
 * can still exist because newer lines referred to them. */
static rt_status sweep(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct expiry *expiry = arg;
	int64_t now_ms = rt_wall_ms();
	int64_t days_ago = now_ms / HOUR_MS % (DAYS_KEPT + 1);
	int64_t end_ms = now_ms - days_ago * DAY_MS;

	expiry->removed = 0;
	return forget(ctx, store, expiry, &SWEEP_BODIES,
		EDS_DB_VALUES(eds_db_int_value(days_ago == DAYS_KEPT ? 0 : end_ms - DAY_MS),
			eds_db_int_value(end_ms), eds_db_int_value(EDS_REPORTS_EXPIRE_BATCH)));
}

/* Finds a domain with too many lines; *domain_id is NULL when there is none. */
static rt_status find_full(struct rt_ctx *ctx, struct eds_store *store, const struct expiry *expiry,
	const char **domain_id)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND_FULL,
		EDS_DB_VALUES(eds_db_int_value(expiry->domain_max),
			eds_db_int_value(rt_wall_ms() - DAY_MS),
			eds_db_int_value(expiry->domain_max / DAYS_KEPT)),
		&query);

	*domain_id = result == EDS_DB_ROW ? eds_db_text(ctx, query, EDS_DB_ONLY) : NULL;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

static rt_status forget_over(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct expiry *expiry = arg;
	const char *domain_id;

	expiry->removed = 0;
	RT_TRY(find_full(ctx, store, expiry, &domain_id));
	if (domain_id == NULL)
		return RT_OK;
	RT_TRY(eds_store_report_rows_remove_over(
		ctx, store, domain_id, expiry->domain_max, EDS_REPORTS_EXPIRE_BATCH));
	return forget(ctx, store, expiry, &DELETE_OVER,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_int_value(expiry->domain_max),
			eds_db_int_value(EDS_REPORTS_EXPIRE_BATCH)));
}

rt_status eds_store_reports_expire(struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	struct expiry expiry = {0};

	RT_TRY(eds_store_write(ctx, store, forget_old, &expiry));
	*removed = (size_t)expiry.removed;
	return RT_OK;
}

rt_status eds_store_report_bodies_sweep(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	struct expiry expiry = {0};

	RT_TRY(eds_store_write(ctx, store, sweep, &expiry));
	*removed = (size_t)expiry.removed;
	return RT_OK;
}

rt_status eds_store_reports_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t domain_max, size_t *removed)
{
	struct expiry expiry = {.domain_max = domain_max};

	RT_TRY(eds_store_write(ctx, store, forget_over, &expiry));
	*removed = (size_t)expiry.removed;
	return RT_OK;
}
