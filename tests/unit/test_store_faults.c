/* The store when the database is locked, full, replaced, damaged or gone. */
#include "functions/lib/store/schema/migrations.h"
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session-reanalysis.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <dlfcn.h>

#include "functions/lib/store/transaction.h"

#define RESULT "{\"verdict\":\"ham\"}"

static char id[EDS_TEST_ID_LENGTH + 1];

/* Replaces SQLite's function: the steps of a statement that begins with this text fail as on a
 * broken disk. */
static const char *failing;

int sqlite3_step(sqlite3_stmt *statement)
{
	static int (*real)(sqlite3_stmt *);

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_step");
	if (failing != NULL && strncmp(sqlite3_sql(statement), failing, strlen(failing)) == 0)
		return SQLITE_IOERR;
	return real(statement);
}

static rt_status create(int timeout_ms)
{
	struct eds_session session;
	struct eds_store *store;

	next_event(timeout_ms);
	RT_TRY(eds_store_open(&event, &store));
	return eds_store_session_create(&event, store, "192.0.2.1", 0, &session);
}

/* SQLite refuses a query of one statement; a kept statement, which has succeeded before, must still
 * work. */
static void a_refused_statement_disturbs_no_other(void **state)
{
	static const struct eds_db_statement two = {"two", "SELECT 1 UNION ALL SELECT 2"};
	static const struct eds_db_statement once = {NULL, "SELECT 1"};
	static const struct eds_db_statement wrong = {"wrong", "SELECT nothing FROM nowhere"};
	struct eds_db_query *first;
	struct eds_db_query *second;
	struct eds_db *db;

	(void)state;
	db = open_store()->db;
	assert_int_equal(eds_db_query(db, &once, EDS_DB_NO_VALUES, &first), EDS_DB_ROW);
	assert_int_equal(eds_db_query(db, &two, EDS_DB_NO_VALUES, &second), EDS_DB_ROW);
	eds_db_end(second);
	eds_db_end(first);
	assert_int_equal(eds_db_query(db, &two, EDS_DB_NO_VALUES, &first), EDS_DB_ROW);
	assert_int_equal(eds_db_query(db, &wrong, EDS_DB_NO_VALUES, &second), EDS_DB_REFUSED);
	eds_db_end(second);
	assert_int_equal(eds_db_next(first), EDS_DB_ROW);
	assert_int_equal(eds_db_int(first, 0), 2);
	eds_db_end(first);
}

static sqlite3 *lock_database(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void assert_unavailable(rt_status status)
{
	assert_int_equal(status, RT_TEMPORARY);
	assert_string_equal(event.failure.code, "store-unavailable");
}

static void a_locked_database_is_a_temporary_failure_at_the_deadline(void **state)
{
	sqlite3 *lock = lock_database();
	int64_t start_ms = rt_monotonic_ms();
	int64_t took_ms;

	(void)state;
	assert_unavailable(create(300));
	took_ms = rt_monotonic_ms() - start_ms;
	assert_in_range(took_ms, 290, 1000);
	sqlite3_close(lock);
	assert_int_equal(create(EVENT_MS), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
}

static void an_event_past_its_deadline_does_not_wait_at_all(void **state)
{
	sqlite3 *lock = lock_database();
	int64_t start_ms = rt_monotonic_ms();

	(void)state;
	assert_unavailable(create(-1000));
	assert_in_range(rt_monotonic_ms() - start_ms, 0, 900);
	sqlite3_close(lock);
}

static void *unlock_soon(void *lock)
{
	usleep(150 * 1000);
	sqlite3_close(lock);
	return NULL;
}

static void a_lock_released_in_time_only_costs_time(void **state)
{
	pthread_t thread;
	int64_t start_ms = rt_monotonic_ms();

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, unlock_soon, lock_database()), 0);
	assert_int_equal(create(EVENT_MS), RT_OK);
	assert_in_range(rt_monotonic_ms() - start_ms, 140, 2000);
	pthread_join(thread, NULL);
}

static void reading_continues_during_a_write(void **state)
{
	struct eds_session session;
	sqlite3 *lock;

	(void)state;
	new_session(id);
	lock = lock_database();
	assert_int_equal(eds_store_session_get(&event, open_store(), id, &session), RT_OK);
	sqlite3_close(lock);
}

/* Limits the size of files, so that a write fails as on a full disk. */
static void limit_files(rlim_t limit)
{
	struct rlimit rlimit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &rlimit), 0);
	rlimit.rlim_cur = limit;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &rlimit), 0);
}

