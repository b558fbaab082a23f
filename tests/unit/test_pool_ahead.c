/* Events that wait in the pipe of a busy handler: what happens to them after a slow event, when
 * another sender comes, and when the pools end. */
#include "runtime/host/pool/pool-ahead.h"
#include "tests/support/quick-pool.h"

static void a_function_not_yet_known_as_quick_has_one_event_per_handler(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 10);
	for (int i = 0; i < 3; i++)
		submit(fixture, 1, i, "");
	assert_int_equal(count_behind(fixture), 0);
	for (int i = 0; i < 3; i++)
		assert_answered(fixture, i);
}

static void quick_answers_make_a_function_quick_and_a_slow_one_ends_that(void **state)
{
	struct fixture *fixture = *state;

	pool_ahead_note(fixture->pool, 100);
	assert_true(fixture->pool->answer_us > POOL_QUICK_US);
	for (int i = 0; i < 50; i++)
		pool_ahead_note(fixture->pool, 100);
	assert_true(fixture->pool->answer_us <= POOL_QUICK_US);
	pool_ahead_note(fixture->pool, 1000 * 1000);
	assert_true(fixture->pool->answer_us > POOL_QUICK_US);
}

static void seven_events_wait_behind_the_one_in_work_and_are_answered_in_order(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	for (int i = 0; i < 12; i++)
		submit(fixture, 1, i, "");
	assert_int_equal(count_behind(fixture), 7);
	for (int i = 0; i < 12; i++)
		assert_answered(fixture, i);
	for (int i = 0; i < 12; i++)
		assert_int_equal(outcomes[i].turn, i + 1);
	assert_int_equal(count_behind(fixture), 0);
}

static void an_idle_handler_is_preferred_to_the_pipe_of_a_busy_one(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 4, 20); /* a single sender may have two of the four places */
	warm(fixture, 2);
	submit(fixture, 1, 1, "");
	submit(fixture, 1, 2, "");
	assert_int_equal(count_behind(fixture), 0);
	submit(fixture, 1, 3, "");
	submit(fixture, 1, 4, "");
	assert_int_equal(count_behind(fixture), 2);
	assert_int_equal(fixture->pool->handlers[0].behind.count, 1);
	assert_int_equal(fixture->pool->handlers[1].behind.count, 1);
	for (int i = 1; i <= 4; i++)
		assert_answered(fixture, i);
}

static void a_slow_event_does_not_hold_up_the_one_behind_it(void **state)
{
	struct fixture *fixture = *state;
	int64_t began;

	pools_bound(fixture->pools, 4, 20);
	warm(fixture, 2);
	submit(fixture, 1, 1, ",\"nap\":1500");
	submit(fixture, 1, 2, "");
	for (int i = 3; i <= 4; i++)
		submit(fixture, 1, i, "");
	assert_int_equal(fixture->pool->handlers[0].behind.count, 1);
	began = rt_monotonic_ms();
	for (int i = 2; i <= 4; i++)
		assert_answered(fixture, i);
	/* a slow event gives its followers back after 20 ms; the rest is for a busy machine */
	assert_true(rt_monotonic_ms() - began < 1000);
	assert_int_equal(outcomes[1].told, 0);
	assert_answered(fixture, 1);
	for (int i = 1; i <= 4; i++)
		assert_int_equal(runs_of(i), 1);
}

static void a_withdrawn_event_is_dropped_and_the_handler_goes_on(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, ",\"nap\":100");
	submit(fixture, 1, 2, "");
	submit(fixture, 1, 3, "");
	assert_int_equal(count_behind(fixture), 2);
	assert_answered(fixture, 1);
	assert_answered(fixture, 2);
	assert_answered(fixture, 3);
	for (int i = 1; i <= 3; i++)
		assert_int_equal(runs_of(i), 1);
	assert_int_equal(fixture->pool->handlers[0].process.number, 6);
}

static void a_handler_that_does_not_get_to_run_keeps_its_events(void **state)
{
	struct fixture *fixture = *state;
	struct timeval a_while = {0, 150 * 1000};
	pid_t pid;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	pid = fixture->pool->handlers[0].process.pid;
	kill(pid, SIGSTOP);
	for (int i = 1; i <= 3; i++)
		submit(fixture, 1, i, "");
	event_base_loopexit(fixture->base, &a_while);
	event_base_dispatch(fixture->base);
	kill(pid, SIGCONT);
	for (int i = 1; i <= 3; i++) {
		assert_answered(fixture, i);
		assert_int_equal(runs_of(i), 1);
	}
	assert_int_equal(fixture->pool->handlers[0].process.pid, pid);
}

