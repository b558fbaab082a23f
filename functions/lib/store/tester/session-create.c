#include <string.h>

#include "functions/lib/random-text.h"
#include "functions/lib/store/tester/client-use.h"
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/transaction.h"
#include "runtime/time.h"

enum {
	HOUR_MS = 3600 * 1000,
	TEST_ID_BYTES = 16,
	SLOTS = 1024, /* number of rows in tester_client_slots */
};

/* For databases with concurrent writers: locks the row of the client's slot. */
static const struct eds_db_statement HOLD = {
	"session-hold", "SELECT 1 FROM tester_client_slots WHERE slot = $1 FOR UPDATE"};

static const struct eds_db_statement INSERT = {"session-insert",
	"INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms,"
	" callback_url, callback_secret, callback_account)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7)"
	" ON CONFLICT (test_id) DO NOTHING"};

/* Inserts a session, unless the client has made more than $9 sessions since $8. */
static const struct eds_db_statement INSERT_COUNTED = {"session-insert-counted",
	"INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms,"
	" callback_url, callback_secret, callback_account)"
	" SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT),"
	" CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT)"
	" WHERE NOT EXISTS (SELECT 1 FROM tester_sessions WHERE client = CAST($2 AS TEXT)"
	" AND created_at_ms > CAST($8 AS BIGINT) ORDER BY created_at_ms DESC"
	" LIMIT 1 OFFSET CAST($9 AS BIGINT))"
	" ON CONFLICT (test_id) DO NOTHING"};

/* Gives the number of sessions that the client has made since $3; 0 when the session $1 was not
 * inserted, neither now nor by an earlier message to the server whose answer was lost. */
static const struct eds_db_statement COUNT = {"session-count",
	"SELECT count(*) FROM tester_sessions WHERE client = $2 AND created_at_ms > $3"
	" AND EXISTS (SELECT 1 FROM tester_sessions WHERE test_id = $1)"};

/* For a client without a limit: gives a row when the session was inserted. */
static const struct eds_db_statement EXISTS = {
	"session-exists", "SELECT 1 FROM tester_sessions WHERE test_id = $1"};

static const struct eds_db_statement OLDEST_RECENT = {"session-oldest-recent",
	"SELECT min(created_at_ms)"
	" FROM (SELECT created_at_ms FROM tester_sessions WHERE client = $1"
	" AND created_at_ms > $2 ORDER BY created_at_ms DESC LIMIT $3) AS recent"};

struct creation {
	const char *client;
	int per_hour;
	const struct eds_callback *callback; /* the session's callback; NULL for none */
	const struct eds_session *session;
	struct eds_db_value slot;
	struct eds_db_value values[9];
	struct eds_db_value count_values[3];
	struct eds_db_step steps[3];
	size_t step_count;
};

/* The slot of a client, computed with FNV-1a, because every process and release must compute the
 * same slot. */
static int64_t slot_of(const char *client)
{
	uint32_t hash = 2166136261U;

	for (; *client != '\0'; client++)
		hash = (hash ^ (unsigned char)*client) * 16777619U;
	return hash % SLOTS;
}

static void plan(const struct eds_store *store, struct creation *creation)
{
	const struct eds_session *session = creation->session;
	const struct eds_callback none = {0};
	const struct eds_callback *callback = creation->callback != NULL ? creation->callback
									 : &none;
	const struct eds_db_value values[] = {eds_db_text_value(session->test_id),
		eds_db_text_value(creation->client), eds_db_int_value(session->created_at_ms),
		eds_db_int_value(session->expires_at_ms), eds_db_text_value(callback->url),
		eds_db_text_value(callback->secret), eds_db_text_value(callback->account_id),
		eds_db_int_value(session->created_at_ms - HOUR_MS),
		eds_db_int_value(creation->per_hour - 1)};
	const struct eds_db_value count_values[] = {values[0], values[1], values[7]};
	bool counted = creation->per_hour > 0;

	memcpy(creation->values, values, sizeof values);
	memcpy(creation->count_values, count_values, sizeof count_values);
	creation->slot = eds_db_int_value(slot_of(creation->client));
	if (counted && store->db->driver->writes_beside)
		creation->steps[creation->step_count++] = (struct eds_db_step){
			&HOLD, &creation->slot, 1};
	creation->steps[creation->step_count++] = (struct eds_db_step){
		counted ? &INSERT_COUNTED : &INSERT, creation->values, counted ? 9 : 7};
	creation->steps[creation->step_count++] = (struct eds_db_step){
		counted ? &COUNT : &EXISTS, creation->count_values, counted ? 3 : 1};
}

