/* Tester sessions and the messages they received. */
#include <string.h>

#include "functions/lib/store/random-text.h"
#include "functions/lib/store/transaction.h"

enum {
	HOUR_MS = 3600 * 1000,
	TEST_ID_BYTES = 16,
};

static const struct eds_db_statement RECENT = {"session-recent",
	"SELECT count(*), min(created_at_ms) FROM (SELECT created_at_ms FROM tester_sessions "
	"WHERE client = $1 AND created_at_ms > $2"
	" ORDER BY created_at_ms DESC LIMIT $3) AS recent"};

static const struct eds_db_statement INSERT = {"session-insert",
	"INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
	" VALUES ($1, $2, $3, $4)"};

/* The newest message decides; a session without any has one row of NULLs. */
static const struct eds_db_statement GET = {"session-get",
	"SELECT s.created_at_ms, s.expires_at_ms, m.result, (SELECT count(*) FROM "
	"tester_messages c WHERE c.test_id = s.test_id) FROM tester_sessions s LEFT JOIN "
	"tester_messages m ON m.test_id = s.test_id WHERE s.test_id = $1 AND s.expires_at_ms > $2"
	" ORDER BY m.received_at_ms DESC, m.message_id DESC LIMIT 1"};

static const struct eds_db_statement OTHER_MESSAGES = {"session-other-messages",
	"SELECT count(m.message_id) FROM tester_sessions s LEFT JOIN tester_messages m ON "
	"m.test_id = s.test_id AND m.message_id <> $2"
	" WHERE s.test_id = $1 AND s.expires_at_ms > $3 GROUP BY s.test_id"};

static const struct eds_db_statement PUT_MESSAGE = {"session-put-message",
	"INSERT INTO tester_messages (test_id, message_id, received_at_ms, client_ip, helo, "
	"mail_from, tls, result) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (test_id, "
	"message_id) DO UPDATE SET received_at_ms = excluded.received_at_ms, client_ip = "
	"excluded.client_ip, helo = excluded.helo, mail_from = excluded.mail_from, tls = "
	"excluded.tls,"
	" result = excluded.result"};

static const struct eds_db_statement HAS_MESSAGE = {"session-has-message",
	"SELECT 1 FROM tester_sessions s JOIN tester_messages m ON m.test_id = s.test_id"
	" WHERE s.test_id = $1 AND m.message_id = $2 AND s.expires_at_ms > $3"};

static const struct eds_db_statement NEWEST_MESSAGE = {"session-newest-message",
	"SELECT m.message_id, m.received_at_ms, m.client_ip, m.helo, m.mail_from, m.tls FROM "
	"tester_sessions s LEFT JOIN tester_messages m ON m.test_id = s.test_id WHERE s.test_id "
	"= $1 AND s.expires_at_ms > $2"
	" ORDER BY m.received_at_ms DESC, m.message_id DESC LIMIT 1"};

static bool test_id_valid(const char *test_id)
{
	return strlen(test_id) == EDS_TEST_ID_LENGTH &&
		strspn(test_id, "abcdefghijklmnopqrstuvwxyz234567") == EDS_TEST_ID_LENGTH;
}

static rt_status no_session(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "session-not-found",
		"there is no such test session, or it has expired");
}

struct creation {
	const char *client;
	int per_hour;
	struct eds_session *session;
};

/* With per_hour sessions in the last hour the next is free when the oldest of them is an hour old.
 */
static rt_status check_rate(
	struct rt_ctx *ctx, struct eds_store *store, const struct creation *creation)
{
	int64_t now_ms = creation->session->created_at_ms;
	int64_t wait_ms = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &RECENT,
		EDS_DB_VALUES(eds_db_text_value(creation->client),
			eds_db_int_value(now_ms - HOUR_MS), eds_db_int_value(creation->per_hour)),
		&query);
	bool full = result == EDS_DB_ROW && eds_db_int(query, 0) >= creation->per_hour;

	if (full)
		wait_ms = eds_db_int(query, 1) + HOUR_MS - now_ms;
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (!full)
		return RT_OK;
	ctx->failure.retry_after_s = (int)((wait_ms < HOUR_MS ? wait_ms : HOUR_MS) + 999) / 1000;
	return rt_fail(ctx, RT_LIMIT, "too-many-sessions",
		"at most %d test addresses an hour can be made", creation->per_hour);
}

