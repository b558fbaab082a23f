/* The schema comes up to date once, and programs refuse any other. */
#include <time.h>

#include "tests/unit/store_fixture.h"

enum {
	NEWEST = 4, /* version of the schema */
};

static void an_empty_database_comes_from_0_to_the_newest_version(void **state)
{
	int from = -1;
	int to = -1;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(from, 0);
	assert_int_equal(to, NEWEST);
	assert_int_equal(sql("SELECT version FROM schema_version"), NEWEST);
}

static void migrating_again_changes_nothing(void **state)
{
	char id[EDS_TEST_ID_LENGTH + 1];
	int from;
	int to;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	new_session(id);
	next_event(EVENT_MS);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(from, NEWEST);
	assert_int_equal(to, NEWEST);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
	assert_int_equal(sql("SELECT count(*) FROM schema_version"), 1);
}

/* Some clusters commit each DDL statement by itself: a crash may leave a step half done. */
static void a_step_that_was_left_half_done_is_finished(void **state)
{
	int from;
	int to;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	sql("DROP INDEX tester_messages_by_time");
	sql("UPDATE schema_version SET version = 0");
	next_event(EVENT_MS);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(from, 0);
	assert_int_equal(to, NEWEST);
	/* fails if it is not there */
	sql("DROP INDEX tester_messages_by_time");
}

static void domains_of_an_older_schema_get_their_mta_sts_configuration(void **state)
{
	int from;
	int to;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	sql("DROP TABLE mta_sts_ids");
	sql("DROP TABLE mta_sts");
	sql("UPDATE schema_version SET version = 2");
	sql("INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a1', 'paid', 'paid', 1),"
	    " ('a2', 'free', 'free', 1)");
	sql("INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ('0-d-1', 'a1', "
	    "'example.com', 7), ('0-d-2', 'a2', 'example.com', 8)");
	next_event(EVENT_MS);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(
		sql("SELECT count(*) FROM mta_sts WHERE domain_id = '0-d-1' AND name = "
		    "'example.com' AND hosted = 1 AND enabled = 0 AND mode = 'testing' AND "
		    "max_age_s = 604800 AND mx_patterns = '' AND policy_id = '0d1' AND "
		    "updated_at_ms = 7 AND checked_at_ms = 0 AND due_at_ms <= 8"),
		1);
	assert_int_equal(sql("SELECT hosted FROM mta_sts WHERE domain_id = '0-d-2'"), 0);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids WHERE policy_id = '0d2'"), 1);
}

static void assert_not_migrated(void)
{
	struct eds_store *store;

	next_event(EVENT_MS);
	assert_int_equal(eds_store_open(&event, &store), RT_TEMPORARY);
	assert_string_equal(event.failure.code, "store-not-migrated");
	assert_true(event.failure.retry_after_s > 0);
}

static void without_a_database_other_functions_refuse_and_make_none(void **state)
{
	(void)state;
	assert_not_migrated();
	assert_int_equal(access(database, F_OK), -1);
}

static void a_database_without_a_schema_is_refused(void **state)
{
	(void)state;
	sql("CREATE TABLE unrelated (x BIGINT)");
	assert_not_migrated();
}

static void an_older_schema_is_refused_until_it_is_migrated(void **state)
{
	struct eds_store *store;
	int from;
	int to;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	sql("UPDATE schema_version SET version = 0");
	assert_not_migrated();
	next_event(EVENT_MS);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
}

static void a_newer_schema_is_refused_and_not_touched(void **state)
{
	int from;
	int to;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	sql("UPDATE schema_version SET version = 99");
	assert_not_migrated();
	next_event(EVENT_MS);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_INTERNAL);
	assert_string_equal(event.failure.code, "store-not-migrated");
	assert_int_equal(sql("SELECT version FROM schema_version"), 99);
}

static void a_migration_under_a_warm_program_stops_it(void **state)
{
	const struct timespec a_while = {.tv_nsec = 20000000};
	struct eds_store *store;
	int from;
	int to;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	sql("UPDATE schema_version SET version = 99");
	for (int i = 0; i < 200 && eds_store_open(&event, &store) == RT_OK; i++) {
		nanosleep(&a_while, NULL);
		next_event(EVENT_MS);
	}
	assert_not_migrated();
}

static void an_sqlite_file_keeps_a_write_ahead_log(void **state)
{
	int from;
	int to;

	(void)state;
	if (on_postgres())
		skip();
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(sql("SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			an_empty_database_comes_from_0_to_the_newest_version, no_database),
		cmocka_unit_test_setup(migrating_again_changes_nothing, no_database),
		cmocka_unit_test_setup(a_step_that_was_left_half_done_is_finished, no_database),
		cmocka_unit_test_setup(
			domains_of_an_older_schema_get_their_mta_sts_configuration, no_database),
		cmocka_unit_test_setup(
			without_a_database_other_functions_refuse_and_make_none, no_database),
		cmocka_unit_test_setup(a_database_without_a_schema_is_refused, no_database),
		cmocka_unit_test_setup(
			an_older_schema_is_refused_until_it_is_migrated, no_database),
		cmocka_unit_test_setup(a_newer_schema_is_refused_and_not_touched, no_database),
		cmocka_unit_test_setup(a_migration_under_a_warm_program_stops_it, no_database),
		cmocka_unit_test_setup(an_sqlite_file_keeps_a_write_ahead_log, no_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
