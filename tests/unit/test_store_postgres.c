/* PostgreSQL when it is slow, stopped or gone. Tests that need a server run when
 * EDS_TEST_DATABASE_URL names one (tests/support/postgres.mjs), the others when it does not.
 */
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#include <pthread.h>
#include <signal.h>

#include "functions/lib/store/transaction.h"

enum {
	SHORT_MS = 300,
	SOON_MS = 5000, /* much less than any time-out of the system */
};

static const struct eds_db_statement INSERT = {"test-insert",
	"INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
	" VALUES ('x', 'c', 1, 2)"};

static rt_status create(int timeout_ms)
{
	struct eds_session session;
	struct eds_store *store;

	next_event(timeout_ms);
	RT_TRY(eds_store_open(&event, &store));
	return eds_store_session_create(&event, store, "192.0.2.1", 0, &session);
}

static void assert_unavailable(rt_status status)
{
	assert_int_equal(status, RT_TEMPORARY);
	assert_string_equal(event.failure.code, "store-unavailable");
}

static int64_t ours(const char *what)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text,
		"SELECT %s FROM pg_stat_activity WHERE application_name = '%s'"
		" AND pid <> pg_backend_pid()",
		what, schema);
	return sql(text);
}

static void end_connections(void)
{
	ours("count(pg_terminate_backend(pid, 10000))");
}

static void a_connection_closed_between_events_is_opened_again(void **state)
{
	(void)state;
	assert_int_equal(create(EVENT_MS), RT_OK);
	end_connections();
	assert_int_equal(create(EVENT_MS), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 2);
}

static void a_read_that_lost_its_connection_is_repeated(void **state)
{
	char id[EDS_TEST_ID_LENGTH + 1];
	struct eds_session session;
	struct eds_store *store;

	(void)state;
	new_session(id);
	store = open_store();
	end_connections();
	assert_int_equal(eds_store_session_get(&event, store, id, &session), RT_OK);
}

struct attempts {
	int count;
};

