#include "functions/lib/store/backlog.h"
#include "runtime/time.h"

#include "functions/lib/store/due.h"

/* clang-format off */
#define FREE " WHERE " EDS_DUE_FREE("", "$1")
#define LONGEST_DUE_COLUMNS(FIRST, NEXT) \
	FIRST(LONGEST_DUE_SELECTOR, "coalesce((SELECT min(due_at_ms) FROM dkim_selectors" FREE "), $1)") \
	NEXT(LONGEST_DUE_MTA_STS, "coalesce((SELECT min(due_at_ms) FROM mta_sts" FREE "), $1)") \
	NEXT(LONGEST_DUE_UPLOAD, "coalesce((SELECT min(due_at_ms) FROM tester_uploads" \
		" WHERE due_at_ms > 0), $1)") \
	NEXT(LONGEST_DUE_WEBHOOK, "coalesce((SELECT min(due_at_ms) FROM outbox" \
		" WHERE due_at_ms > 0), $1)") \
	NEXT(LONGEST_DUE_POSTURE, "coalesce((SELECT min(due_at_ms) FROM posture" FREE "), $1)") \
	NEXT(LONGEST_DUE_ALERT_MAIL, "coalesce((SELECT min(due_at_ms) FROM alert_mails" \
		" WHERE due_at_ms > 0), $1)") \
	NEXT(LONGEST_DUE_REPORT_WATCH, "coalesce((SELECT min(due_at_ms) FROM report_watch" FREE "), $1)")
enum { EDS_DB_NAMES(LONGEST_DUE_COLUMNS) };

static const struct eds_db_statement LONGEST_DUE = {"backlog",
	"SELECT " EDS_DB_LIST(LONGEST_DUE_COLUMNS)};

/* Changes no row. Both databases check locks and rights before they look for rows, so the statement
 * fails as a change would. */
static const struct eds_db_statement TRY_WRITE = {
	"try-write", "UPDATE tester_sessions SET expires_at_ms = 0 WHERE test_id = ''"};
/* clang-format on */

static int64_t late_s(struct eds_db_query *query, int column, int64_t now_ms)
{
	int64_t due_ms = eds_db_int(query, column);

	return due_ms < now_ms ? (now_ms - due_ms) / 1000 : 0;
}

rt_status eds_store_backlog(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_backlog *backlog)
{
	int64_t now_ms = rt_wall_ms();
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &LONGEST_DUE, EDS_DB_VALUES(eds_db_int_value(now_ms)), &query);

	if (result == EDS_DB_ROW)
		*backlog = (struct eds_backlog){
			.selectors_s = late_s(query, LONGEST_DUE_SELECTOR, now_ms),
			.mta_sts_s = late_s(query, LONGEST_DUE_MTA_STS, now_ms),
			.uploads_s = late_s(query, LONGEST_DUE_UPLOAD, now_ms),
			.webhooks_s = late_s(query, LONGEST_DUE_WEBHOOK, now_ms),
			.posture_s = late_s(query, LONGEST_DUE_POSTURE, now_ms),
			.alert_mails_s = late_s(query, LONGEST_DUE_ALERT_MAIL, now_ms),
			.report_watch_s = late_s(query, LONGEST_DUE_REPORT_WATCH, now_ms),
		};
	eds_db_end(query);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_try_write(struct rt_ctx *ctx, struct eds_store *store)
{
	enum eds_db_result result = eds_db_execute(store->db, &TRY_WRITE, EDS_DB_NO_VALUES, NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}
