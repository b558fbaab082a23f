/* Sessions analyzed anew: one analysis at a time, and a client's share of an hour. */
#include "functions/lib/store/tester/session-expiry.h"
#include "functions/lib/store/tester/session-reanalysis.h"
#include "tests/unit/store_fixture.h"

static char id[EDS_TEST_ID_LENGTH + 1];

static void move_reanalysis_time(const char *change)
{
	char statement[160];

	snprintf(statement, sizeof statement,
		"UPDATE tester_sessions SET reanalyze_from_ms = reanalyze_from_ms %s", change);
	sql(statement);
}

static rt_status begin_reanalysis(const char *test_id, const char *client, int per_hour)
{
	return eds_store_reanalysis_begin(&event, open_store(), test_id, client, per_hour);
}

static void expect_client_refused(const char *client, int per_hour, int least_s, int most_s)
{
	new_session(id);
	assert_int_equal(begin_reanalysis(id, client, per_hour), RT_LIMIT);
	assert_string_equal(event.failure.code, "too-many-reanalyses");
	assert_in_range(event.failure.retry_after_s, least_s, most_s);
	rt_fail_clear(&event);
	assert_int_equal(begin_reanalysis(id, "2001:db8::/64", per_hour), RT_OK);
}

static void a_session_is_analyzed_again_once_at_a_time_and_after_a_pause(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 0), RT_OK);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 0), RT_LIMIT);
	assert_string_equal(event.failure.code, "reanalyzed-just-now");
	assert_in_range(event.failure.retry_after_s, 30, 40);
	rt_fail_clear(&event);
	assert_int_equal(eds_store_reanalysis_end(&event, open_store(), id), RT_OK);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 0), RT_LIMIT);
	assert_in_range(event.failure.retry_after_s, 1, 10);
	rt_fail_clear(&event);
	move_reanalysis_time("- 10001");
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 0), RT_OK);
}

static void an_analysis_that_never_ended_gives_way_after_its_lease(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 0), RT_OK);
	move_reanalysis_time("- 40001");
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 0), RT_OK);
}

static void an_unknown_session_is_not_analyzed_again(void **state)
{
	(void)state;
	assert_int_equal(
		begin_reanalysis("aaaaaaaaaaaaaaaaaaaaaaaaaa", "192.0.2.1", 0), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "session-not-found");
	rt_fail_clear(&event);
}

/* The limit is that of the client: another client may have the same session analyzed again. */
static void a_client_has_one_hourly_limit_for_all_sessions(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		new_session(id);
		assert_int_equal(begin_reanalysis(id, "192.0.2.1", 4), RT_OK);
	}
	expect_client_refused("192.0.2.1", 4, 890, 900);
	sql("UPDATE reanalysis_clients SET used_until_ms = used_until_ms - 900000"
	    " WHERE client = '192.0.2.1'");
	new_session(id);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 4), RT_OK);
	expect_client_refused("192.0.2.1", 4, 890, 900);
	new_session(id);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 0), RT_OK);
}

static void a_limit_of_one_is_free_again_after_an_hour_and_leaves_no_row(void **state)
{
	size_t removed;

	(void)state;
	new_session(id);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 1), RT_OK);
	expect_client_refused("192.0.2.1", 1, 3590, 3600);
	sql("UPDATE reanalysis_clients SET used_until_ms = used_until_ms - 3600000");
	new_session(id);
	assert_int_equal(begin_reanalysis(id, "192.0.2.1", 1), RT_OK);
	assert_int_equal(eds_store_sessions_purge(&event, open_store(), NULL, 0, &removed), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM reanalysis_clients"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_session_is_analyzed_again_once_at_a_time_and_after_a_pause,
			empty_database),
		cmocka_unit_test_setup(
			an_analysis_that_never_ended_gives_way_after_its_lease, empty_database),
		cmocka_unit_test_setup(an_unknown_session_is_not_analyzed_again, empty_database),
		cmocka_unit_test_setup(
			a_client_has_one_hourly_limit_for_all_sessions, empty_database),
		cmocka_unit_test_setup(a_limit_of_one_is_free_again_after_an_hour_and_leaves_no_row,
			empty_database),
	};

	return cmocka_run_group_tests_name(
		"store: reanalysis", tests, choose_database, remove_folder);
}