static void a_sender_without_a_handler_is_served_before_pipes_are_filled(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, "");
	submit(fixture, 2, 2, "");
	submit(fixture, 1, 3, "");
	submit(fixture, 1, 4, "");
	assert_int_equal(count_behind(fixture), 0);
	for (int i = 1; i <= 4; i++)
		assert_answered(fixture, i);
	assert_int_equal(outcomes[2].turn, 3);
}

static void a_pipe_holds_events_of_one_sender_only(void **state)
{
	struct fixture *fixture = *state;
	pid_t pid;

	pools_bound(fixture->pools, 2, 20);
	warm(fixture, 2);
	pid = fixture->pool->handlers[0].process.pid;
	/* stopped with SIGSTOP, because a nap could end before the other handler has answered */
	kill(pid, SIGSTOP);
	submit(fixture, 1, 1, "");
	submit(fixture, 2, 2, "");
	submit(fixture, 1, 3, "");
	submit(fixture, 1, 4, "");
	submit(fixture, 2, 5, "");
	assert_int_equal(fixture->pool->handlers[0].behind.count, 2);
	assert_int_equal(fixture->pool->handlers[1].behind.count, 1);
	assert_answered(fixture, 5);
	assert_int_equal(outcomes[3].told, 0);
	kill(pid, SIGCONT);
	assert_answered(fixture, 3);
	assert_answered(fixture, 4);
}

static void answers_larger_than_the_pipe_arrive_whole(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	for (int i = 1; i <= 5; i++)
		submit(fixture, 1, i, ",\"large\":true");
	assert_int_equal(count_behind(fixture), 4);
	for (int i = 1; i <= 5; i++) {
		assert_answered(fixture, i);
		assert_int_equal(outcomes[i].length, LARGE_BYTES + 22);
	}
}

static void when_the_pools_end_each_event_is_answered_once(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, ",\"nap\":1500");
	submit(fixture, 1, 2, "");
	submit(fixture, 1, 3, "");
	while (runs_of(1) == 0)
		usleep(1000);
	pools_free(fixture->pools);
	assert_int_equal(outcomes[1].outcome, POOL_CRASHED);
	assert_int_equal(outcomes[2].outcome, POOL_BUSY);
	assert_int_equal(outcomes[3].outcome, POOL_BUSY);
	for (int i = 1; i <= 3; i++)
		assert_int_equal(outcomes[i].told, 1);
	fixture->pools = pools_new(fixture->base, fixture->manifest);
}

static void a_replaced_program_gets_the_events_not_yet_in_a_pipe(void **state)
{
	struct fixture *fixture = *state;
	int old;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, ",\"nap\":15");
	submit(fixture, 1, 2, "");
	old = fixture->pool->handlers[0].process.pid;
	fixture->pool->program.changed.tv_sec = 1; /* as if the program's file had been replaced */
	fixture->pool->looked_in = 0;
	submit(fixture, 1, 3, "");
	assert_int_equal(count_behind(fixture), 1);
	for (int i = 1; i <= 3; i++)
		assert_answered(fixture, i);
	assert_int_not_equal(fixture->pool->handlers[0].process.pid, old);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_function_not_yet_known_as_quick_has_one_event_per_handler),
		TEST(quick_answers_make_a_function_quick_and_a_slow_one_ends_that),
		TEST(seven_events_wait_behind_the_one_in_work_and_are_answered_in_order),
		TEST(an_idle_handler_is_preferred_to_the_pipe_of_a_busy_one),
		TEST(a_slow_event_does_not_hold_up_the_one_behind_it),
		TEST(a_withdrawn_event_is_dropped_and_the_handler_goes_on),
		TEST(a_handler_that_does_not_get_to_run_keeps_its_events),
		TEST(a_sender_without_a_handler_is_served_before_pipes_are_filled),
		TEST(a_pipe_holds_events_of_one_sender_only),
		TEST(answers_larger_than_the_pipe_arrive_whole),
		TEST(when_the_pools_end_each_event_is_answered_once),
		TEST(a_replaced_program_gets_the_events_not_yet_in_a_pipe),
	};

	quick_pool_acts(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