static void note(struct rt_ctx *ctx, const struct creation *creation, int left, int restored_s)
{
	const struct rt_limit limit = {.name = "sessions",
		.quota = creation->per_hour,
		.window_s = HOUR_MS / 1000,
		.left = left,
		.restored_s = restored_s};

	rt_note_limit(ctx, &limit);
}

/* Refuses the session. The client may make its next session when its oldest session of the last
 * hour is an hour old. */
static rt_status refuse(
	struct rt_ctx *ctx, struct eds_store *store, const struct creation *creation)
{
	int64_t now_ms = creation->session->created_at_ms;
	int64_t wait_ms = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &OLDEST_RECENT,
		EDS_DB_VALUES(eds_db_text_value(creation->client),
			eds_db_int_value(now_ms - HOUR_MS), eds_db_int_value(creation->per_hour)),
		&query);

	if (result == EDS_DB_ROW)
		wait_ms = eds_db_int(query, EDS_DB_ONLY) + HOUR_MS - now_ms;
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	/* after a clock was set back, the computed wait is longer than the true wait */
	if (wait_ms > HOUR_MS)
		wait_ms = HOUR_MS;
	ctx->failure.retry_after_s = wait_ms > 1000 ? (int)(wait_ms + 999) / 1000 : 1;
	note(ctx, creation, 0, ctx->failure.retry_after_s);
	return rt_fail(ctx, RT_LIMIT, "too-many-sessions",
		"at most %d test addresses an hour can be made", creation->per_hour);
}

/* Notes the limit for the header of the response, or refuses the session. made: how many sessions
 * the client has made in the last hour; 0 when this session was refused. An hour after this
 * session, the client may again make as many sessions as its limit allows. */
static rt_status settle(
	struct rt_ctx *ctx, struct eds_store *store, const struct creation *creation, int64_t made)
{
	if (made == 0)
		return refuse(ctx, store, creation);
	if (creation->per_hour > 0)
		note(ctx, creation, made < creation->per_hour ? creation->per_hour - (int)made : 0,
			HOUR_MS / 1000);
	return RT_OK;
}

/* Creates a session for an IPv6 client, whose /48 has a limit of its own. The session is counted
 * towards this limit last, so that a refused session does not count. */
static rt_status create_of_site(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct creation *creation = arg;
	int64_t made;
	enum eds_db_result result = eds_db_run_steps(
		store->db, creation->steps, creation->step_count, &made);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	RT_TRY(settle(ctx, store, creation, made));
	return eds_store_client_count(
		ctx, store, EDS_CLIENT_SESSION, creation->client, creation->per_hour);
}

static rt_status create(struct rt_ctx *ctx, struct eds_store *store, struct creation *creation)
{
	int64_t made = 0;

	plan(store, creation);
	if (creation->per_hour > 0 && strchr(creation->client, ':') != NULL)
		return eds_store_write_guarded(ctx, store, create_of_site, creation);
	RT_TRY(eds_store_write_at_once(ctx, store, creation->steps, creation->step_count, &made));
	return settle(ctx, store, creation, made);
}

rt_status eds_store_session_create_calling(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, const struct eds_callback *callback,
	struct eds_session *session)
{
	struct creation creation = {
		.client = client, .per_hour = per_hour, .callback = callback, .session = session};

	memset(session, 0, sizeof *session);
	session->test_id = eds_random_base32(ctx, TEST_ID_BYTES);
	session->created_at_ms = rt_wall_ms();
	/* A whole second, so that the time shown is exactly the time of expiry. */
	session->expires_at_ms = session->created_at_ms / 1000 * 1000 + EDS_SESSION_LIFETIME_MS;
	session->callback_url = callback != NULL ? callback->url : NULL;
	return create(ctx, store, &creation);
}

rt_status eds_store_session_create(struct rt_ctx *ctx, struct eds_store *store, const char *client,
	int per_hour, struct eds_session *session)
{
	return eds_store_session_create_calling(ctx, store, client, per_hour, NULL, session);
}
