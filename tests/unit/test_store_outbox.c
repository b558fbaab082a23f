/* The outbox, as functions see it through store.h and outbox.h. */
#include "functions/lib/store/alerts/outbox-due.h"
#include "functions/lib/store/alerts/outbox.h"
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#define RESULT "{\"verdict\":\"ham\"}"

static char id[EDS_TEST_ID_LENGTH + 1];

static void new_calling_session(void)
{
	static const struct eds_callback callback = {
		.account_id = "account", .url = "https://r.example/", .secret = "whsec_x"};
	struct eds_store *store = open_store();
	struct eds_session session;

	assert_int_equal(eds_store_session_create_calling(
				 &event, store, "192.0.2.1", 0, &callback, &session),
		RT_OK);
	memcpy(id, session.test_id, sizeof id);
}

static rt_status complete_telling(
	const char *message_id, int64_t received_at_ms, const char *notice)
{
	struct eds_session_message message = {.message_id = message_id,
		.received_at_ms = received_at_ms,
		.mail_from = "",
		.notice = notice};

	return eds_store_session_complete(&event, open_store(), id, &message, RESULT);
}

static size_t claim_without(const char *left_out, size_t max, struct eds_outbox_due **items)
{
	size_t count;

	assert_int_equal(
		eds_store_outbox_turn(&event, open_store(), NULL, 0, left_out, max, items, &count),
		RT_OK);
	return count;
}

static size_t claim(size_t max, struct eds_outbox_due **items)
{
	return claim_without("", max, items);
}

static void write_outcome(struct eds_outbox_due due, enum eds_outbox_outcome outcome)
{
	struct eds_store *store;
	struct eds_outbox_due *items;
	size_t count;

	due.outcome = outcome;
	due.next_at_ms = rt_wall_ms() + 60000;
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_outbox_turn(&event, store, &due, 1, "", 0, &items, &count), RT_OK);
	assert_int_equal(count, 0);
}

static void a_completed_test_queues_its_callback_with_all_it_needs(void **state)
{
	struct eds_outbox_due *due;

	(void)state;
	new_calling_session();
	assert_int_equal(complete_telling("m1", 1, "{\"told\":1}"), RT_OK);
	assert_int_equal(claim(10, &due), 1);
	assert_string_equal(due->account_id, "account");
	assert_string_equal(due->url, "https://r.example/");
	assert_string_equal(due->secret, "whsec_x");
	assert_string_equal(due->body, "{\"told\":1}");
	assert_int_equal(due->tries, 1);
	assert_int_equal(claim(10, &due), 0);
}

