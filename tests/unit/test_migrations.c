/* Migrations run once, and a program works with every schema that fits it. */
#include <ctype.h>
#include <sys/wait.h>
#include <time.h>

#include "functions/lib/store/schema/migrations.h"
#include "functions/lib/store/schema/schema.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

enum {
	NEWEST = 33, /* version of the schema */
	OLDEST = 4,  /* program that works with it */
};

static void set_versions(int oldest_program, int steps)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text, "UPDATE schema_version SET version = %d", oldest_program);
	sql(text);
	snprintf(text, sizeof text, "UPDATE schema_steps SET done = %d", steps);
	sql(text);
}

static void migrated(void)
{
	int from;
	int to;

	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	next_event(EVENT_MS);
}

static void an_empty_database_is_migrated_from_0_to_the_newest_version(void **state)
{
	int from = -1;
	int to = -1;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(from, 0);
	assert_int_equal(to, NEWEST);
	assert_int_equal(sql("SELECT version FROM schema_version"), OLDEST);
	assert_int_equal(sql("SELECT done FROM schema_steps"), NEWEST);
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

/* Some clusters of PostgreSQL's protocol commit each DDL statement by itself, so a crash may leave
 * a migration step half done. */
static void a_step_that_was_left_half_done_is_finished(void **state)
{
	int from;
	int to;

	(void)state;
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	sql("DROP INDEX tester_messages_by_time");
	set_versions(0, 0);
	next_event(EVENT_MS);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(from, 0);
	assert_int_equal(to, NEWEST);
	/* this statement fails if the index was not made */
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
	set_versions(2, 2);
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

static void functions_without_a_database_fail_and_do_not_create_one(void **state)
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
	set_versions(0, 0);
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

static void a_database_with_only_additions_of_later_releases_is_used_unchanged(void **state)
{
	struct eds_store *store;
	int from;
	int to;

	(void)state;
	migrated();
	set_versions(OLDEST, 99);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(from, 99);
	assert_int_equal(to, 99);
	assert_int_equal(sql("SELECT done FROM schema_steps"), 99);
}

/* Makes the schema look as releases left it that knew only schema_version. */
static void a_database_without_a_count_of_steps_is_migrated_further(void **state)
{
	(void)state;
	migrated();
	sql("DROP TABLE schema_steps");
	migrated();
	assert_int_equal(sql("SELECT done FROM schema_steps"), NEWEST);
	assert_int_equal(sql("SELECT version FROM schema_version"), OLDEST);
}

static void steps_done_without_being_counted_are_not_repeated(void **state)
{
	int from;
	int to;

	(void)state;
	migrated();
	set_versions(4, 2);
	assert_int_equal(eds_store_migrate(&event, &from, &to), RT_OK);
	assert_int_equal(from, 4);
}

static void a_program_that_comes_before_its_migration_waits_for_it(void **state)
{
	const struct timespec a_while = {.tv_nsec = 300000000};
	int64_t began_ms = rt_monotonic_ms();
	struct eds_store *store;
	int status;

	(void)state;
	migrated();
	set_versions(NEWEST - 1, NEWEST - 1);
	if (fork() == 0) {
		server.connection = NULL;
		nanosleep(&a_while, NULL);
		set_versions(OLDEST, NEWEST);
		_exit(0);
	}
	next_event(EVENT_MS);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_true(rt_monotonic_ms() - began_ms >= 300);
	wait(&status);
}

static void a_program_waits_for_the_migration_until_the_deadline_of_its_event(void **state)
{
	struct eds_store *store;
	int64_t began_ms;

	(void)state;
	migrated();
	set_versions(NEWEST - 1, NEWEST - 1);
	next_event(3500);
	began_ms = rt_monotonic_ms();
	assert_int_equal(eds_store_open(&event, &store), RT_TEMPORARY);
	assert_string_equal(event.failure.code, "store-not-migrated");
	assert_non_null(strstr(event.failure.detail, "migrate"));
	assert_true(rt_monotonic_ms() - began_ms < 2500);
}

/* Whether the statement begins with this kind, such as CREATE TABLE; name gets the name of its
 * object. */
static bool names(const char *statement, const char *kind, char name[64])
{
	size_t length = strlen(kind);
	size_t end = 0;

	if (strncmp(statement, kind, length) != 0)
		return false;
	while (isalnum((unsigned char)statement[length + end]) || statement[length + end] == '_')
		end++;
	snprintf(name, 64, "%.*s", (int)end, statement + length);
	return end > 0;
}

static bool makes_table(const struct eds_schema_step *step, const char *table)
{
	char name[64];

	for (const char *const *sql_text = step->sql; *sql_text != NULL; sql_text++)
		if (names(*sql_text, "CREATE TABLE IF NOT EXISTS ", name) &&
			strcmp(name, table) == 0)
			return true;
	return false;
}

/* Whether an UPDATE sets only one column, which this step itself adds to the table. */
static bool fills_its_column(const struct eds_schema_step *step, const char *statement)
{
	char table[64];
	char column[64];
	char adds[192];

	if (sscanf(statement, "UPDATE %63s SET %63s = ", table, column) != 2 ||
		strchr(strstr(statement, " SET "), ',') != NULL)
		return false;
	snprintf(adds, sizeof adds, "ALTER TABLE %s ADD COLUMN IF NOT EXISTS %s ", table, column);
	for (const char *const *sql_text = step->sql; *sql_text != NULL; sql_text++)
		if (strncmp(*sql_text, adds, strlen(adds)) == 0)
			return true;
	return false;
}

/* Whether the statement is one that older programs do not notice: it makes a table or an index,
 * adds a column that an INSERT may leave out, fills a table or column that the same step made, or
 * tells PostgreSQL where to store long values and how full to make pages. */
static bool only_adds(const struct eds_schema_step *step, const char *statement)
{
	char name[64];

	if (names(statement, "CREATE TABLE IF NOT EXISTS ", name) ||
		names(statement, "CREATE INDEX IF NOT EXISTS ", name))
		return true;
	if (names(statement, "INSERT INTO ", name))
		return makes_table(step, name);
	if (names(statement, "UPDATE ", name))
		return fills_its_column(step, statement);
	if (strstr(statement, " SET (toast_tuple_target = ") != NULL ||
		strstr(statement, " SET (fillfactor = ") != NULL)
		return names(statement, "ALTER TABLE ", name);
	return names(statement, "ALTER TABLE ", name) &&
		strstr(statement, " ADD COLUMN ") != NULL &&
		(strstr(statement, "NOT NULL") == NULL || strstr(statement, "DEFAULT") != NULL);
}

static void a_step_compatible_with_the_release_before_only_adds(void **state)
{
	static const char *const bad[] = {
		"DROP TABLE domains",
		"ALTER TABLE domains ADD COLUMN x BIGINT NOT NULL",
		"ALTER TABLE domains RENAME COLUMN name TO x",
		"CREATE UNIQUE INDEX IF NOT EXISTS x ON domains (name)",
		"INSERT INTO domains (id) VALUES ('x')",
		"UPDATE domains SET name = 'x'",
		"UPDATE domains SET name = 'x', created_at_ms = 1",
	};
	static const char *const nothing[] = {NULL};
	const struct eds_schema_step empty = {nothing, OLDEST};
	const struct eds_schema_step *step;
	int oldest = OLDEST;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(only_adds(&empty, bad[i]));
	for (int64_t i = OLDEST + 1; (step = eds_store_step(i)) != NULL; i++) {
		if (step->oldest_program > oldest) {
			oldest = step->oldest_program;
			continue;
		}
		for (const char *const *sql_text = step->sql; *sql_text != NULL; sql_text++)
			if (!only_adds(step, *sql_text))
				fail_msg("step %d does more than add: %s", (int)i, *sql_text);
	}
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
			an_empty_database_is_migrated_from_0_to_the_newest_version, no_database),
		cmocka_unit_test_setup(migrating_again_changes_nothing, no_database),
		cmocka_unit_test_setup(a_step_that_was_left_half_done_is_finished, no_database),
		cmocka_unit_test_setup(
			domains_of_an_older_schema_get_their_mta_sts_configuration, no_database),
		cmocka_unit_test_setup(
			functions_without_a_database_fail_and_do_not_create_one, no_database),
		cmocka_unit_test_setup(a_database_without_a_schema_is_refused, no_database),
		cmocka_unit_test_setup(
			an_older_schema_is_refused_until_it_is_migrated, no_database),
		cmocka_unit_test_setup(a_newer_schema_is_refused_and_not_touched, no_database),
		cmocka_unit_test_setup(a_migration_under_a_warm_program_stops_it, no_database),
		cmocka_unit_test_setup(
			a_database_with_only_additions_of_later_releases_is_used_unchanged,
			no_database),
		cmocka_unit_test_setup(
			a_database_without_a_count_of_steps_is_migrated_further, no_database),
		cmocka_unit_test_setup(
			steps_done_without_being_counted_are_not_repeated, no_database),
		cmocka_unit_test_setup(
			a_program_that_comes_before_its_migration_waits_for_it, no_database),
		cmocka_unit_test_setup(
			a_program_waits_for_the_migration_until_the_deadline_of_its_event,
			no_database),
		cmocka_unit_test(a_step_compatible_with_the_release_before_only_adds),
		cmocka_unit_test_setup(an_sqlite_file_keeps_a_write_ahead_log, no_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
