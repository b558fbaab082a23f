/* Tester sessions as functions see them through store.h. */
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session-replaced.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#define RESULT "{\"verdict\":\"ham\"}"
#define OTHER_RESULT "{\"verdict\":\"spam\"}"

static char id[EDS_TEST_ID_LENGTH + 1];

static rt_status get(const char *test_id, struct eds_session *session)
{
	return eds_store_session_get(&event, open_store(), test_id, session);
}

static void assert_result(const char *test_id, const char *expected)
{
	struct eds_session session;

	assert_int_equal(get(test_id, &session), RT_OK);
	assert_true(session.completed);
	assert_string_equal(session.result, expected);
}

static void a_new_session_is_pending_for_48_hours(void **state)
{
	int64_t before_ms = rt_wall_ms();
	struct eds_session made;
	struct eds_session found;

	(void)state;
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.1", 5, &made), RT_OK);
	assert_int_equal(
		eds_store_session_get(&event, open_store(), new_session(id), &found), RT_OK);
	assert_string_equal(found.test_id, id);
	assert_false(found.completed);
	assert_null(found.result);
	assert_int_equal(found.message_count, 0);
	assert_true(found.created_at_ms >= before_ms && found.created_at_ms <= rt_wall_ms());
	/* a session expires 48 hours after its creation, at a whole second */
	assert_int_equal(found.expires_at_ms, found.created_at_ms / 1000 * 1000 + 172800000);
}

static void ids_are_26_base32_characters_of_128_random_bits(void **state)
{
	char ids[200][EDS_TEST_ID_LENGTH + 1];

	(void)state;
	for (int i = 0; i < 200; i++) {
		new_session(ids[i]);
		assert_int_equal(strspn(ids[i], "abcdefghijklmnopqrstuvwxyz234567"), 26);
		assert_int_equal(strlen(ids[i]), 26);
		/* the last of 26 base32 characters holds three bits of the id and two zero bits */
		assert_non_null(strchr("aeimquy4", ids[i][25]));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(ids[i], ids[j]);
	}
}

static void every_character_of_an_id_varies(void **state)
{
	bool seen[EDS_TEST_ID_LENGTH][256] = {0};

	(void)state;
	for (int i = 0; i < 300; i++) {
		new_session(id);
		for (int place = 0; place < EDS_TEST_ID_LENGTH; place++)
			seen[place][(unsigned char)id[place]] = true;
	}
	for (int place = 0; place < EDS_TEST_ID_LENGTH; place++) {
		int values = 0;

		for (int c = 0; c < 256; c++)
			values += seen[place][c];
		assert_true(values >= (place < 25 ? 28 : 8));
	}
}

static void an_unknown_session_is_not_found(void **state)
{
	struct eds_session session;

	(void)state;
	assert_int_equal(get("aaaaaaaaaaaaaaaaaaaaaaaaaa", &session), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "session-not-found");
}

static void a_malformed_id_fails_exactly_like_an_unknown_one(void **state)
{
	static const char *const ids[] = {"", "a", "aaaaaaaaaaaaaaaaaaaaaaaaa",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaa", "AAAAAAAAAAAAAAAAAAAAAAAAAA",
		"aaaaaaaaaaaaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaaaaaaaaaa' ", "\xff\xfe", "%00"};
	struct eds_session session;
	char detail[256];

	(void)state;
	assert_int_equal(get("aaaaaaaaaaaaaaaaaaaaaaaaaa", &session), RT_NOT_FOUND);
	snprintf(detail, sizeof detail, "%s", event.failure.detail);
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		assert_int_equal(get(ids[i], &session), RT_NOT_FOUND);
		assert_string_equal(event.failure.code, "session-not-found");
		assert_string_equal(event.failure.detail, detail);
	}
}

