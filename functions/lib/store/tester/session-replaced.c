#include "functions/lib/store/tester/session-replaced.h"
#include "functions/lib/store/tester/stored-mail-change.h"
#include "runtime/time.h"

/* Lists messages that a newer one has replaced. A message may have arrived at several sessions.
 * While the message is the newest one of another live session, its bytes are still needed. */
static const struct eds_db_statement REPLACED = {"message-replaced",
	"SELECT m.message_id"
	" FROM tester_messages m"
	" WHERE m.test_id = $1 AND m.result = '' AND NOT EXISTS"
	" (SELECT 1 FROM tester_messages k JOIN tester_sessions s ON s.test_id = k.test_id"
	" WHERE k.message_id = m.message_id AND k.result LIKE '{%' AND s.expires_at_ms > $2)"
	" ORDER BY m.message_id"
	" LIMIT $3"};

static const struct eds_db_statement FORGET = {"message-forget",
	"UPDATE tester_messages"
	" SET result = 'forgotten'"
	" WHERE test_id = $1 AND message_id = $2 AND result = ''"};

rt_status eds_store_messages_replaced(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char ***message_ids, size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &REPLACED,
		EDS_DB_VALUES(eds_db_text_value(test_id), eds_db_int_value(rt_wall_ms()),
			eds_db_int_value(EDS_SESSION_MESSAGES_MAX)),
		&query);

	*message_ids = rt_alloc_array(ctx, EDS_SESSION_MESSAGES_MAX, sizeof **message_ids);
	*count = 0;
	for (; result == EDS_DB_ROW && *count < EDS_SESSION_MESSAGES_MAX;
		result = eds_db_next(query))
		(*message_ids)[(*count)++] = eds_db_text(ctx, query, EDS_DB_ONLY);
	eds_db_end(query);
	return result == EDS_DB_OK || result == EDS_DB_ROW ? RT_OK
							   : eds_store_failed(ctx, store, result);
}

struct forgotten {
	const char *test_id;
	const char *message_id;
};

static rt_status forget(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct forgotten *forgotten = arg;
	enum eds_db_result result = eds_db_execute(store->db, &FORGET,
		EDS_DB_VALUES(eds_db_text_value(forgotten->test_id),
			eds_db_text_value(forgotten->message_id)),
		NULL);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return eds_store_mail_gone(ctx, store, forgotten->message_id);
}

rt_status eds_store_message_forget(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id, const char *message_id)
{
	struct forgotten forgotten = {test_id, message_id};

	return eds_store_write_guarded(ctx, store, forget, &forgotten);
}
