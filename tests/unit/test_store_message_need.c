/* Which sessions and logs still need a message. */
#include "functions/lib/store/tester/message-need.h"

#include "tests/unit/report_fixture.h"

static bool domain_needs(const char *message_id)
{
	bool needs;

	assert_int_equal(
		eds_store_domain_needs_message(&event, open_store(), domain.id, message_id, &needs),
		RT_OK);
	return needs;
}

static bool session_needs(const char *test_id, const char *message_id)
{
	bool needs;

	assert_int_equal(
		eds_store_session_needs_message(&event, open_store(), test_id, message_id, &needs),
		RT_OK);
	return needs;
}

static void a_message_is_needed_until_the_report_log_names_it(void **state)
{
	bool needs;

	(void)state;
	assert_true(domain_needs("m1"));
	add("a", "m1", NULL, 0);
	assert_false(domain_needs("m1"));
	assert_true(domain_needs("m2"));
	assert_int_equal(
		eds_store_domain_needs_message(&event, open_store(), "nobody", "m1", &needs),
		RT_OK);
	assert_false(needs);
}

static void a_message_is_needed_by_a_live_session(void **state)
{
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	new_session(id);
	assert_true(session_needs(id, "m1"));
	assert_int_equal(complete(id, "m1", 1, "{\"x\":1}"), RT_OK);
	assert_true(session_needs(id, "m1"));
	for (int i = 2; i <= EDS_SESSION_MESSAGES_MAX; i++) {
		char message_id[16];

		snprintf(message_id, sizeof message_id, "m%d", i);
		assert_int_equal(complete(id, message_id, i, "{\"x\":1}"), RT_OK);
	}
	assert_false(session_needs(id, "one too many"));
	assert_true(session_needs(id, "m20"));
	/* the session keeps only the newest 20 messages, so m1 is no longer needed */
	assert_false(session_needs(id, "m1"));
	expire(id);
	assert_false(session_needs(id, "m20"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_message_is_needed_until_the_report_log_names_it),
		STORE_TEST(a_message_is_needed_by_a_live_session),
	};

	return cmocka_run_group_tests_name(
		"store: needed messages", tests, choose_database, remove_folder);
}