static void an_expired_session_is_not_found_by_any_operation(void **state)
{
	struct eds_session session;
	struct eds_session_message message;

	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m1", 1, RESULT), RT_OK);
	expire(id);
	assert_int_equal(get(id, &session), RT_NOT_FOUND);
	assert_int_equal(complete(id, "m2", 2, RESULT), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "session-not-found");
	assert_int_equal(
		eds_store_session_message(&event, open_store(), id, &message), RT_NOT_FOUND);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 1);
}

static void the_sessions_of_a_client_in_an_hour_are_limited(void **state)
{
	struct eds_session session;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			eds_store_session_create(&event, open_store(), "192.0.2.7", 3, &session),
			RT_OK);
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.7", 3, &session), RT_LIMIT);
	assert_string_equal(event.failure.code, "too-many-sessions");
	assert_in_range(event.failure.retry_after_s, 3590, 3600);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 3);
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.8", 3, &session), RT_OK);
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.7", 0, &session), RT_OK);
}

static void the_limit_frees_a_place_when_the_oldest_session_is_an_hour_old(void **state)
{
	struct eds_session session;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			eds_store_session_create(&event, open_store(), "192.0.2.7", 2, &session),
			RT_OK);
	sql("UPDATE tester_sessions SET created_at_ms = created_at_ms - 3000000");
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.7", 2, &session), RT_LIMIT);
	assert_in_range(event.failure.retry_after_s, 590, 600);
	sql("UPDATE tester_sessions SET created_at_ms = created_at_ms - 600000");
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.7", 2, &session), RT_OK);
}

/* After the clock was set back, no client waits for more than an hour. */
static void sessions_with_a_future_time_count_for_an_hour_at_most(void **state)
{
	struct eds_session session;

	(void)state;
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.7", 1, &session), RT_OK);
	sql("UPDATE tester_sessions SET created_at_ms = created_at_ms + 900000000");
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.7", 1, &session), RT_LIMIT);
	assert_int_equal(event.failure.retry_after_s, 3600);
}

static void a_message_completes_the_session(void **state)
{
	struct eds_session session;

	(void)state;
	assert_int_equal(complete(new_session(id), "m1", 1000, RESULT), RT_OK);
	assert_int_equal(get(id, &session), RT_OK);
	assert_true(session.completed);
	assert_string_equal(session.result, RESULT);
	assert_int_equal(session.message_count, 1);
}

static void the_newest_message_decides_in_any_order_of_arrival(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "b", 2000, OTHER_RESULT), RT_OK);
	assert_int_equal(complete(id, "c", 1000, RESULT), RT_OK);
	assert_result(id, OTHER_RESULT);
	assert_int_equal(complete(id, "a", 3000, RESULT), RT_OK);
	assert_result(id, RESULT);
}

static void at_the_same_time_the_greater_message_id_decides(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "b", 1000, OTHER_RESULT), RT_OK);
	assert_int_equal(complete(id, "a", 1000, RESULT), RT_OK);
	assert_result(id, OTHER_RESULT);
}

static void the_same_message_twice_counts_once_and_its_last_result_stays(void **state)
{
	struct eds_session session;

	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m1", 1000, RESULT), RT_OK);
	assert_int_equal(complete(id, "m1", 1000, OTHER_RESULT), RT_OK);
	assert_result(id, OTHER_RESULT);
	assert_int_equal(get(id, &session), RT_OK);
	assert_int_equal(session.message_count, 1);
}

static void the_21st_message_is_refused_but_the_first_20_may_come_again(void **state)
{
	struct eds_session session;
	char message_id[16];

	(void)state;
	new_session(id);
	for (int i = 1; i <= EDS_SESSION_MESSAGES_MAX; i++) {
		snprintf(message_id, sizeof message_id, "m%02d", i);
		assert_int_equal(complete(id, message_id, i, RESULT), RT_OK);
	}
	assert_int_equal(complete(id, "m21", 21, OTHER_RESULT), RT_LIMIT);
	assert_string_equal(event.failure.code, "session-full");
	assert_result(id, RESULT);
	assert_int_equal(complete(id, "m20", 20, OTHER_RESULT), RT_OK);
	assert_int_equal(get(id, &session), RT_OK);
	assert_int_equal(session.message_count, EDS_SESSION_MESSAGES_MAX);
	assert_string_equal(session.result, OTHER_RESULT);
}

