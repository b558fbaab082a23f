/* A database file that is replaced or removed while a process has it open. */
#include "functions/lib/store/connection.h"
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session.h"
#include "tests/unit/store_fixture.h"

static char id[EDS_TEST_ID_LENGTH + 1];

static void a_replaced_database_is_used_from_then_on(void **state)
{
	char other[PATH_MAX_BYTES + 8];
	char vacuum[2 * PATH_MAX_BYTES];
	struct eds_session session;

	(void)state;
	snprintf(other, sizeof other, "%s.other", database);
	snprintf(vacuum, sizeof vacuum, "VACUUM INTO '%s'", other);
	sql(vacuum);
	new_session(id);
	remove_database();
	assert_int_equal(rename(other, database), 0);
	assert_int_equal(eds_store_session_get(&event, open_store(), id, &session), RT_NOT_FOUND);
	new_session(id);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
}

static void a_removed_database_is_noticed_at_once(void **state)
{
	struct eds_store *store;

	(void)state;
	new_session(id);
	remove_database();
	next_event(EVENT_MS);
	assert_int_equal(eds_store_open(&event, &store), RT_TEMPORARY);
	assert_string_equal(event.failure.code, "store-not-migrated");
	assert_int_equal(access(database, F_OK), -1);
}

static rt_status open_in_event_that_follows(struct eds_store **store)
{
	rt_status status;

	next_event(EVENT_MS);
	event.follows = true;
	status = eds_store_open(&event, store);
	event.follows = false;
	return status;
}

static void one_look_at_the_file_is_enough_for_events_that_came_together(void **state)
{
	struct eds_store *store;

	(void)state;
	new_session(id);
	remove_database();
	assert_int_equal(open_in_event_that_follows(&store), RT_OK);
	store->migrated_until_ms = 0; /* as if the look were long ago */
	assert_int_equal(open_in_event_that_follows(&store), RT_TEMPORARY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_replaced_database_is_used_from_then_on, empty_database),
		cmocka_unit_test_setup(a_removed_database_is_noticed_at_once, empty_database),
		cmocka_unit_test_setup(one_look_at_the_file_is_enough_for_events_that_came_together,
			empty_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
