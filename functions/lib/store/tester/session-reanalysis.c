#include "functions/lib/store/tester/session-reanalysis.h"
#include "functions/lib/store/tester/client-use.h"
#include "functions/lib/store/transaction.h"
#include "runtime/time.h"

/* Takes the right to analyze again: the process that changes the row has the right. Other processes
 * find a later time in the row. */
static const struct eds_db_statement BEGIN = {"reanalysis-begin",
	"UPDATE tester_sessions"
	" SET reanalyze_from_ms = $2"
	" WHERE test_id = $1 AND reanalyze_from_ms <= $3 AND expires_at_ms > $3"};

static const struct eds_db_statement WAIT = {"reanalysis-wait",
	"SELECT reanalyze_from_ms FROM tester_sessions WHERE test_id = $1 AND expires_at_ms > $2"};

static const struct eds_db_statement END = {
	"reanalysis-end", "UPDATE tester_sessions SET reanalyze_from_ms = $2 WHERE test_id = $1"};

struct beginning {
	const char *test_id;
	const char *client;
	int per_hour;
};

/* Finds out why the row could not be changed. */
static rt_status refuse(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id, int64_t now_ms)
{
	int64_t wait_ms = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &WAIT,
		EDS_DB_VALUES(eds_db_text_value(test_id), eds_db_int_value(now_ms)), &query);

	if (result == EDS_DB_ROW)
		wait_ms = eds_db_int(query, EDS_DB_ONLY) - now_ms;
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return rt_fail(ctx, RT_NOT_FOUND, "session-not-found",
			"there is no such test session, or it has expired");
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	/* after a clock was set back, the computed wait is longer than the true wait */
	if (wait_ms > EDS_REANALYZE_LEASE_MS)
		wait_ms = EDS_REANALYZE_LEASE_MS;
	ctx->failure.retry_after_s = wait_ms > 1000 ? (int)(wait_ms + 999) / 1000 : 1;
	return rt_fail(ctx, RT_LIMIT, "reanalyzed-just-now",
		"this message is being analyzed, or was analyzed a moment ago");
}

static rt_status begin(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct beginning *beginning = arg;
	const char *test_id = beginning->test_id;
	int64_t now_ms = rt_wall_ms();
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &BEGIN,
		EDS_DB_VALUES(eds_db_text_value(test_id),
			eds_db_int_value(now_ms + EDS_REANALYZE_LEASE_MS),
			eds_db_int_value(now_ms)),
		&changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed == 1 ? eds_store_client_count(ctx, store, EDS_CLIENT_REANALYSIS,
				      beginning->client, beginning->per_hour)
			    : refuse(ctx, store, test_id, now_ms);
}

rt_status eds_store_reanalysis_begin(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *client, int per_hour)
{
	struct beginning beginning = {.test_id = test_id, .client = client, .per_hour = per_hour};

	return eds_store_write(ctx, store, begin, &beginning);
}

static rt_status end(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const char *test_id = *(const char **)arg;
	enum eds_db_result result = eds_db_execute(store->db, &END,
		EDS_DB_VALUES(eds_db_text_value(test_id),
			eds_db_int_value(rt_wall_ms() + EDS_REANALYZE_PAUSE_MS)),
		NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_reanalysis_end(struct rt_ctx *ctx, struct eds_store *store, const char *test_id)
{
	return eds_store_write(ctx, store, end, &test_id);
}
