#include <string.h>

#include "functions/lib/store/alerts/outbox-add.h"
#include "functions/lib/store/selectors/selector-found.h"
#include "functions/lib/store/tester/session.h"
#include "functions/lib/store/tester/stored-mail-change.h"
#include "runtime/time.h"

/* clang-format off */
#define SESSION_COLUMNS(FIRST, NEXT) \
	FIRST(SESSION_CREATED_AT_MS, "s.created_at_ms") \
	NEXT(SESSION_EXPIRES_AT_MS, "s.expires_at_ms") \
	NEXT(SESSION_RESULT, "m.result") \
	NEXT(SESSION_MESSAGES, "(SELECT count(*) FROM tester_messages c" \
		" WHERE c.test_id = s.test_id)") \
	NEXT(SESSION_WAITING, "(SELECT count(*) FROM tester_uploads u WHERE u.test_id = s.test_id" \
		" AND u.due_at_ms > 0)") \
	NEXT(SESSION_CALLBACK_URL, "s.callback_url")
enum { EDS_DB_NAMES(SESSION_COLUMNS) };

/* Reads a session with its newest message. A session without messages gives one row in which the
 * columns of the message are NULL. */
static const struct eds_db_statement GET = {"session-get",
	"SELECT " EDS_DB_LIST(SESSION_COLUMNS)
	" FROM tester_sessions s"
	" LEFT JOIN tester_messages m ON m.test_id = s.test_id"
	" WHERE s.test_id = $1 AND s.expires_at_ms > $2"
	" ORDER BY m.received_at_ms DESC, m.message_id DESC"
	" LIMIT 1"};

#define LOCKED_COLUMNS(FIRST, NEXT) \
	FIRST(LOCKED_EXPIRES_AT_MS, "expires_at_ms") \
	NEXT(LOCKED_CALLBACK_URL, "callback_url") \
	NEXT(LOCKED_CALLBACK_SECRET, "callback_secret") \
	NEXT(LOCKED_CALLBACK_ACCOUNT, "callback_account")
enum { EDS_DB_NAMES(LOCKED_COLUMNS) };

/* Locks the session's row: a second process waits here, and then sees what the first process has
 * stored. The statement sets a column, which is in no index, to its own value, so that SQLite has
 * no page to write. */
static const struct eds_db_statement LOCK = {"session-lock",
	"UPDATE tester_sessions"
	" SET reanalyze_from_ms = reanalyze_from_ms"
	" WHERE test_id = $1 AND expires_at_ms > $2"
	" RETURNING " EDS_DB_LIST(LOCKED_COLUMNS)};

static const struct eds_db_statement OTHER_MESSAGES = {"session-other-messages",
	"SELECT count(*) FROM tester_messages WHERE test_id = $1 AND message_id <> $2"};

static const struct eds_db_statement PUT_MESSAGE = {"session-put-message",
	"INSERT INTO tester_messages (test_id, message_id, received_at_ms, client_ip, helo,"
	" mail_from, tls, result)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
	" ON CONFLICT (test_id, message_id)"
	" DO UPDATE SET received_at_ms = excluded.received_at_ms, client_ip = excluded.client_ip,"
	" helo = excluded.helo, mail_from = excluded.mail_from, tls = excluded.tls,"
	" result = excluded.result"};

/* Only the newest message of a session keeps its result. The rows of the other messages stay,
 * without a result. */
static const struct eds_db_statement RETIRE_OLDER = {"session-retire-older",
	"UPDATE tester_messages"
	" SET result = ''"
	" WHERE test_id = $1 AND result LIKE '{%' AND EXISTS"
	" (SELECT 1 FROM tester_messages n WHERE n.test_id = $1"
	" AND (n.received_at_ms > tester_messages.received_at_ms"
	" OR (n.received_at_ms = tester_messages.received_at_ms"
	" AND n.message_id > tester_messages.message_id)))"};

static const struct eds_db_statement IS_NEWEST = {"session-is-newest",
	"SELECT 1 FROM tester_messages"
	" WHERE test_id = $1 AND message_id = $2 AND result LIKE '{%'"};

