/* Dispatch: a function puts off mail that it cannot decide about yet. */
#include "local/dispatch/dispatch-put-off.h"
#include "local/dispatch/dispatch-wait.h"
#include "local/dispatch/dispatch.h"
#include "runtime/time.h"
#include "tests/unit/dispatch_fixture.h"

#define LATER                                                                                      \
	"{\"errorType\":\"later.sender-undecided\",\"errorMessage\":\"no answer for the key\"}"
#define AWAY "{\"errorType\":\"temporary.store-unavailable\",\"errorMessage\":\"no database\"}"

static bool comes_again(size_t i)
{
	const json_t *record = json_array_get(json_object_get(submitted[i].event, "Records"), 0);

	return json_is_true(json_object_get(record, "comesAgain"));
}

/* Begins again with pauses that are longer than a test. */
static void pause_long(struct fixture *fixture)
{
	put_off_ms = 60000;
	stop(fixture);
	start(fixture);
}

static void mail_that_is_put_off_comes_again_after_pauses_that_grow_fourfold(void **state)
{
	static const int pauses_ms[] = {20, 80, 320};
	struct fixture *fixture = *state;

	add_message(fixture, "id-1", "reports");
	for (size_t i = 0; i < 3; i++) {
		int64_t answered_ms;

		run_until(fixture, i + 1);
		assert_true(comes_again(i));
		answered_ms = rt_monotonic_ms();
		answer(i, POOL_ANSWERED, LATER);
		run_until(fixture, i + 2);
		assert_true(rt_monotonic_ms() - answered_ms >= pauses_ms[i]);
	}
	assert_int_equal(metric("eds_mail_put_off"), 1);
	answer(3, POOL_ANSWERED, "{}");
	assert_int_equal(metric("eds_mail_put_off"), 0);
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	assert_false(exists(fixture, "spool/failed/id-1.eml"));
}

static void mail_that_is_put_off_delays_no_other_and_raises_no_alarm(void **state)
{
	struct fixture *fixture = *state;

	pause_long(fixture);
	received_at_ms = rt_wall_ms() - 600 * 1000;
	for (size_t i = 0; i < 5; i++) {
		add_message_of(fixture, "192.0.2.1", "id-off", "reports");
		run_until(fixture, i + 1);
		answer(i, POOL_ANSWERED, LATER);
	}
	assert_null(dispatch_absence(fixture->dispatch));
	dispatch_look_at_clock(fixture->dispatch);
	assert_int_equal(metric("eds_mail_oldest_seconds"), 0);
	received_at_ms = rt_wall_ms();
	add_message_of(fixture, "192.0.2.2", "id-other", "reports");
	run_until(fixture, 6);
	assert_string_equal(submitted_id(5), "id-other");
	answer(5, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 5);
}

static void an_answer_that_puts_off_shows_that_what_the_function_needs_works(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-2", "reports");
	run_until(fixture, 1);
	answer(0, POOL_ANSWERED, AWAY);
	assert_non_null(dispatch_absence(fixture->dispatch));
	run_until(fixture, 2);
	answer(1, POOL_ANSWERED, LATER);
	assert_null(dispatch_absence(fixture->dispatch));
}

/* Ends each pause at once. Returns how often the event said that it comes
 * again. */
static size_t put_off_while_it_comes_again(struct fixture *fixture)
{
	size_t i = 0;

	for (;; i++) {
		RUN_UNTIL(fixture, submitted_count > i);
		if (!comes_again(i))
			return i;
		answer(i, POOL_ANSWERED, LATER);
		dispatch_end_pauses(fixture->dispatch, NULL);
	}
}

static void a_message_is_put_off_twelve_times_at_most(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-3", "reports");
	assert_int_equal(put_off_while_it_comes_again(fixture), 12);
	answer(12, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

/* A function that puts off what it may not put off fails. */
static void an_event_that_does_not_come_again_cannot_be_put_off(void **state)
{
	struct fixture *fixture = *state;

	held_octets = FAIR_PUT_OFF_CLIENT_BYTES + 1;
	add_message(fixture, "id-4", "reports");
	for (size_t i = 0; i < DISPATCH_TRIES; i++) {
		run_until(fixture, i + 1);
		assert_false(comes_again(i));
		answer(i, POOL_ANSWERED, LATER);
	}
	assert_true(exists(fixture, "spool/failed/id-4.eml"));
}

static void a_client_whose_share_is_used_up_has_the_next_mail_decided_at_once(void **state)
{
	struct fixture *fixture = *state;

	pause_long(fixture);
	held_octets = FAIR_PUT_OFF_CLIENT_BYTES;
	add_message_of(fixture, "192.0.2.1", "id-5", "reports");
	run_until(fixture, 1);
	assert_true(comes_again(0));
	answer(0, POOL_ANSWERED, LATER);
	held_octets = 1;
	add_message_of(fixture, "192.0.2.1", "id-6", "reports");
	run_until(fixture, 2);
	assert_false(comes_again(1));
	add_message_of(fixture, "192.0.2.2", "id-7", "reports");
	run_until(fixture, 3);
	assert_true(comes_again(2));
}

static void the_share_counts_messages_too_and_those_that_end_give_it_back(void **state)
{
	static struct fair_queue queue;
	static struct fair_entry entries[FAIR_PUT_OFF_CLIENT];
	struct fair_entry next = {0};

	(void)state;
	fair_queue_init(&queue, 4);
	assert_true(fair_join(&queue, &next, "192.0.2.1"));
	for (size_t i = 0; i < FAIR_PUT_OFF_CLIENT; i++) {
		assert_true(fair_may_be_put_off(&queue, &next, 1));
		assert_true(fair_join(&queue, &entries[i], "192.0.2.1"));
		fair_put_off(&queue, &entries[i], 1);
	}
	assert_false(fair_may_be_put_off(&queue, &next, 1));
	assert_true(fair_may_be_put_off(&queue, &entries[0], 1));
	for (size_t i = 0; i < FAIR_PUT_OFF_CLIENT; i++)
		fair_leave(&queue, &entries[i]);
	assert_true(fair_may_be_put_off(&queue, &next, 1));
	assert_int_equal(queue.put_off.entries, 0);
	assert_int_equal(queue.put_off.octets, 0);
	fair_leave(&queue, &next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH(mail_that_is_put_off_comes_again_after_pauses_that_grow_fourfold),
		DISPATCH(mail_that_is_put_off_delays_no_other_and_raises_no_alarm),
		DISPATCH(an_answer_that_puts_off_shows_that_what_the_function_needs_works),
		DISPATCH(a_message_is_put_off_twelve_times_at_most),
		DISPATCH(an_event_that_does_not_come_again_cannot_be_put_off),
		DISPATCH(a_client_whose_share_is_used_up_has_the_next_mail_decided_at_once),
		cmocka_unit_test(the_share_counts_messages_too_and_those_that_end_give_it_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