static rt_status insert_and_lose_the_connection_once(
	struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct attempts *attempts = arg;
	enum eds_db_result result;

	if (attempts->count++ == 0)
		end_connections();
	result = eds_db_execute(store->db, &INSERT, EDS_DB_NO_VALUES, NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static void a_transaction_that_lost_its_connection_is_run_again_whole(void **state)
{
	struct attempts attempts = {0};

	(void)state;
	assert_int_equal(eds_store_write(&event, open_store(), insert_and_lose_the_connection_once,
				 &attempts),
		RT_OK);
	assert_int_equal(attempts.count, 2);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
}

static rt_status insert_then_lose_the_connection(
	struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct attempts *attempts = arg;
	enum eds_db_result result = eds_db_execute(store->db, &INSERT, EDS_DB_NO_VALUES, NULL);

	attempts->count++;
	end_connections();
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* The client cannot know whether such a transaction was committed, so only the sender of the event
 * may decide to repeat it. */
static void a_commit_without_an_answer_is_a_temporary_failure_and_not_repeated(void **state)
{
	struct attempts attempts = {0};

	(void)state;
	assert_unavailable(
		eds_store_write(&event, open_store(), insert_then_lose_the_connection, &attempts));
	assert_int_equal(attempts.count, 1);
	assert_int_equal(create(EVENT_MS), RT_OK);
}

static rt_status insert_twice_and_pretend(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	(void)ctx;
	(void)arg;
	(void)!eds_db_execute(store->db, &INSERT, EDS_DB_NO_VALUES, NULL);
	(void)!eds_db_execute(store->db, &INSERT, EDS_DB_NO_VALUES, NULL);
	return RT_OK;
}

static void a_transaction_that_the_server_did_not_commit_is_a_failure(void **state)
{
	(void)state;
	assert_int_equal(
		eds_store_write(&event, open_store(), insert_twice_and_pretend, NULL), RT_INTERNAL);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 0);
}

/* Takes locks with this statement on a separate connection; closing the connection releases
 * them. */
static struct eds_postgres lock_with(const char *text)
{
	struct eds_postgres locker = {.pq = server.pq, .url = server.url};
	PGresult *result;

	assert_true(eds_postgres_connect(&locker, rt_monotonic_ms() + EVENT_MS));
	result = eds_postgres_result(&locker, locker.pq->sendQuery(locker.connection, text),
		rt_monotonic_ms() + EVENT_MS);
	assert_non_null(result);
	locker.pq->clear(result);
	return locker;
}

static void a_locked_table_is_a_temporary_failure_at_the_deadline(void **state)
{
	struct eds_postgres locker;
	int64_t start_ms;

	(void)state;
	assert_int_equal(create(EVENT_MS), RT_OK);
	locker = lock_with("BEGIN; LOCK TABLE tester_sessions");
	start_ms = rt_monotonic_ms();
	assert_unavailable(create(SHORT_MS));
	assert_in_range(rt_monotonic_ms() - start_ms, SHORT_MS - 50, SOON_MS);
	assert_int_equal(ours("count(CASE WHEN state = 'active' THEN 1 END)"), 0);
	eds_postgres_disconnect(&locker);
	assert_int_equal(create(EVENT_MS), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 2);
}

static rt_status create_counted(int timeout_ms)
{
	struct eds_session session;
	struct eds_store *store;

	next_event(timeout_ms);
	RT_TRY(eds_store_open(&event, &store));
	return eds_store_session_create(&event, store, "192.0.2.1", 2, &session);
}

/* While one process adds a session of a client, no other process may count the sessions of that
 * client. */
static void creating_a_session_waits_for_the_lock_of_its_client(void **state)
{
	struct eds_postgres locker;

	(void)state;
	assert_int_equal(create_counted(EVENT_MS), RT_OK);
	locker = lock_with("BEGIN; SELECT 1 FROM tester_client_slots FOR UPDATE");
	assert_unavailable(create_counted(SHORT_MS));
	/* a session without a limit is not counted, so it does not wait */
	assert_int_equal(create(EVENT_MS), RT_OK);
	eds_postgres_disconnect(&locker);
	assert_int_equal(create_counted(EVENT_MS), RT_LIMIT);
	assert_true(event.failure.retry_after_s > 3500);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 2);
}

/* Adds a trigger that ends the connection of the first process that adds a session, after it has
 * run the statements. A sequence counts the processes, because its value survives a rolled-back
 * transaction. */
static void lose_the_first_answer(const char *statements)
{
	char text[SQL_MAX_BYTES];

	sql("CREATE SEQUENCE additions");
	snprintf(text, sizeof text,
		"CREATE FUNCTION end_first() RETURNS trigger AS $$BEGIN IF nextval('%s.additions') "
		"= 1 THEN %s PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; "
		"END$$ LANGUAGE plpgsql",
		schema, statements);
	sql(text);
	sql("CREATE TRIGGER end_first BEFORE INSERT ON tester_sessions"
	    " FOR EACH ROW EXECUTE FUNCTION end_first()");
}

/* The whole transaction is sent in one message, so after a lost answer the client cannot know how
 * much of it was executed. */
static void creating_a_session_is_repeated_when_its_answer_is_lost(void **state)
{
	(void)state;
	assert_int_equal(create_counted(EVENT_MS), RT_OK);
	lose_the_first_answer("");
	assert_int_equal(create_counted(EVENT_MS), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 2);
	assert_int_equal(create_counted(EVENT_MS), RT_LIMIT);
}

/* Another connection commits the same row before the answer is lost. */
static void a_session_created_before_its_answer_was_lost_is_created_once(void **state)
{
	char statements[SQL_MAX_BYTES / 2];

	(void)state;
	sql("CREATE EXTENSION IF NOT EXISTS dblink SCHEMA public");
	assert_int_equal(create_counted(EVENT_MS), RT_OK);
	snprintf(statements, sizeof statements,
		"PERFORM public.dblink_exec('%s', format('INSERT INTO %s.tester_sessions"
		" SELECT (%%L::%s.tester_sessions).*', NEW));",
		server.url, schema, schema);
	lose_the_first_answer(statements);
	assert_int_equal(create_counted(EVENT_MS), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 2);
	assert_int_equal(create_counted(EVENT_MS), RT_LIMIT);
}

static void a_server_that_stops_answering_is_a_temporary_failure_at_the_deadline(void **state)
{
	int64_t start_ms;
	pid_t backend;

	(void)state;
	assert_int_equal(create(EVENT_MS), RT_OK);
	backend = (pid_t)ours("pid");
	assert_int_equal(kill(backend, SIGSTOP), 0);
	start_ms = rt_monotonic_ms();
	assert_unavailable(create(SHORT_MS));
	assert_in_range(rt_monotonic_ms() - start_ms, SHORT_MS - 50, SOON_MS);
	assert_int_equal(kill(backend, SIGCONT), 0);
	assert_int_equal(create(EVENT_MS), RT_OK);
}

static void an_address_that_libpq_does_not_understand_is_reported_as_such(void **state)
{
	static const char *const urls[] = {
		"postgresql://nobody:secret@127.0.0.1:1/eds?sslmod=require",
		"postgresql://nobody:secret@127.0.0.1:1/eds?sslmode=verify-ful",
		"postgresql://nobody:secret/1@127.0.0.1:1/eds",
	};

	(void)state;
	for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
		struct eds_postgres session = {.pq = eds_libpq(), .url = strdup(urls[i])};

		assert_false(eds_postgres_connect(&session, rt_monotonic_ms() + EVENT_MS));
		assert_string_equal(session.reason,
			"EDS_DATABASE_URL has a parameter or a value that is invalid, or a "
			"password with a character that is not escaped");
		free(session.url);
	}
}

#define SERVER_TEST(name) cmocka_unit_test_setup(name, empty_database)

int main(void)
{
	const struct CMUnitTest without_server[] = {
		cmocka_unit_test(an_address_that_libpq_does_not_understand_is_reported_as_such),
	};
	const struct CMUnitTest with_server[] = {
		SERVER_TEST(a_connection_closed_between_events_is_opened_again),
		SERVER_TEST(a_read_that_lost_its_connection_is_repeated),
		SERVER_TEST(a_transaction_that_lost_its_connection_is_run_again_whole),
		SERVER_TEST(a_commit_without_an_answer_is_a_temporary_failure_and_not_repeated),
		SERVER_TEST(a_transaction_that_the_server_did_not_commit_is_a_failure),
		SERVER_TEST(a_locked_table_is_a_temporary_failure_at_the_deadline),
		SERVER_TEST(creating_a_session_waits_for_the_lock_of_its_client),
		SERVER_TEST(creating_a_session_is_repeated_when_its_answer_is_lost),
		SERVER_TEST(a_session_created_before_its_answer_was_lost_is_created_once),
		SERVER_TEST(a_server_that_stops_answering_is_a_temporary_failure_at_the_deadline),
	};

	if (getenv("EDS_TEST_DATABASE_URL") == NULL)
		return cmocka_run_group_tests(without_server, choose_database, remove_folder);
	return cmocka_run_group_tests(with_server, choose_database, remove_folder);
}