static void a_full_disk_is_a_temporary_failure_and_leaves_nothing_half_written(void **state)
{
	struct eds_session session;
	char *large = malloc(1 << 20);

	(void)state;
	assert_non_null(large);
	memset(large, 'x', (1 << 20) - 1);
	memcpy(large, "{\"", 2);
	large[(1 << 20) - 1] = '\0';
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(complete(new_session(id), "m1", 1, RESULT), RT_OK);

	limit_files(256 * 1024);
	assert_unavailable(complete(id, "m2", 2, large));
	limit_files(RLIM_INFINITY);

	assert_int_equal(eds_store_session_get(&event, open_store(), id, &session), RT_OK);
	assert_string_equal(session.result, RESULT);
	assert_int_equal(session.message_count, 1);
	assert_int_equal(sql("SELECT count(*) FROM pragma_integrity_check"
			     " WHERE integrity_check <> 'ok'"),
		0);
	assert_int_equal(complete(id, "m2", 2, large), RT_OK);
	free(large);
}

static void a_garbled_database_is_a_temporary_failure_until_repaired(void **state)
{
	FILE *file;

	(void)state;
	remove_database();
	file = fopen(database, "w");
	assert_non_null(file);
	for (int i = 0; i < 1000; i++)
		fputs("this is no database ", file);
	fclose(file);
	assert_unavailable(create(EVENT_MS));
	assert_string_equal(
		event.failure.detail, "the database cannot be used now: file is not a database");
	assert_int_equal(empty_database(NULL), 0);
	assert_int_equal(create(EVENT_MS), RT_OK);
}

static void a_folder_that_cannot_be_entered_is_a_temporary_failure(void **state)
{
	char path[PATH_MAX_BYTES];
	struct eds_store *store;
	int from;
	int to;

	(void)state;
	snprintf(path, sizeof path, "%s/var", folder);
	remove_database();
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
	next_event(EVENT_MS);
	assert_int_not_equal(eds_store_open(&event, &store), RT_OK);
	next_event(EVENT_MS);
	assert_unavailable(eds_store_migrate(&event, &from, &to));
	assert_int_equal(unlink(path), 0);
}

/* A statement about a missing table fails, as in a damaged database, while other statements
 * work. */
static void a_failing_query_is_a_failure_and_not_an_answer(void **state)
{
	struct eds_store *store = open_store();
	bool has = true;

	(void)state;
	sql("ALTER TABLE tester_messages RENAME TO elsewhere");
	assert_int_equal(eds_store_session_has_message(
				 &event, store, "aaaaaaaaaaaaaaaaaaaaaaaaaa", "m1", &has),
		RT_INTERNAL);
	assert_string_equal(event.failure.code, "store-failed");
	assert_false(has);
}

/* For text that cannot be the id of a session, the store answers "no such session" without a
 * query. */
static void text_without_the_form_of_an_id_causes_no_query(void **state)
{
	const char *const none[] = {"", "aaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"aaaaaaaaaaaaaaaaaaaaaaaaa1", "Aaaaaaaaaaaaaaaaaaaaaaaaaa"};
	struct eds_store *store = open_store();
	struct eds_session_message message = {.message_id = "m1", .mail_from = ""};
	struct eds_session session;

	(void)state;
	if (on_postgres())
		skip();
	failing = "";
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		assert_int_equal(
			eds_store_session_get(&event, store, none[i], &session), RT_NOT_FOUND);
		assert_int_equal(
			eds_store_session_complete(&event, store, none[i], &message, RESULT),
			RT_NOT_FOUND);
		assert_int_equal(
			eds_store_session_message(&event, store, none[i], &message), RT_NOT_FOUND);
	}
	assert_int_equal(
		eds_store_session_get(&event, store, "aaaaaaaaaaaaaaaaaaaaaaaaaa", &session),
		RT_TEMPORARY);
	failing = NULL;
}

static void expect_no_analysis_without(const char *question)
{
	open_store();
	failing = question;
	assert_unavailable(eds_store_reanalysis_begin(&event, open_store(), id, "192.0.2.1", 1));
	failing = NULL;
}

/* When a reanalysis is refused, separate queries read the reason and the time until it is allowed;
 * if one of them fails, so does the call. */
static void a_refusal_whose_reason_cannot_be_read_is_a_failure(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(
		eds_store_reanalysis_begin(&event, open_store(), id, "192.0.2.1", 1), RT_OK);
	expect_no_analysis_without("SELECT reanalyze_from_ms");
	new_session(id);
	expect_no_analysis_without("SELECT used_until_ms");
	expect_no_analysis_without("INSERT INTO reanalysis_clients");
}

static void no_analysis_begins_when_its_client_cannot_be_counted(void **state)
{
	(void)state;
	new_session(id);
	sql("ALTER TABLE reanalysis_clients RENAME TO elsewhere");
	next_event(EVENT_MS);
	assert_int_equal(
		eds_store_reanalysis_begin(&event, open_store(), id, "192.0.2.1", 1), RT_INTERNAL);
	assert_string_equal(event.failure.code, "store-failed");
	assert_int_equal(sql("SELECT reanalyze_from_ms FROM tester_sessions"), 0);
}

