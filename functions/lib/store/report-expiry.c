/* Reports, and what remembers that they have counted, go 90 days after they came. */
#include "functions/lib/store/report.h"

#include "functions/lib/store/transaction.h"

static const struct eds_db_statement DELETE_LINES = {"reports-expire",
	"DELETE FROM reports WHERE (domain_id, id) IN (SELECT domain_id, id FROM reports"
	" WHERE received_at_ms <= $1 ORDER BY received_at_ms LIMIT $2)"};

static const struct eds_db_statement DELETE_CREDITS = {"reports-expire-credits",
	"DELETE FROM report_credits WHERE (domain_id, identity) IN (SELECT domain_id, identity"
	" FROM report_credits WHERE received_at_ms <= $1 ORDER BY received_at_ms LIMIT $2)"};

static rt_status expire(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_db_statement *const statements[] = {&DELETE_LINES, &DELETE_CREDITS};
	int64_t *removed = arg;

	*removed = 0;
	for (size_t i = 0; i < 2; i++) {
		int64_t changed = 0;
		enum eds_db_result result = eds_db_execute(store->db, statements[i],
			EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() - EDS_REPORT_KEPT_MS),
				eds_db_int_value(EDS_REPORTS_EXPIRE_BATCH)),
			&changed);

		if (result != EDS_DB_OK)
			return eds_store_failed(ctx, store, result);
		*removed += changed;
	}
	return RT_OK;
}

rt_status eds_store_reports_expire(struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	int64_t count = 0;

	RT_TRY(eds_store_write(ctx, store, expire, &count));
	*removed = (size_t)count;
	return RT_OK;
}