/* The ids of the messages that the session no longer needs, each followed by a space. */
static const char *replaced(const char *test_id)
{
	static char text[64];
	const char **ids;
	size_t count;

	text[0] = '\0';
	assert_int_equal(
		eds_store_messages_replaced(&event, open_store(), test_id, &ids, &count), RT_OK);
	for (size_t i = 0; i < count; i++) {
		strcat(text, ids[i]);
		strcat(text, " ");
	}
	return text;
}

static void only_the_newest_message_of_a_session_is_kept(void **state)
{
	struct eds_session session;
	bool has;

	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m1", 1000, RESULT), RT_OK);
	assert_string_equal(replaced(id), "");
	assert_int_equal(complete(id, "m3", 3000, RESULT), RT_OK);
	assert_string_equal(replaced(id), "m1 ");
	assert_int_equal(complete(id, "m2", 2000, OTHER_RESULT), RT_OK); /* late */
	assert_string_equal(replaced(id), "m1 m2 ");
	assert_int_equal(eds_store_message_forget(&event, open_store(), id, "m1"), RT_OK);
	assert_string_equal(replaced(id), "m2 ");
	/* m3 is still needed, so this call changes nothing */
	assert_int_equal(eds_store_message_forget(&event, open_store(), id, "m3"), RT_OK);
	assert_result(id, RESULT);
	assert_int_equal(get(id, &session), RT_OK);
	assert_int_equal(session.message_count, 3);
	assert_int_equal(
		eds_store_session_has_message(&event, open_store(), id, "m1", &has), RT_OK);
	assert_true(has);
}

static void a_message_that_another_session_shows_is_not_replaced(void **state)
{
	char other[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	new_session(id);
	new_session(other);
	assert_int_equal(complete(id, "both", 1000, RESULT), RT_OK);
	assert_int_equal(complete(other, "both", 1000, RESULT), RT_OK);
	assert_int_equal(complete(id, "own", 2000, RESULT), RT_OK);
	assert_string_equal(replaced(id), "");
	assert_int_equal(complete(other, "next", 2000, RESULT), RT_OK);
	assert_string_equal(replaced(id), "both ");
	assert_string_equal(replaced(other), "both ");
}

static void a_result_that_is_not_an_object_is_an_internal_error(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m1", 1, "[]"), RT_INTERNAL);
	assert_int_equal(complete(id, "m1", 1, "{}"), RT_INTERNAL);
	assert_int_equal(complete(id, "m1", 1, ""), RT_INTERNAL);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 0);
}

static void the_newest_message_is_given_back_with_its_envelope(void **state)
{
	struct eds_session_message put = {.message_id = "m2",
		.received_at_ms = 2000,
		.client_ip = "2001:db8::1",
		.helo = "mail.example",
		.mail_from = "",
		.tls = NULL};
	struct eds_session_message got;

	(void)state;
	new_session(id);
	assert_int_equal(eds_store_session_complete(&event, open_store(), id, &put, RESULT), RT_OK);
	assert_int_equal(complete(id, "m1", 1000, RESULT), RT_OK);
	assert_int_equal(eds_store_session_message(&event, open_store(), id, &got), RT_OK);
	assert_string_equal(got.message_id, "m2");
	assert_int_equal(got.received_at_ms, 2000);
	assert_string_equal(got.client_ip, "2001:db8::1");
	assert_string_equal(got.helo, "mail.example");
	assert_string_equal(got.mail_from, "");
	assert_null(got.tls);
}

static void a_pending_session_has_no_message_to_give(void **state)
{
	struct eds_session_message message;

	(void)state;
	assert_int_equal(eds_store_session_message(&event, open_store(), new_session(id), &message),
		RT_CONFLICT);
	assert_string_equal(event.failure.code, "session-pending");
}