static void a_session_that_cannot_be_taken_is_not_analyzed(void **state)
{
	(void)state;
	new_session(id);
	sql("CREATE TRIGGER broken BEFORE UPDATE ON tester_sessions"
	    " BEGIN SELECT RAISE(ABORT, 'broken'); END");
	assert_int_equal(
		eds_store_reanalysis_begin(&event, open_store(), id, "192.0.2.1", 1), RT_INTERNAL);
	assert_string_equal(event.failure.code, "store-failed");
	assert_int_equal(sql("SELECT count(*) FROM reanalysis_clients"), 0);
}

struct attempts {
	int count;
	int busy;
};

static rt_status insert_then_conflict(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	static const struct eds_db_statement insert = {"test-insert",
		"INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
		" VALUES ('x', 'c', 1, 2)"};
	struct attempts *attempts = arg;
	enum eds_db_result result = eds_db_execute(store->db, &insert, EDS_DB_NO_VALUES, NULL);

	if (result == EDS_DB_OK && attempts->count++ < attempts->busy)
		result = EDS_DB_BUSY;
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static void a_transaction_that_conflicted_with_another_is_run_again_whole(void **state)
{
	struct attempts attempts = {.busy = 2};
	struct eds_store *store = open_store();

	(void)state;
	assert_int_equal(eds_store_write(&event, store, insert_then_conflict, &attempts), RT_OK);
	assert_int_equal(attempts.count, 3);
	assert_int_equal(event.failure.category, RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
}

static void a_transaction_is_not_run_again_past_the_deadline(void **state)
{
	struct attempts attempts = {.busy = 1000000000};
	struct eds_store *store;

	(void)state;
	open_store();
	next_event(50);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_unavailable(eds_store_write(&event, store, insert_then_conflict, &attempts));
	assert_true(attempts.count > 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 0);
}

static void a_statement_that_breaks_a_key_is_an_internal_error_and_rolled_back(void **state)
{
	struct attempts attempts = {0};
	struct eds_store *store = open_store();

	(void)state;
	sql("INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
	    " VALUES ('x', 'c', 1, 2)");
	assert_int_equal(
		eds_store_write(&event, store, insert_then_conflict, &attempts), RT_INTERNAL);
	assert_string_equal(event.failure.code, "store-failed");
	assert_int_equal(create(EVENT_MS), RT_OK);
}

static void only_their_owner_may_read_the_files(void **state)
{
	char path[PATH_MAX_BYTES + 8];
	struct stat status;

	(void)state;
	new_session(id);
	snprintf(path, sizeof path, "%s/var", folder);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_equal(stat(database, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	snprintf(path, sizeof path, "%s-wal", database);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_refused_statement_disturbs_no_other, empty_database),
		cmocka_unit_test_setup(
			a_locked_database_is_a_temporary_failure_at_the_deadline, empty_database),
		cmocka_unit_test_setup(
			an_event_past_its_deadline_does_not_wait_at_all, empty_database),
		cmocka_unit_test_setup(a_lock_released_in_time_only_costs_time, empty_database),
		cmocka_unit_test_setup(reading_continues_during_a_write, empty_database),
		cmocka_unit_test_setup(
			a_full_disk_is_a_temporary_failure_and_leaves_nothing_half_written,
			empty_database),
		cmocka_unit_test_setup(
			a_garbled_database_is_a_temporary_failure_until_repaired, empty_database),
		cmocka_unit_test_setup(
			a_folder_that_cannot_be_entered_is_a_temporary_failure, empty_database),
		cmocka_unit_test_setup(
			a_transaction_that_conflicted_with_another_is_run_again_whole,
			empty_database),
		cmocka_unit_test_setup(
			a_transaction_is_not_run_again_past_the_deadline, empty_database),
		cmocka_unit_test_setup(
			a_statement_that_breaks_a_key_is_an_internal_error_and_rolled_back,
			empty_database),
		cmocka_unit_test_setup(
			a_failing_query_is_a_failure_and_not_an_answer, empty_database),
		cmocka_unit_test_setup(
			text_without_the_form_of_an_id_causes_no_query, empty_database),
		cmocka_unit_test_setup(
			a_refusal_whose_reason_cannot_be_read_is_a_failure, empty_database),
		cmocka_unit_test_setup(
			no_analysis_begins_when_its_client_cannot_be_counted, empty_database),
		cmocka_unit_test_setup(
			a_session_that_cannot_be_taken_is_not_analyzed, empty_database),
		cmocka_unit_test_setup(only_their_owner_may_read_the_files, empty_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
