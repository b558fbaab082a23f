/* Messages that arrived over HTTP, as functions see them through upload.h. */
#include "functions/lib/store/tester/session-expiry.h"
#include "functions/lib/store/tester/session.h"
#include "functions/lib/store/tester/upload.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#define RESULT "{\"verdict\":\"ham\"}"

static char id[EDS_TEST_ID_LENGTH + 1];

static struct eds_upload upload_of(const char *test_id, const char *message_id)
{
	return (struct eds_upload){.test_id = test_id,
		.message_id = message_id,
		.client_ip = "192.0.2.25",
		.helo = "mail.sender.example",
		.mail_from = "a@sender.example"};
}

static rt_status begin(const char *message_id, const char *client, int per_hour)
{
	struct eds_upload upload = upload_of(id, message_id);

	return eds_store_upload_begin(&event, open_store(), client, per_hour, &upload);
}

static void begun(const char *message_id)
{
	assert_int_equal(begin(message_id, "192.0.2.1", 0), RT_OK);
}

static void ready(const char *message_id)
{
	begun(message_id);
	assert_int_equal(eds_store_upload_ready(&event, open_store(), message_id), RT_OK);
}

static bool claimed(const char *message_id, struct eds_upload *upload)
{
	bool found;

	assert_int_equal(
		eds_store_upload_claim(&event, open_store(), message_id, upload, &found), RT_OK);
	return found;
}

static void settle(const char *message_id, enum eds_upload_end end)
{
	struct eds_upload upload = {.message_id = message_id};

	assert_int_equal(eds_store_upload_settle(&event, open_store(), &upload, end), RT_OK);
}

static void all_are_due(void)
{
	sql("UPDATE tester_uploads SET due_at_ms = 1 WHERE due_at_ms > 0");
}

static bool is_completed(void)
{
	struct eds_session session;

	assert_int_equal(eds_store_session_get(&event, open_store(), id, &session), RT_OK);
	return session.completed;
}

static void a_claim_has_everything_that_the_client_sent(void **state)
{
	int64_t before_ms = rt_wall_ms();
	struct eds_upload upload;

	(void)state;
	new_session(id);
	ready("m1");
	assert_true(claimed("m1", &upload));
	assert_string_equal(upload.message_id, "m1");
	assert_string_equal(upload.test_id, id);
	assert_string_equal(upload.client_ip, "192.0.2.25");
	assert_string_equal(upload.helo, "mail.sender.example");
	assert_string_equal(upload.mail_from, "a@sender.example");
	assert_true(upload.received_at_ms >= before_ms && upload.received_at_ms <= rt_wall_ms());
	assert_int_equal(upload.tries, 1);
}

static void a_stored_message_is_due_for_any_process_after_five_seconds(void **state)
{
	struct eds_upload upload;
	int64_t wait_ms;

	(void)state;
	new_session(id);
	ready("m1");
	assert_false(claimed(NULL, &upload));
	wait_ms = sql("SELECT due_at_ms FROM tester_uploads") - rt_wall_ms();
	assert_in_range(wait_ms, 1, 5000);
	all_are_due();
	assert_true(claimed(NULL, &upload));
	assert_string_equal(upload.message_id, "m1");
}

static void a_message_being_stored_is_left_alone_for_a_minute(void **state)
{
	struct eds_upload upload;

	(void)state;
	new_session(id);
	begun("m1");
	assert_false(claimed(NULL, &upload));
	assert_in_range(sql("SELECT due_at_ms FROM tester_uploads") - rt_wall_ms(), 50000, 60000);
}

static void a_claim_holds_for_a_minute_and_then_the_message_is_free_again(void **state)
{
	struct eds_upload upload;

	(void)state;
	new_session(id);
	ready("m1");
	all_are_due();
	assert_true(claimed(NULL, &upload));
	assert_false(claimed(NULL, &upload));
	assert_in_range(sql("SELECT due_at_ms FROM tester_uploads") - rt_wall_ms(), 50000, 60000);
	all_are_due();
	assert_true(claimed(NULL, &upload));
	assert_int_equal(upload.tries, 2);
}

static void a_claim_made_while_a_clock_was_ahead_holds_nothing(void **state)
{
	struct eds_upload upload;

	(void)state;
	new_session(id);
	ready("m1");
	all_are_due();
	assert_true(claimed(NULL, &upload));
	sql("UPDATE tester_uploads SET due_at_ms = due_at_ms + 3600000");
	assert_true(claimed(NULL, &upload));
	assert_in_range(sql("SELECT due_at_ms FROM tester_uploads") - rt_wall_ms(), 50000, 60000);
	assert_false(claimed(NULL, &upload));
}

static void the_message_that_is_due_longest_comes_first(void **state)
{
	struct eds_upload upload;

	(void)state;
	new_session(id);
	ready("m1");
	ready("m2");
	sql("UPDATE tester_uploads SET due_at_ms = 2 WHERE message_id = 'm1'");
	sql("UPDATE tester_uploads SET due_at_ms = 1 WHERE message_id = 'm2'");
	assert_true(claimed(NULL, &upload));
	assert_string_equal(upload.message_id, "m2");
	assert_true(claimed(NULL, &upload));
	assert_string_equal(upload.message_id, "m1");
	assert_false(claimed(NULL, &upload));
}

static void a_finished_message_is_known_and_never_claimed_again(void **state)
{
	struct eds_upload upload;

	(void)state;
	new_session(id);
	ready("m1");
	settle("m1", EDS_UPLOAD_DONE);
	assert_false(claimed("m1", &upload));
	assert_string_equal(upload.test_id, id);
	all_are_due();
	assert_false(claimed(NULL, &upload));
	settle("m1", EDS_UPLOAD_LATER);
	assert_int_equal(sql("SELECT due_at_ms FROM tester_uploads"), 0);
}

