/* Reports, and what remembers that they have counted, go 90 days after they came. */
#include "functions/lib/store/report.h"

#include "functions/lib/store/transaction.h"

static const struct eds_db_statement DELETE_LINES = {"reports-expire",
	"DELETE FROM reports WHERE (domain_id, id) IN (SELECT domain_id, id FROM reports"
	" WHERE received_at_ms <= $1 ORDER BY received_at_ms LIMIT $2)"};

static const struct eds_db_statement DELETE_CREDITS = {"reports-expire-credits",
	"DELETE FROM report_credits WHERE (domain_id, identity) IN (SELECT domain_id, identity"
	" FROM report_credits WHERE received_at_ms <= $1 ORDER BY received_at_ms LIMIT $2)"};

/* Of those alone that had more than $3 since $2: who had fewer each day has not filled the log. */
static const struct eds_db_statement FIND_FULL = {"reports-find-full",
	"WITH busy AS (SELECT domain_id FROM reports WHERE received_at_ms > $2 GROUP BY domain_id"
	" HAVING count(*) > $3) SELECT domain_id FROM reports WHERE domain_id IN"
	" (SELECT domain_id FROM busy) GROUP BY domain_id HAVING count(*) > $1 LIMIT 1"};

static const struct eds_db_statement DELETE_OVER = {"reports-delete-over",
	"DELETE FROM reports WHERE domain_id = $1 AND id IN (SELECT id FROM reports"
	" WHERE domain_id = $1 ORDER BY id COLLATE \"C\" DESC LIMIT $3 OFFSET $2)"};

enum {
	DAY_MS = 24 * 3600 * 1000,
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

static rt_status forget_old(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_db_value until = eds_db_int_value(rt_wall_ms() - EDS_REPORT_KEPT_MS);
	const struct eds_db_value batch = eds_db_int_value(EDS_REPORTS_EXPIRE_BATCH);
	struct expiry *expiry = arg;

	expiry->removed = 0;
	RT_TRY(forget(ctx, store, expiry, &DELETE_LINES, EDS_DB_VALUES(until, batch)));
	return forget(ctx, store, expiry, &DELETE_CREDITS, EDS_DB_VALUES(until, batch));
}

/* A domain with more lines than it may have; NULL when there is none. */
static rt_status find_full(struct rt_ctx *ctx, struct eds_store *store, const struct expiry *expiry,
	const char **domain_id)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND_FULL,
		EDS_DB_VALUES(eds_db_int_value(expiry->domain_max),
			eds_db_int_value(rt_wall_ms() - DAY_MS),
			eds_db_int_value(expiry->domain_max / DAYS_KEPT)),
		&query);

	*domain_id = result == EDS_DB_ROW ? eds_db_text(ctx, query, 0) : NULL;
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

rt_status eds_store_reports_trim(
	struct rt_ctx *ctx, struct eds_store *store, int64_t domain_max, size_t *removed)
{
	struct expiry expiry = {.domain_max = domain_max};

	RT_TRY(eds_store_write(ctx, store, forget_over, &expiry));
	*removed = (size_t)expiry.removed;
	return RT_OK;
}
