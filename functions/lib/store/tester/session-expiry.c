#include "functions/lib/store/tester/session-expiry.h"
#include "functions/lib/store/tester/stored-mail-change.h"
#include "runtime/time.h"

/* clang-format off */
/* In these two parts of statements, $1 is now, and $2 is the size of the batch. */
#define DUE_SESSIONS \
	"(SELECT test_id FROM tester_sessions WHERE expires_at_ms <= $1" \
	" ORDER BY expires_at_ms, test_id LIMIT $2)"
#define HELD_BY_A_LIVE_SESSION \
	"EXISTS (SELECT 1 FROM tester_messages o JOIN tester_sessions l ON l.test_id = o.test_id" \
	" WHERE o.message_id = tester_messages.message_id AND l.expires_at_ms > $1)"

/* The messages are ordered, so that processes that remove the same rows at once wait for one
 * another without a deadlock.
 */
static const struct eds_db_statement EXPIRED = {"messages-expired",
	"SELECT DISTINCT message_id"
	" FROM tester_messages"
	" WHERE test_id IN " DUE_SESSIONS " AND NOT " HELD_BY_A_LIVE_SESSION
	" ORDER BY message_id"
	" LIMIT $2"};

static const struct eds_db_statement DELETE_SHARED = {"messages-delete-shared",
	"DELETE FROM tester_messages"
	" WHERE test_id IN " DUE_SESSIONS " AND " HELD_BY_A_LIVE_SESSION};

static const struct eds_db_statement DELETE_MESSAGE = {"messages-delete",
	"DELETE FROM tester_messages"
	" WHERE message_id = $1 AND test_id IN"
	" (SELECT test_id FROM tester_sessions WHERE expires_at_ms <= $2)"};

static const struct eds_db_statement DELETE_SESSIONS = {"sessions-delete",
	"DELETE FROM tester_sessions"
	" WHERE test_id IN " DUE_SESSIONS " AND NOT EXISTS"
	" (SELECT 1 FROM tester_messages m WHERE m.test_id = tester_sessions.test_id)"};

static const struct eds_db_statement DELETE_CLIENTS = {"reanalysis-clients-delete",
	"DELETE FROM reanalysis_clients WHERE used_until_ms <= $1"};

/* Removes rows of uploads when they are no longer needed. While the session of a message is live,
 * the row is needed to detect a repeated message. */
static const struct eds_db_statement DELETE_UPLOADS = {"uploads-delete",
	"DELETE FROM tester_uploads WHERE received_at_ms <= $1"};
/* clang-format on */

rt_status eds_store_messages_expired(
	struct rt_ctx *ctx, struct eds_store *store, const char ***message_ids, size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &EXPIRED,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms()), eds_db_int_value(EDS_EXPIRE_BATCH)),
		&query);

	*message_ids = rt_alloc_array(ctx, EDS_EXPIRE_BATCH, sizeof **message_ids);
	for (*count = 0; result == EDS_DB_ROW && *count < EDS_EXPIRE_BATCH; (*count)++) {
		(*message_ids)[*count] = eds_db_text(ctx, query, EDS_DB_ONLY);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

struct purge {
	const char *const *message_ids;
	size_t count;
	int64_t sessions_removed;
};

static rt_status delete_messages(
	struct rt_ctx *ctx, struct eds_store *store, const struct purge *purge, int64_t now_ms)
{
	for (size_t i = 0; i < purge->count; i++) {
		enum eds_db_result result = eds_db_execute(store->db, &DELETE_MESSAGE,
			EDS_DB_VALUES(
				eds_db_text_value(purge->message_ids[i]), eds_db_int_value(now_ms)),
			NULL);

		if (result != EDS_DB_OK)
			return eds_store_failed(ctx, store, result);
		RT_TRY(eds_store_mail_gone(ctx, store, purge->message_ids[i]));
	}
	return RT_OK;
}

static rt_status purge_rows(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct purge *purge = arg;
	int64_t now_ms = rt_wall_ms();
	enum eds_db_result result;

	RT_TRY(delete_messages(ctx, store, purge, now_ms));
	result = eds_db_execute(store->db, &DELETE_SHARED,
		EDS_DB_VALUES(eds_db_int_value(now_ms), eds_db_int_value(EDS_EXPIRE_BATCH)), NULL);
	if (result == EDS_DB_OK)
		result = eds_db_execute(store->db, &DELETE_SESSIONS,
			EDS_DB_VALUES(eds_db_int_value(now_ms), eds_db_int_value(EDS_EXPIRE_BATCH)),
			&purge->sessions_removed);
	if (result == EDS_DB_OK)
		result = eds_db_execute(
			store->db, &DELETE_CLIENTS, EDS_DB_VALUES(eds_db_int_value(now_ms)), NULL);
	if (result == EDS_DB_OK)
		result = eds_db_execute(store->db, &DELETE_UPLOADS,
			EDS_DB_VALUES(eds_db_int_value(now_ms - EDS_SESSION_LIFETIME_MS)), NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_sessions_purge(struct rt_ctx *ctx, struct eds_store *store,
	const char *const *message_ids, size_t count, size_t *sessions_removed)
{
	struct purge purge = {.message_ids = message_ids, .count = count};

	*sessions_removed = 0;
	RT_TRY(eds_store_write_guarded(ctx, store, purge_rows, &purge));
	*sessions_removed = (size_t)purge.sessions_removed;
	return RT_OK;
}