static void an_unknown_message_has_no_session(void **state)
{
	struct eds_upload upload;

	(void)state;
	assert_false(claimed("none", &upload));
	assert_null(upload.test_id);
}

static void waiting_costs_no_try_but_failing_does(void **state)
{
	struct eds_upload upload;

	(void)state;
	new_session(id);
	ready("m1");
	assert_true(claimed("m1", &upload));
	settle("m1", EDS_UPLOAD_LATER);
	assert_int_equal(sql("SELECT tries FROM tester_uploads"), 0);
	assert_in_range(sql("SELECT due_at_ms FROM tester_uploads") - rt_wall_ms(), 50000, 60000);
	assert_true(claimed("m1", &upload));
	settle("m1", EDS_UPLOAD_FAILED);
	assert_int_equal(sql("SELECT tries FROM tester_uploads"), 1);
}

static void a_session_is_pending_while_a_message_waits(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(complete(id, "m0", 1, RESULT), RT_OK);
	assert_true(is_completed());
	ready("m1");
	assert_false(is_completed());
	settle("m1", EDS_UPLOAD_DONE);
	assert_true(is_completed());
}

static void waiting_messages_count_towards_the_limit_of_twenty(void **state)
{
	char name[16];

	(void)state;
	new_session(id);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "m%d", i);
		if (i % 2 == 0)
			assert_int_equal(complete(id, name, i + 1, RESULT), RT_OK);
		else
			begun(name);
	}
	assert_int_equal(begin("m20", "192.0.2.1", 0), RT_LIMIT);
	assert_string_equal(event.failure.code, "session-full");
	settle("m1", EDS_UPLOAD_DONE); /* the upload m1 has ended, so it no longer takes a place */
	assert_int_equal(begin("m20", "192.0.2.1", 0), RT_OK);
}

static void the_messages_of_a_client_in_an_hour_are_limited(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(begin("m1", "192.0.2.1", 2), RT_OK);
	assert_int_equal(begin("m2", "192.0.2.1", 2), RT_OK);
	assert_int_equal(begin("m3", "192.0.2.1", 2), RT_LIMIT);
	assert_string_equal(event.failure.code, "too-many-messages");
	assert_in_range(event.failure.retry_after_s, 1700, 1800);
	assert_int_equal(begin("m3", "192.0.2.2", 2), RT_OK);
	assert_int_equal(begin("m4", "192.0.2.1", 0), RT_OK);
	sql("UPDATE reanalysis_clients SET used_until_ms = used_until_ms - 1800000");
	assert_int_equal(begin("m5", "192.0.2.1", 2), RT_OK);
	assert_int_equal(begin("m6", "192.0.2.1", 2), RT_LIMIT);
}

static void the_networks_of_one_site_have_two_shares_together(void **state)
{
	char client[64];
	char name[16];
	int taken = 0;

	(void)state;
	for (int i = 0; i < 9; i++) {
		new_session(id);
		snprintf(client, sizeof client, "2001:db8:7:%d::/64", i);
		snprintf(name, sizeof name, "m%d", i);
		taken += begin(name, client, 3) == RT_OK;
	}
	assert_int_equal(taken, 6);
	assert_string_equal(event.failure.code, "too-many-messages");
	assert_int_equal(begin("other", "2001:db8:8::/64", 3), RT_OK);
}

static void an_expired_session_accepts_nothing(void **state)
{
	(void)state;
	new_session(id);
	expire(id);
	assert_int_equal(begin("m1", "192.0.2.1", 0), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "session-not-found");
	assert_int_equal(sql("SELECT count(*) FROM tester_uploads"), 0);
}

static void rows_are_deleted_after_two_days(void **state)
{
	size_t sessions;

	(void)state;
	new_session(id);
	begun("m1");
	begun("m2");
	sql("UPDATE tester_uploads SET received_at_ms = received_at_ms - 172800000"
	    " WHERE message_id = 'm1'");
	assert_int_equal(eds_store_sessions_purge(&event, open_store(), NULL, 0, &sessions), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_uploads"), 1);
	assert_int_equal(sql("SELECT count(*) FROM tester_uploads WHERE message_id = 'm2'"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_claim_has_everything_that_the_client_sent, empty_database),
		cmocka_unit_test_setup(
			a_stored_message_is_due_for_any_process_after_five_seconds, empty_database),
		cmocka_unit_test_setup(
			a_message_being_stored_is_left_alone_for_a_minute, empty_database),
		cmocka_unit_test_setup(
			a_claim_holds_for_a_minute_and_then_the_message_is_free_again,
			empty_database),
		cmocka_unit_test_setup(
			a_claim_made_while_a_clock_was_ahead_holds_nothing, empty_database),
		cmocka_unit_test_setup(the_message_that_is_due_longest_comes_first, empty_database),
		cmocka_unit_test_setup(
			a_finished_message_is_known_and_never_claimed_again, empty_database),
		cmocka_unit_test_setup(an_unknown_message_has_no_session, empty_database),
		cmocka_unit_test_setup(waiting_costs_no_try_but_failing_does, empty_database),
		cmocka_unit_test_setup(a_session_is_pending_while_a_message_waits, empty_database),
		cmocka_unit_test_setup(
			waiting_messages_count_towards_the_limit_of_twenty, empty_database),
		cmocka_unit_test_setup(
			the_messages_of_a_client_in_an_hour_are_limited, empty_database),
		cmocka_unit_test_setup(
			the_networks_of_one_site_have_two_shares_together, empty_database),
		cmocka_unit_test_setup(an_expired_session_accepts_nothing, empty_database),
		cmocka_unit_test_setup(rows_are_deleted_after_two_days, empty_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