static rt_status create(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct creation *creation = arg;
	const struct eds_session *session = creation->session;
	enum eds_db_result result;

	if (creation->per_hour > 0)
		RT_TRY(check_rate(ctx, store, creation));
	result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(session->test_id),
			eds_db_text_value(creation->client),
			eds_db_int_value(session->created_at_ms),
			eds_db_int_value(session->expires_at_ms)),
		NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_session_create(struct rt_ctx *ctx, struct eds_store *store, const char *client,
	int per_hour, struct eds_session *session)
{
	struct creation creation = {.client = client, .per_hour = per_hour, .session = session};

	memset(session, 0, sizeof *session);
	session->test_id = eds_random_base32(ctx, TEST_ID_BYTES);
	session->created_at_ms = rt_wall_ms();
	/* On a whole second, so that the time shown is the time it ends. */
	session->expires_at_ms = session->created_at_ms / 1000 * 1000 + EDS_SESSION_LIFETIME_MS;
	return eds_store_write(ctx, store, create, &creation);
}

rt_status eds_store_session_get(struct rt_ctx *ctx, struct eds_store *store, const char *test_id,
	struct eds_session *session)
{
	struct eds_db_query *query;
	enum eds_db_result result;

	memset(session, 0, sizeof *session);
	if (!test_id_valid(test_id))
		return no_session(ctx);
	result = eds_db_query(store->db, &GET,
		EDS_DB_VALUES(eds_db_text_value(test_id), eds_db_int_value(rt_wall_ms())), &query);
	if (result == EDS_DB_ROW) {
		session->test_id = rt_strdup(ctx, test_id);
		session->created_at_ms = eds_db_int(query, 0);
		session->expires_at_ms = eds_db_int(query, 1);
		session->result = eds_db_text(ctx, query, 2);
		session->completed = session->result != NULL;
		session->message_count = (int)eds_db_int(query, 3);
	}
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return no_session(ctx);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

struct completion {
	const char *test_id;
	const struct eds_session_message *message;
	const char *result;
};

static rt_status check_room(
	struct rt_ctx *ctx, struct eds_store *store, const struct completion *completion)
{
	int64_t others = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &OTHER_MESSAGES,
		EDS_DB_VALUES(eds_db_text_value(completion->test_id),
			eds_db_text_value(completion->message->message_id),
			eds_db_int_value(rt_wall_ms())),
		&query);

	if (result == EDS_DB_ROW)
		others = eds_db_int(query, 0);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return no_session(ctx);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (others >= EDS_SESSION_MESSAGES_MAX)
		return rt_fail(ctx, RT_LIMIT, "session-full",
			"the session has received its %d messages", EDS_SESSION_MESSAGES_MAX);
	return RT_OK;
}

static rt_status complete(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct completion *completion = arg;
	const struct eds_session_message *message = completion->message;
	enum eds_db_result result;

	RT_TRY(check_room(ctx, store, completion));
	result = eds_db_execute(store->db, &PUT_MESSAGE,
		EDS_DB_VALUES(eds_db_text_value(completion->test_id),
			eds_db_text_value(message->message_id),
			eds_db_int_value(message->received_at_ms),
			eds_db_text_value(message->client_ip), eds_db_text_value(message->helo),
			eds_db_text_value(message->mail_from), eds_db_text_value(message->tls),
			eds_db_text_value(completion->result)),
		NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_session_complete(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const struct eds_session_message *message, const char *result)
{
	struct completion completion = {.test_id = test_id, .message = message, .result = result};

	if (!test_id_valid(test_id))
		return no_session(ctx);
	if (strncmp(result, "{\"", 2) != 0)
		return rt_fail(ctx, RT_INTERNAL, "result-invalid",
			"a result must be a JSON object with members");
	return eds_store_write(ctx, store, complete, &completion);
}

rt_status eds_store_session_has_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *message_id, bool *has)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &HAS_MESSAGE,
		EDS_DB_VALUES(eds_db_text_value(test_id), eds_db_text_value(message_id),
			eds_db_int_value(rt_wall_ms())),
		&query);

	*has = result == EDS_DB_ROW;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

static void read_message(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_session_message *message)
{
	message->message_id = eds_db_text(ctx, query, 0);
	message->received_at_ms = eds_db_int(query, 1);
	message->client_ip = eds_db_text(ctx, query, 2);
	message->helo = eds_db_text(ctx, query, 3);
	message->mail_from = eds_db_text(ctx, query, 4);
	message->tls = eds_db_text(ctx, query, 5);
}

rt_status eds_store_session_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, struct eds_session_message *message)
{
	struct eds_db_query *query;
	enum eds_db_result result;

	memset(message, 0, sizeof *message);
	if (!test_id_valid(test_id))
		return no_session(ctx);
	result = eds_db_query(store->db, &NEWEST_MESSAGE,
		EDS_DB_VALUES(eds_db_text_value(test_id), eds_db_int_value(rt_wall_ms())), &query);
	if (result == EDS_DB_ROW)
		read_message(ctx, query, message);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return no_session(ctx);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (message->message_id == NULL)
		return rt_fail(ctx, RT_CONFLICT, "session-pending",
			"no message has arrived at this address yet");
	return RT_OK;
}