static const struct eds_db_statement HAS_MESSAGE = {"session-has-message",
	"SELECT 1 FROM tester_sessions s"
	" JOIN tester_messages m ON m.test_id = s.test_id"
	" WHERE s.test_id = $1 AND m.message_id = $2 AND s.expires_at_ms > $3"};

#define MESSAGE_COLUMNS(FIRST, NEXT) \
	FIRST(MESSAGE_MESSAGE_ID, "m.message_id") \
	NEXT(MESSAGE_RECEIVED_AT_MS, "m.received_at_ms") \
	NEXT(MESSAGE_CLIENT_IP, "m.client_ip") \
	NEXT(MESSAGE_HELO, "m.helo") \
	NEXT(MESSAGE_MAIL_FROM, "m.mail_from") \
	NEXT(MESSAGE_TLS, "m.tls")
enum { EDS_DB_NAMES(MESSAGE_COLUMNS) };

static const struct eds_db_statement NEWEST_MESSAGE = {"session-newest-message",
	"SELECT " EDS_DB_LIST(MESSAGE_COLUMNS)
	" FROM tester_sessions s"
	" LEFT JOIN tester_messages m ON m.test_id = s.test_id"
	" WHERE s.test_id = $1 AND s.expires_at_ms > $2"
	" ORDER BY m.received_at_ms DESC, m.message_id DESC"
	" LIMIT 1"};
/* clang-format on */

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

static const char *origin_of(struct rt_ctx *ctx, const char *test_id)
{
	return rt_printf(ctx, "test %s", test_id);
}

static rt_status get_callback(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_session *session)
{
	struct eds_outbox_seen *seen;
	bool found;

	if (session->callback_url == NULL)
		return RT_OK;
	seen = rt_alloc(ctx, sizeof *seen);
	RT_TRY(eds_store_outbox_latest(ctx, store, origin_of(ctx, session->test_id), seen, &found));
	session->callback = found ? seen : NULL;
	return RT_OK;
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
		session->created_at_ms = eds_db_int(query, SESSION_CREATED_AT_MS);
		session->expires_at_ms = eds_db_int(query, SESSION_EXPIRES_AT_MS);
		session->result = eds_db_text(ctx, query, SESSION_RESULT);
		session->completed = session->result != NULL &&
			eds_db_int(query, SESSION_WAITING) == 0;
		session->message_count = (int)(eds_db_int(query, SESSION_MESSAGES) +
			eds_db_int(query, SESSION_WAITING));
		session->callback_url = eds_db_text(ctx, query, SESSION_CALLBACK_URL);
	}
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return no_session(ctx);
	return result == EDS_DB_ROW ? get_callback(ctx, store, session)
				    : eds_store_failed(ctx, store, result);
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
			eds_db_text_value(completion->message->message_id)),
		&query);

	if (result == EDS_DB_ROW)
		others = eds_db_int(query, EDS_DB_ONLY);
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (others >= EDS_SESSION_MESSAGES_MAX)
		return rt_fail(ctx, RT_LIMIT, "session-full",
			"the session has received %d messages, which is the maximum",
			EDS_SESSION_MESSAGES_MAX);
	return RT_OK;
}

struct locked {
	int64_t expires_at_ms;
	struct eds_callback callback; /* the session's callback; url is NULL if there is none */
};

static rt_status lock_session(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id, struct locked *locked)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LOCK,
		EDS_DB_VALUES(eds_db_text_value(test_id), eds_db_int_value(rt_wall_ms())), &query);
	bool is_live = result == EDS_DB_ROW;

	if (is_live) {
		locked->expires_at_ms = eds_db_int(query, LOCKED_EXPIRES_AT_MS);
		locked->callback.url = eds_db_text(ctx, query, LOCKED_CALLBACK_URL);
		locked->callback.secret = eds_db_text(ctx, query, LOCKED_CALLBACK_SECRET);
		locked->callback.account_id = eds_db_text(ctx, query, LOCKED_CALLBACK_ACCOUNT);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return is_live ? RT_OK : no_session(ctx);
}

