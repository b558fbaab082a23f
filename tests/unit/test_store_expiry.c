/* Data of expired tester sessions, and its removal. */
#include "functions/lib/store/tester/session-expiry.h"
#include "tests/unit/store_fixture.h"

#define RESULT "{\"verdict\":\"ham\"}"

static char id[EDS_TEST_ID_LENGTH + 1];
static char other[EDS_TEST_ID_LENGTH + 1];

static const char **expired(size_t *count)
{
	const char **ids;

	assert_int_equal(eds_store_messages_expired(&event, open_store(), &ids, count), RT_OK);
	return ids;
}

static size_t purge(const char *const *message_ids, size_t count)
{
	struct eds_store *store;
	size_t removed;

	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_sessions_purge(&event, store, message_ids, count, &removed), RT_OK);
	return removed;
}

static void messages_of_live_sessions_are_left_alone(void **state)
{
	static const char *const ids[] = {"m1"};
	size_t count;

	(void)state;
	assert_int_equal(complete(new_session(id), "m1", 1, RESULT), RT_OK);
	expired(&count);
	assert_int_equal(count, 0);
	assert_int_equal(purge(ids, 1), 0);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
}

static void an_expired_session_is_deleted_with_its_messages(void **state)
{
	const char **ids;
	size_t count;

	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m1", 1, RESULT), RT_OK);
	assert_int_equal(complete(id, "m2", 2, RESULT), RT_OK);
	expire(id);
	ids = expired(&count);
	assert_int_equal(count, 2);
	assert_int_equal(purge(ids, count), 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 0);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 0);
}

static void an_expired_session_without_messages_is_deleted(void **state)
{
	size_t count;

	(void)state;
	expire(new_session(id));
	expired(&count);
	assert_int_equal(count, 0);
	assert_int_equal(purge(NULL, 0), 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 0);
}

/* Messages were deleted from the mail store but not from the database: a crash came in between, or
 * only some could be deleted. */
static void messages_not_purged_are_listed_again(void **state)
{
	const char **ids;
	size_t count;

	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m1", 1, RESULT), RT_OK);
	assert_int_equal(complete(id, "m2", 2, RESULT), RT_OK);
	expire(id);
	expired(&count);
	ids = expired(&count);
	assert_int_equal(count, 2);
	assert_int_equal(purge(ids, 1), 0);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
	ids = expired(&count);
	assert_int_equal(count, 1);
	assert_int_equal(purge(ids, count), 1);
}

static void a_message_to_two_sessions_stays_until_both_are_over(void **state)
{
	const char **ids;
	size_t count;

	(void)state;
	assert_int_equal(complete(new_session(id), "m1", 1, RESULT), RT_OK);
	assert_int_equal(complete(new_session(other), "m1", 1, RESULT), RT_OK);
	expire(id);
	ids = expired(&count);
	assert_int_equal(count, 0);
	/* the expired session and its results are removed although another session keeps the
	 * message */
	assert_int_equal(purge(ids, count), 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 1);
	expire(other);
	ids = expired(&count);
	assert_int_equal(count, 1);
	assert_int_equal(purge(ids, count), 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 0);
}

static void a_message_to_two_expired_sessions_is_listed_once(void **state)
{
	const char **ids;
	size_t count;

	(void)state;
	assert_int_equal(complete(new_session(id), "m1", 1, RESULT), RT_OK);
	assert_int_equal(complete(new_session(other), "m1", 1, RESULT), RT_OK);
	expire(id);
	expire(other);
	ids = expired(&count);
	assert_int_equal(count, 1);
	assert_int_equal(purge(ids, count), 2);
}

static void purging_twice_has_the_same_effect_as_once(void **state)
{
	static const char *const ids[] = {"m1", "never-was"};

	(void)state;
	assert_int_equal(complete(new_session(id), "m1", 1, RESULT), RT_OK);
	expire(id);
	next_event(EVENT_MS);
	assert_int_equal(purge(ids, 2), 1);
	assert_int_equal(purge(ids, 2), 0);
}

/* Sessions of each kind fill whole batches: with many messages, without messages, and with messages
 * that a live session still needs. */
static void batches_end_when_nothing_is_left(void **state)
{
	size_t messages = 0;
	size_t sessions = 0;
	size_t count;
	size_t removed;
	int rounds = 0;

	(void)state;
	assert_int_equal(complete(new_session(id), "shared", 1, RESULT), RT_OK);
	sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
	    " INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
	    " SELECT 'dead' || i, 'c', 0, i FROM n");
	sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
	    " INSERT INTO tester_messages SELECT 'dead' || i, 'shared', 1, '', '', '', '', '{}'"
	    " FROM n");
	sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 599)"
	    " INSERT INTO tester_messages"
	    " SELECT 'dead' || (600 + i / 20), 'm' || i, 1, '', '', '', '', '{}' FROM n");
	do {
		const char **ids = expired(&count);

		assert_true(count <= EDS_EXPIRE_BATCH);
		removed = purge(ids, count);
		assert_true(removed <= EDS_EXPIRE_BATCH);
		messages += count;
		sessions += removed;
		assert_true(++rounds < 50);
	} while (count > 0 || removed > 0);
	assert_int_equal(messages, 600);
	assert_int_equal(sessions, 900);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(messages_of_live_sessions_are_left_alone, empty_database),
		cmocka_unit_test_setup(
			an_expired_session_is_deleted_with_its_messages, empty_database),
		cmocka_unit_test_setup(
			an_expired_session_without_messages_is_deleted, empty_database),
		cmocka_unit_test_setup(messages_not_purged_are_listed_again, empty_database),
		cmocka_unit_test_setup(
			a_message_to_two_sessions_stays_until_both_are_over, empty_database),
		cmocka_unit_test_setup(
			a_message_to_two_expired_sessions_is_listed_once, empty_database),
		cmocka_unit_test_setup(purging_twice_has_the_same_effect_as_once, empty_database),
		cmocka_unit_test_setup(batches_end_when_nothing_is_left, empty_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