static void texts_are_kept_byte_for_byte(void **state)
{
	static const char result[] =
		"{\"x\":\"'; DROP TABLE tester_sessions; -- \xc3\xa9 \\u0000\"}";

	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m'1", 1, result), RT_OK);
	assert_result(id, result);
}

static bool has_message(const char *test_id, const char *message_id)
{
	struct eds_store *store = open_store();
	bool has;

	assert_int_equal(
		eds_store_session_has_message(&event, store, test_id, message_id, &has), RT_OK);
	return has;
}

static void a_message_is_known_as_long_as_its_session(void **state)
{
	char other[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	new_session(other);
	assert_int_equal(complete(new_session(id), "m1", 1, RESULT), RT_OK);
	assert_true(has_message(id, "m1"));
	assert_false(has_message(id, "m2"));
	assert_false(has_message(other, "m1"));
	assert_false(has_message("no test id", "m1"));
	expire(id);
	assert_false(has_message(id, "m1"));
}

/* A customer of a provider has 65,536 networks of the size /64. */
static void an_ipv6_48_has_twice_the_limit_over_all_its_networks(void **state)
{
	struct eds_session session;
	int made = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		char client[64];
		struct eds_store *store = open_store();

		snprintf(client, sizeof client, "2001:db8:1:%x::/64", i + 1);
		made += eds_store_session_create(&event, store, client, 60, &session) == RT_OK;
	}
	assert_int_equal(made, 120);
	assert_in_range(event.failure.retry_after_s, 1, 30);
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "2001:db8:2:1::/64", 60, &session),
		RT_OK);
	assert_int_equal(
		eds_store_session_create(&event, open_store(), "192.0.2.1", 60, &session), RT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_session_is_pending_for_48_hours, empty_database),
		cmocka_unit_test_setup(
			ids_are_26_base32_characters_of_128_random_bits, empty_database),
		cmocka_unit_test_setup(every_character_of_an_id_varies, empty_database),
		cmocka_unit_test_setup(an_unknown_session_is_not_found, empty_database),
		cmocka_unit_test_setup(
			a_malformed_id_fails_exactly_like_an_unknown_one, empty_database),
		cmocka_unit_test_setup(
			an_expired_session_is_not_found_by_any_operation, empty_database),
		cmocka_unit_test_setup(
			the_sessions_of_a_client_in_an_hour_are_limited, empty_database),
		cmocka_unit_test_setup(
			the_limit_frees_a_place_when_the_oldest_session_is_an_hour_old,
			empty_database),
		cmocka_unit_test_setup(
			sessions_with_a_future_time_count_for_an_hour_at_most, empty_database),
		cmocka_unit_test_setup(a_message_completes_the_session, empty_database),
		cmocka_unit_test_setup(
			the_newest_message_decides_in_any_order_of_arrival, empty_database),
		cmocka_unit_test_setup(
			at_the_same_time_the_greater_message_id_decides, empty_database),
		cmocka_unit_test_setup(the_same_message_twice_counts_once_and_its_last_result_stays,
			empty_database),
		cmocka_unit_test_setup(the_21st_message_is_refused_but_the_first_20_may_come_again,
			empty_database),
		cmocka_unit_test_setup(
			only_the_newest_message_of_a_session_is_kept, empty_database),
		cmocka_unit_test_setup(
			a_message_that_another_session_shows_is_not_replaced, empty_database),
		cmocka_unit_test_setup(
			a_result_that_is_not_an_object_is_an_internal_error, empty_database),
		cmocka_unit_test_setup(
			the_newest_message_is_given_back_with_its_envelope, empty_database),
		cmocka_unit_test_setup(a_pending_session_has_no_message_to_give, empty_database),
		cmocka_unit_test_setup(a_message_is_known_as_long_as_its_session, empty_database),
		cmocka_unit_test_setup(texts_are_kept_byte_for_byte, empty_database),
		cmocka_unit_test_setup(
			an_ipv6_48_has_twice_the_limit_over_all_its_networks, empty_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