static void a_test_without_a_callback_queues_nothing(void **state)
{
	(void)state;
	new_session(id);
	assert_int_equal(complete_telling("m1", 1, "{}"), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM outbox"), 0);
}

static void a_result_that_was_not_committed_queues_nothing(void **state)
{
	const struct eds_session_message message = {.message_id = "m1",
		.received_at_ms = 1,
		.mail_from = "",
		.counted_ip = "192.0.2.1",
		/* octets that are counted in the table stored_mail, which the test removes */
		.octets = 10,
		.notice = "{}"};

	(void)state;
	new_calling_session();
	sql("ALTER TABLE stored_mail RENAME TO elsewhere");
	assert_int_not_equal(
		eds_store_session_complete(&event, open_store(), id, &message, RESULT), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 0);
	assert_int_equal(sql("SELECT count(*) FROM outbox"), 0);
}

static void a_message_that_completes_twice_is_delivered_once(void **state)
{
	struct eds_outbox_due *due;

	(void)state;
	new_calling_session();
	assert_int_equal(complete_telling("m1", 1, "{\"first\":1}"), RT_OK);
	assert_int_equal(complete_telling("m1", 1, "{\"second\":1}"), RT_OK);
	assert_int_equal(claim(10, &due), 1);
	assert_string_equal(due->body, "{\"first\":1}");
	write_outcome(*due, EDS_OUTBOX_DELIVERED);
	assert_int_equal(complete_telling("m1", 1, "{\"third\":1}"), RT_OK);
	assert_int_equal(claim(10, &due), 0);
}

static void an_older_message_that_comes_later_is_not_delivered(void **state)
{
	struct eds_outbox_due *due;

	(void)state;
	new_calling_session();
	assert_int_equal(complete_telling("m2", 2, "{\"newest\":1}"), RT_OK);
	assert_int_equal(complete_telling("m1", 1, "{\"older\":1}"), RT_OK);
	assert_int_equal(claim(10, &due), 1);
	assert_string_equal(due->body, "{\"newest\":1}");
}

static void a_newer_result_replaces_one_under_way(void **state)
{
	struct eds_outbox_due *due;
	struct eds_outbox_due first;

	(void)state;
	new_calling_session();
	assert_int_equal(complete_telling("m1", 1, "{}"), RT_OK);
	assert_int_equal(claim(10, &due), 1);
	first = *due;
	first.id = strdup(due->id);
	assert_int_equal(complete_telling("m2", 2, "{\"newer\":1}"), RT_OK);
	write_outcome(first, EDS_OUTBOX_FAILED);
	free((char *)(uintptr_t)first.id);
	assert_int_equal(sql("SELECT count(*) FROM outbox WHERE state = 'waiting'"), 1);
	assert_int_equal(sql("SELECT count(*) FROM outbox"), 1);
	assert_int_equal(claim(10, &due), 1);
	assert_string_equal(due->body, "{\"newer\":1}");
}

static void an_outcome_is_written_only_under_its_lease(void **state)
{
	struct eds_outbox_due *due;

	(void)state;
	new_calling_session();
	assert_int_equal(complete_telling("m1", 1, "{}"), RT_OK);
	assert_int_equal(claim(10, &due), 1);
	sql("UPDATE outbox SET due_at_ms = due_at_ms + 1");
	write_outcome(*due, EDS_OUTBOX_DELIVERED);
	assert_int_equal(sql("SELECT count(*) FROM outbox WHERE state = 'waiting'"), 1);
}

static void a_delivery_that_was_not_tried_costs_no_try(void **state)
{
	struct eds_outbox_due *due;

	(void)state;
	new_calling_session();
	assert_int_equal(complete_telling("m1", 1, "{}"), RT_OK);
	assert_int_equal(claim(10, &due), 1);
	write_outcome(*due, EDS_OUTBOX_UNTRIED);
	assert_int_equal(sql("SELECT tries + tried_at_ms FROM outbox"), 0);
	sql("UPDATE outbox SET due_at_ms = 1");
	assert_int_equal(claim(10, &due), 1);
	write_outcome(*due, EDS_OUTBOX_LATER);
	assert_int_equal(sql("SELECT tries FROM outbox"), 1);
	assert_in_range(sql("SELECT tried_at_ms FROM outbox"), rt_wall_ms() - 20000, rt_wall_ms());
}

static void fill(int count, const char *account, int64_t due_at_ms)
{
	char text[512];

	snprintf(text, sizeof text,
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
		" INSERT INTO outbox (id, origin, event, account_id, url, secret, body,"
		" created_at_ms, until_ms, forget_at_ms, due_at_ms) SELECT '%s' || i, '%s', 'e' || i,"
		" '%s', 'u', 's', 'b', 1, 1, 1, %lld FROM n",
		count, account, account, account, (long long)due_at_ms);
	sql(text);
}

static void accounts_take_turns(void **state)
{
	struct eds_outbox_due *due;
	size_t count;
	int small = 0;

	(void)state;
	fill(5000, "large", 1);
	fill(3, "small", rt_wall_ms());
	count = claim(20, &due);
	assert_int_equal(count, 20);
	for (size_t i = 0; i < count; i++)
		small += strcmp(due[i].account_id, "small") == 0;
	/* By chance a claim may read only rows of the large account, so the test claims several
	 * times. */
	for (int round = 0; small < 3 && round < 20; round++) {
		count = claim(20, &due);
		for (size_t i = 0; i < count; i++)
			small += strcmp(due[i].account_id, "small") == 0;
	}
	assert_int_equal(small, 3);
}

static void rows_of_accounts_that_are_left_out_stay_due(void **state)
{
	struct eds_outbox_due *due;

	(void)state;
	fill(5000, "large", 1);
	fill(30, "larger", 1);
	fill(3, "small", 2);
	assert_int_equal(claim_without("|large|larger|", 20, &due), 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(due[i].account_id, "small");
	assert_int_equal(claim_without("|large|larger|", 20, &due), 0);
	assert_int_equal(claim_without("|large|", 40, &due), 30);
	assert_int_equal(
		sql("SELECT count(*) FROM outbox WHERE due_at_ms = 1 AND tries = 0"), 5000);
}

static void a_row_given_back_is_as_it_was_before_its_claim(void **state)
{
	struct eds_outbox_due *due;

	(void)state;
	fill(1, "account", 1);
	sql("UPDATE outbox SET tries = 3, tried_at_ms = 5, status = 500, reason_code = 'r'");
	assert_int_equal(claim(10, &due), 1);
	write_outcome(*due, EDS_OUTBOX_GIVEN_BACK);
	assert_int_equal(sql("SELECT count(*) FROM outbox WHERE tries = 3 AND tried_at_ms = 5"
			     " AND status = 500 AND reason_code = 'r' AND state = 'waiting'"),
		1);
	assert_in_range(
		sql("SELECT due_at_ms FROM outbox"), rt_wall_ms() + 40000, rt_wall_ms() + 60000);
}

static void rows_past_their_time_are_deleted(void **state)
{
	(void)state;
	fill(3, "old", 0);
	sql("UPDATE outbox SET forget_at_ms = 9000000000000 WHERE event = 'e2'");
	assert_int_equal(eds_store_outbox_forget(&event, open_store()), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM outbox"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_completed_test_queues_its_callback_with_all_it_needs, empty_database),
		cmocka_unit_test_setup(a_test_without_a_callback_queues_nothing, empty_database),
		cmocka_unit_test_setup(
			a_result_that_was_not_committed_queues_nothing, empty_database),
		cmocka_unit_test_setup(
			a_message_that_completes_twice_is_delivered_once, empty_database),
		cmocka_unit_test_setup(
			an_older_message_that_comes_later_is_not_delivered, empty_database),
		cmocka_unit_test_setup(a_newer_result_replaces_one_under_way, empty_database),
		cmocka_unit_test_setup(an_outcome_is_written_only_under_its_lease, empty_database),
		cmocka_unit_test_setup(a_delivery_that_was_not_tried_costs_no_try, empty_database),
		cmocka_unit_test_setup(accounts_take_turns, empty_database),
		cmocka_unit_test_setup(rows_of_accounts_that_are_left_out_stay_due, empty_database),
		cmocka_unit_test_setup(
			a_row_given_back_is_as_it_was_before_its_claim, empty_database),
		cmocka_unit_test_setup(rows_past_their_time_are_deleted, empty_database),
	};

	return cmocka_run_group_tests_name("outbox", tests, choose_database, remove_folder);
}