static rt_status is_newest(struct rt_ctx *ctx, struct eds_store *store,
	const struct completion *completion, bool *newest)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &IS_NEWEST,
		EDS_DB_VALUES(eds_db_text_value(completion->test_id),
			eds_db_text_value(completion->message->message_id)),
		&query);

	*newest = result == EDS_DB_ROW;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

/* Queues the result for the session's callback. Replaces undelivered notices of older messages,
 * because these notices report a result that no longer exists. */
static rt_status tell_callback(struct rt_ctx *ctx, struct eds_store *store,
	const struct completion *completion, const struct locked *locked)
{
	const struct eds_outbox_item item = {
		.origin = origin_of(ctx, completion->test_id),
		.event = completion->message->message_id,
		.account_id = locked->callback.account_id,
		.url = locked->callback.url,
		.secret = locked->callback.secret,
		.body = completion->message->notice,
		.until_ms = locked->expires_at_ms,
		.forget_at_ms = locked->expires_at_ms,
	};
	bool newest;

	if (item.url == NULL || item.body == NULL)
		return RT_OK;
	RT_TRY(is_newest(ctx, store, completion, &newest));
	if (!newest)
		return RT_OK;
	RT_TRY(eds_store_outbox_replace(ctx, store, item.origin, item.event));
	return eds_store_outbox_add(ctx, store, &item);
}

static rt_status discover(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_session_message *message, const char *account_id)
{
	for (size_t i = 0; account_id != NULL && i < message->signing_name_count; i++) {
		const struct eds_signing_name *name = &message->signing_names[i];
		struct eds_domain domain;
		rt_status status = eds_store_domain_named(
			ctx, store, account_id, name->domain, &domain);

		if (status == RT_OK)
			status = eds_store_selectors_found(ctx, store, &domain, &name->selector, 1);
		if (status == RT_NOT_FOUND)
			rt_fail_clear(ctx); /* the account does not have this domain, or the domain
					     * has just been deleted */
		else
			RT_TRY(status);
	}
	return RT_OK;
}

static rt_status count_octets(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_session_message *message)
{
	struct eds_networks networks;

	if (message->octets == 0)
		return RT_OK;
	eds_networks_of(ctx, message->counted_ip, &networks);
	return eds_store_mail_kept(ctx, store, message->message_id, &networks, message->octets);
}

static rt_status complete(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct completion *completion = arg;
	const struct eds_session_message *message = completion->message;
	enum eds_db_result result;
	struct locked locked = {0};

	RT_TRY(lock_session(ctx, store, completion->test_id, &locked));
	RT_TRY(check_room(ctx, store, completion));
	result = eds_db_execute(store->db, &PUT_MESSAGE,
		EDS_DB_VALUES(eds_db_text_value(completion->test_id),
			eds_db_text_value(message->message_id),
			eds_db_int_value(message->received_at_ms),
			eds_db_text_value(message->client_ip), eds_db_text_value(message->helo),
			eds_db_text_value(message->mail_from), eds_db_text_value(message->tls),
			eds_db_text_value(completion->result)),
		NULL);
	if (result == EDS_DB_OK)
		result = eds_db_execute(store->db, &RETIRE_OLDER,
			EDS_DB_VALUES(eds_db_text_value(completion->test_id)), NULL);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	RT_TRY(discover(ctx, store, message, locked.callback.account_id));
	RT_TRY(tell_callback(ctx, store, completion, &locked));
	return count_octets(ctx, store, message);
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
	return eds_store_write_guarded(ctx, store, complete, &completion);
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
	message->message_id = eds_db_text(ctx, query, MESSAGE_MESSAGE_ID);
	message->received_at_ms = eds_db_int(query, MESSAGE_RECEIVED_AT_MS);
	message->client_ip = eds_db_text(ctx, query, MESSAGE_CLIENT_IP);
	message->helo = eds_db_text(ctx, query, MESSAGE_HELO);
	message->mail_from = eds_db_text(ctx, query, MESSAGE_MAIL_FROM);
	message->tls = eds_db_text(ctx, query, MESSAGE_TLS);
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
