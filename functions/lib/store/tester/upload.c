#include "functions/lib/store/tester/upload.h"
#include "runtime/time.h"

#include "functions/lib/store/due.h"
#include "functions/lib/store/tester/client-use.h"

/* clang-format off */
/* Counts the messages of a live session, including those that wait to be analyzed. */
static const struct eds_db_statement COUNT = {"upload-count",
	"SELECT (SELECT count(*) FROM tester_messages m WHERE m.test_id = s.test_id) +"
	" (SELECT count(*) FROM tester_uploads u WHERE u.test_id = s.test_id AND u.due_at_ms > 0)"
	" FROM tester_sessions s"
	" WHERE s.test_id = $1 AND s.expires_at_ms > $2"};

static const struct eds_db_statement INSERT = {"upload-insert",
	"INSERT INTO tester_uploads (message_id, test_id, client, received_at_ms, client_ip,"
	" helo, mail_from, due_at_ms)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"};

static const struct eds_db_statement DUE = {"upload-due",
	"UPDATE tester_uploads"
	" SET due_at_ms = $2, tries = tries - $3"
	" WHERE message_id = $1 AND due_at_ms > 0"};

#define UPLOAD_COLUMNS(FIRST, NEXT) \
	FIRST(UPLOAD_MESSAGE_ID, "message_id") \
	NEXT(UPLOAD_TEST_ID, "test_id") \
	NEXT(UPLOAD_RECEIVED_AT_MS, "received_at_ms") \
	NEXT(UPLOAD_CLIENT_IP, "client_ip") \
	NEXT(UPLOAD_HELO, "helo") \
	NEXT(UPLOAD_MAIL_FROM, "mail_from") \
	NEXT(UPLOAD_TRIES, "tries") \
	NEXT(UPLOAD_CLIENT, "client")
enum { EDS_DB_NAMES(UPLOAD_COLUMNS) };


static const struct eds_db_statement CLAIM_ONE = {"upload-claim-one",
	"UPDATE tester_uploads"
	" SET due_at_ms = $2, tries = tries + 1"
	" WHERE message_id = $1 AND due_at_ms > 0"
	" RETURNING " EDS_DB_LIST(UPLOAD_COLUMNS)};

static const struct eds_db_statement GET = {"upload-get",
	"SELECT " EDS_DB_LIST(UPLOAD_COLUMNS) " FROM tester_uploads WHERE message_id = $1"};

/* A message becomes due within minutes. So a due time that is further in the future was written
 * while a clock was ahead, and the message counts as due. */
#define IS_DUE(time) \
	"(" time " <= $2 OR " time " > $2 + " EDS_DUE_LEASE_MAX_MS ")"
#define LONGEST_DUE \
	"SELECT message_id FROM tester_uploads WHERE due_at_ms > 0 AND " IS_DUE("due_at_ms") \
	" ORDER BY due_at_ms, message_id LIMIT 1"
#define CLAIM(due) \
	"UPDATE tester_uploads SET due_at_ms = $1, tries = tries + 1 WHERE message_id = (" due \
	") AND " IS_DUE("due_at_ms + 0") " AND due_at_ms > 0 RETURNING " EDS_DB_LIST(UPLOAD_COLUMNS)

static const struct eds_db_statement CLAIM_NEXT = {"upload-claim", CLAIM(LONGEST_DUE)};
/* Claims the message that has been due longest, and skips rows that another process claims at the
 * same moment. */
static const struct eds_db_statement CLAIM_NEXT_BESIDE = {
	"upload-claim-beside", CLAIM(LONGEST_DUE " FOR UPDATE SKIP LOCKED")};
/* clang-format on */

struct beginning {
	const char *client;
	int per_hour;
	const struct eds_upload *upload;
};

static rt_status check_room(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_upload *upload)
{
	int64_t count = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &COUNT,
		EDS_DB_VALUES(eds_db_text_value(upload->test_id),
			eds_db_int_value(upload->received_at_ms)),
		&query);

	if (result == EDS_DB_ROW)
		count = eds_db_int(query, EDS_DB_ONLY);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return rt_fail(ctx, RT_NOT_FOUND, "session-not-found",
			"there is no such test session, or it has expired");
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (count >= EDS_SESSION_MESSAGES_MAX)
		return rt_fail(ctx, RT_LIMIT, "session-full",
			"the session has received %d messages, which is the maximum",
			EDS_SESSION_MESSAGES_MAX);
	return RT_OK;
}

