/* Values and statements through the drivers: on PostgreSQL each statement unprepared, while it is
 * being prepared, and prepared. Tests only for PostgreSQL run when EDS_TEST_DATABASE_URL names a
 * server (tests/support/postgres.mjs). */
#include "tests/unit/store_fixture.h"

#include "functions/lib/store/transaction.h"

enum {
	SHORT_MS = 300,
};

/* A time limit that stayed set on the connection would also end statements of later events. */
static void each_event_has_its_own_time_limit(void **state)
{
	static const struct eds_db_statement slow = {"test-slow", "SELECT 1 FROM pg_sleep(0.6)"};
	struct eds_db_query *query;
	struct eds_store *store;

	(void)state;
	next_event(SHORT_MS);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	store = open_store();
	for (int i = 0; i < 3;
		i++) { /* the statement is unprepared, then being prepared, then prepared */
		assert_int_equal(
			eds_db_query(store->db, &slow, EDS_DB_NO_VALUES, &query), EDS_DB_ROW);
		eds_db_end(query);
	}
	next_event(SHORT_MS);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(eds_db_query(store->db, &slow, EDS_DB_NO_VALUES, &query), EDS_DB_BUSY);
	eds_db_end(query);
}

static void a_statement_whose_preparation_failed_is_prepared_again(void **state)
{
	static const struct eds_db_statement divide = {
		"test-divide", "SELECT 6 / CAST($1 AS BIGINT)"};
	static const int64_t by[] = {1, 0, 0, 2, 3};
	struct eds_db_query *query;
	struct eds_store *store;

	(void)state;
	store = open_store();
	for (size_t i = 0; i < 5; i++) {
		enum eds_db_result result = eds_db_query(
			store->db, &divide, EDS_DB_VALUES(eds_db_int_value(by[i])), &query);

		assert_int_equal(result, by[i] == 0 ? EDS_DB_REFUSED : EDS_DB_ROW);
		if (result == EDS_DB_ROW)
			assert_int_equal(eds_db_int(query, 0), 6 / by[i]);
		eds_db_end(query);
	}
}

static void values_are_read_back_as_they_were_written(void **state)
{
	static const struct eds_db_statement echo = {"test-echo",
		"SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS TEXT),"
		" CAST($3 AS TEXT)"};
	struct eds_store *store;

	(void)state;
	store = open_store();
	/* the statement is unprepared, then being prepared, then prepared */
	for (int i = 0; i < 3; i++) {
		struct eds_db_query *query;

		assert_int_equal(eds_db_query(store->db, &echo,
					 EDS_DB_VALUES(eds_db_int_value(INT64_MIN),
						 eds_db_int_value(INT64_MAX),
						 eds_db_text_value("'\\\xc3\xa4$1"),
						 eds_db_text_value(NULL)),
					 &query),
			EDS_DB_ROW);
		assert_true(eds_db_int(query, 0) == INT64_MIN);
		assert_true(eds_db_int(query, 1) == INT64_MAX);
		assert_string_equal(eds_db_text(&event, query, 2), "'\\\xc3\xa4$1");
		assert_null(eds_db_text(&event, query, 3));
		assert_string_equal(eds_db_text(&event, query, 4), "'\\\xc3\xa4$1");
		assert_int_equal(eds_db_next(query), EDS_DB_OK);
		eds_db_end(query);
	}
}

static void octets_that_are_not_utf8_are_refused_without_harm(void **state)
{
	static const struct eds_db_statement echo = {"test-text", "SELECT CAST($1 AS TEXT)"};
	struct eds_db_query *query;
	struct eds_store *store;

	(void)state;
	store = open_store();
	assert_int_equal(
		eds_db_query(store->db, &echo, EDS_DB_VALUES(eds_db_text_value("\xff")), &query),
		EDS_DB_REFUSED);
	eds_db_end(query);
	assert_int_equal(
		eds_db_query(store->db, &echo, EDS_DB_VALUES(eds_db_text_value("a")), &query),
		EDS_DB_ROW);
	eds_db_end(query);
}

/* If the results were in the row itself, each check of a domain would write the results of the
 * previous check again, twice. */
static void results_of_a_look_are_stored_outside_the_row_that_is_updated(void **state)
{
	char text[SQL_MAX_BYTES];

	(void)state;
	snprintf(text, sizeof text,
		"SELECT count(*) FROM pg_class WHERE oid = '\"%s\".posture'::regclass"
		" AND 'toast_tuple_target=128' = ANY (reloptions)",
		schema);
	assert_int_equal(sql(text), 1);
}

#define STORE_TEST(name) cmocka_unit_test_setup(name, empty_database)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(values_are_read_back_as_they_were_written),
	};
	const struct CMUnitTest with_server[] = {
		STORE_TEST(each_event_has_its_own_time_limit),
		STORE_TEST(a_statement_whose_preparation_failed_is_prepared_again),
		STORE_TEST(values_are_read_back_as_they_were_written),
		STORE_TEST(octets_that_are_not_utf8_are_refused_without_harm),
		STORE_TEST(results_of_a_look_are_stored_outside_the_row_that_is_updated),
	};

	if (getenv("EDS_TEST_DATABASE_URL") == NULL)
		return cmocka_run_group_tests(tests, choose_database, remove_folder);
	return cmocka_run_group_tests(with_server, choose_database, remove_folder);
}