static rt_status begin(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct beginning *beginning = arg;
	const struct eds_upload *upload = beginning->upload;
	enum eds_db_result result;

	RT_TRY(check_room(ctx, store, upload));
	RT_TRY(eds_store_client_count(
		ctx, store, EDS_CLIENT_UPLOAD, beginning->client, beginning->per_hour));
	result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(upload->message_id),
			eds_db_text_value(upload->test_id), eds_db_text_value(beginning->client),
			eds_db_int_value(upload->received_at_ms),
			eds_db_text_value(upload->client_ip), eds_db_text_value(upload->helo),
			eds_db_text_value(upload->mail_from),
			eds_db_int_value(upload->received_at_ms + EDS_UPLOAD_LEASE_MS)),
		NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_upload_begin(struct rt_ctx *ctx, struct eds_store *store, const char *client,
	int per_hour, struct eds_upload *upload)
{
	struct beginning beginning = {.client = client, .per_hour = per_hour, .upload = upload};

	upload->received_at_ms = rt_wall_ms();
	return eds_store_write(ctx, store, begin, &beginning);
}

struct due {
	const char *message_id;
	int64_t at_ms;
	int tries_back;
};

static rt_status set_due(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct due *due = arg;
	enum eds_db_result result = eds_db_execute(store->db, &DUE,
		EDS_DB_VALUES(eds_db_text_value(due->message_id), eds_db_int_value(due->at_ms),
			eds_db_int_value(due->tries_back)),
		NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_upload_ready(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id)
{
	struct due due = {.message_id = message_id, .at_ms = rt_wall_ms() + EDS_UPLOAD_FIRST_MS};

	return eds_store_write_guarded(ctx, store, set_due, &due);
}

static void read_upload(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_upload *upload)
{
	upload->message_id = eds_db_text(ctx, query, UPLOAD_MESSAGE_ID);
	upload->test_id = eds_db_text(ctx, query, UPLOAD_TEST_ID);
	upload->received_at_ms = eds_db_int(query, UPLOAD_RECEIVED_AT_MS);
	upload->client_ip = eds_db_text(ctx, query, UPLOAD_CLIENT_IP);
	upload->helo = eds_db_text(ctx, query, UPLOAD_HELO);
	upload->mail_from = eds_db_text(ctx, query, UPLOAD_MAIL_FROM);
	upload->tries = eds_db_int(query, UPLOAD_TRIES);
	upload->client = eds_db_text(ctx, query, UPLOAD_CLIENT);
}

struct claim {
	const char *message_id;
	struct eds_upload *upload;
	bool found;
};

static enum eds_db_result claim_query(
	struct eds_store *store, const struct claim *claim, struct eds_db_query **query)
{
	int64_t now_ms = rt_wall_ms();

	if (claim->message_id != NULL)
		return eds_db_query(store->db, &CLAIM_ONE,
			EDS_DB_VALUES(eds_db_text_value(claim->message_id),
				eds_db_int_value(now_ms + EDS_UPLOAD_LEASE_MS)),
			query);
	return eds_db_query(store->db,
		store->db->driver->writes_beside ? &CLAIM_NEXT_BESIDE : &CLAIM_NEXT,
		EDS_DB_VALUES(
			eds_db_int_value(now_ms + EDS_UPLOAD_LEASE_MS), eds_db_int_value(now_ms)),
		query);
}

static rt_status claim_upload(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct claim *claim = arg;
	struct eds_db_query *query;
	enum eds_db_result result = claim_query(store, claim, &query);

	claim->found = result == EDS_DB_ROW;
	if (claim->found) {
		read_upload(ctx, query, claim->upload);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status get_upload(struct rt_ctx *ctx, struct eds_store *store, const char *message_id,
	struct eds_upload *upload)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &GET, EDS_DB_VALUES(eds_db_text_value(message_id)), &query);

	*upload = (struct eds_upload){.message_id = message_id};
	if (result == EDS_DB_ROW)
		read_upload(ctx, query, upload);
	eds_db_end(query);
	return result == EDS_DB_OK || result == EDS_DB_ROW ? RT_OK
							   : eds_store_failed(ctx, store, result);
}

rt_status eds_store_upload_claim(struct rt_ctx *ctx, struct eds_store *store,
	const char *message_id, struct eds_upload *upload, bool *found)
{
	struct claim claim = {.message_id = message_id, .upload = upload};

	RT_TRY(eds_store_write_guarded(ctx, store, claim_upload, &claim));
	*found = claim.found;
	if (claim.found || message_id == NULL)
		return RT_OK;
	return get_upload(ctx, store, message_id, upload);
}

rt_status eds_store_upload_settle(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_upload *upload, enum eds_upload_end end)
{
	struct due due = {.message_id = upload->message_id};

	if (end != EDS_UPLOAD_DONE)
		due.at_ms = rt_wall_ms() + EDS_UPLOAD_PAUSE_MS;
	due.tries_back = end == EDS_UPLOAD_LATER ? 1 : 0;
	return eds_store_write_guarded(ctx, store, set_due, &due);
}
