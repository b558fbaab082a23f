/* What the death of a handler means for the events that it had: those that it had begun are lost,
 * and the others are answered by another handler. */
#include <fcntl.h>

#include "runtime/host/gateway/recent.h"
#include "runtime/host/pool/pool-ahead.h"
#include "runtime/host/pool/pool-handler.h"
#include "runtime/time.h"
#include "tests/support/quick-pool.h"

static void a_handler_that_dies_loses_only_the_event_in_work(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, "");
	submit(fixture, 1, 2, ",\"die\":true");
	submit(fixture, 1, 3, "");
	submit(fixture, 1, 4, "");
	assert_int_equal(count_behind(fixture), 3);
	for (int i = 1; i <= 4; i++)
		await(fixture, i);
	assert_int_equal(outcomes[1].outcome, POOL_ANSWERED);
	assert_int_equal(outcomes[2].outcome, POOL_CRASHED);
	assert_int_equal(outcomes[3].outcome, POOL_ANSWERED);
	assert_int_equal(outcomes[4].outcome, POOL_ANSWERED);
	for (int i = 1; i <= 4; i++) {
		assert_int_equal(outcomes[i].told, 1);
		assert_int_equal(runs_of(i), 1);
	}
}

static void a_timeout_of_one_event_costs_none_of_the_others(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	fixture->manifest->functions[0].timeout_ms = 300;
	warm(fixture, 1);
	submit(fixture, 1, 1, ",\"nap\":9000");
	submit(fixture, 1, 2, "");
	submit(fixture, 1, 3, "");
	await(fixture, 1);
	assert_int_equal(outcomes[1].outcome, POOL_TIMED_OUT);
	assert_answered(fixture, 2);
	assert_answered(fixture, 3);
}

static void a_handler_that_dies_between_two_events_loses_none(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, ",\"dieAfter\":true");
	submit(fixture, 1, 2, ",\"dieAfter\":true");
	submit(fixture, 1, 3, "");
	for (int i = 1; i <= 3; i++)
		assert_answered(fixture, i);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(outcomes[i].told, 1);
		assert_int_equal(outcomes[i].turn, i);
		assert_int_equal(runs_of(i), 1);
	}
}

/* Stops the handler with SIGSTOP, so that it begins no event; returns its process id. */
static pid_t hold(struct fixture *fixture, int handler)
{
	pid_t pid = fixture->pool->handlers[handler].process.pid;

	kill(pid, SIGSTOP);
	return pid;
}

static void events_that_wait_in_the_pipe_of_a_killed_handler_are_answered_in_order(void **state)
{
	struct fixture *fixture = *state;
	pid_t pid;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	pid = hold(fixture, 0);
	for (int i = 1; i <= 3; i++)
		submit(fixture, 1, i, "");
	assert_int_equal(fixture->pool->handlers[0].behind.count, 2);
	kill(pid, SIGKILL);
	for (int i = 1; i <= 3; i++)
		assert_answered(fixture, i);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(outcomes[i].told, 1);
		assert_int_equal(outcomes[i].turn, i);
		assert_int_equal(runs_of(i), 1);
	}
}

static void an_event_that_was_begun_is_lost_and_never_run_again(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, ",\"die\":true");
	await(fixture, 1);
	assert_int_equal(outcomes[1].outcome, POOL_CRASHED);
	submit(fixture, 1, 2, "");
	assert_answered(fixture, 2);
	assert_int_equal(outcomes[1].told, 1);
	assert_int_equal(runs_of(1), 1);
}

static void an_event_is_given_to_a_second_handler_and_to_no_third(void **state)
{
	struct fixture *fixture = *state;
	int64_t began_us;
	pid_t first;
	pid_t second;

	pools_bound(fixture->pools, 3, 20);
	warm(fixture, 3);
	first = hold(fixture, 0);
	second = hold(fixture, 1);
	submit(fixture, 0, 1, "");
	began_us = fixture->pool->handlers[0].began_us;
	kill(first, SIGKILL);
	while (fixture->pool->handlers[1].done == NULL && outcomes[1].told == 0)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	assert_int_equal(outcomes[1].told, 0);
	/* the event keeps the time at which it began, so its time-out goes on */
	assert_int_equal(fixture->pool->handlers[1].began_us, began_us);
	kill(second, SIGKILL);
	await(fixture, 1);
	assert_int_equal(outcomes[1].outcome, POOL_CRASHED);
	assert_int_equal(outcomes[1].told, 1);
	assert_int_equal(runs_of(1), 0);
}

/* {"outcome", "again"} of the only event that is kept. */
static json_t *only_recent(const struct recent *recent)
{
	struct rt_buffer text;
	json_t *list;
	json_t *event;

	rt_buffer_init_heap(&text, RECENT_TEXT_MAX);
	recent_list(recent, &text);
	list = json_loadb(text.bytes, text.length, 0, NULL);
	rt_buffer_done(&text);
	assert_int_equal(json_array_size(json_object_get(list, "events")), 1);
	event = json_incref(json_array_get(json_object_get(list, "events"), 0));
	json_decref(list);
	return event;
}

/* Submits an event to the first of two handlers, and ends as many of them as said before they begin
 * it. */
static void assert_recent(struct fixture *fixture, int deaths, const char *outcome, bool again)
{
	struct recent *recent = recent_new();
	pid_t held[2];
	json_t *event;

	pools_keep_recent(fixture->pools, recent);
	for (int i = 0; i < deaths; i++)
		held[i] = hold(fixture, i);
	submit(fixture, 0, 1, "");
	for (int i = 0; i < deaths; i++) {
		while (fixture->pool->handlers[i].done == NULL && outcomes[1].told == 0)
			event_base_loop(fixture->base, EVLOOP_ONCE);
		kill(held[i], SIGKILL);
	}
	await(fixture, 1);
	event = only_recent(recent);
	assert_string_equal(json_string_value(json_object_get(event, "outcome")), outcome);
	assert_int_equal(json_is_true(json_object_get(event, "again")), again);
	json_decref(event);
	pools_keep_recent(fixture->pools, NULL);
	recent_free(recent);
}

static void an_event_is_listed_once_with_its_last_outcome_and_whether_it_was_given_again(
	void **state)
{
	static const struct {
		int deaths;
		const char *outcome;
		bool again;
	} cases[] = {{0, "answered", false}, {1, "answered", true}, {2, "crashed", true}};
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 2, 20);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		memset(outcomes, 0, sizeof outcomes);
		warm(fixture, 2);
		assert_recent(fixture, cases[i].deaths, cases[i].outcome, cases[i].again);
	}
}

static void kill_idle(struct fixture *fixture, int handler)
{
	kill(fixture->pool->handlers[handler].process.pid, SIGKILL);
	while (fixture->pool->handlers[handler].process.pid != 0)
		event_base_loop(fixture->base, EVLOOP_ONCE);
}

static void an_event_of_a_handler_that_dies_at_its_start_is_given_to_another(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	kill_idle(fixture, 0);
	next_dies_at_start();
	submit(fixture, 1, 1, "");
	assert_answered(fixture, 1);
	assert_int_equal(outcomes[1].told, 1);
	assert_int_equal(runs_of(1), 1);
	assert_int_not_equal(access(DIES_AT_START, F_OK), 0);
}

/* Makes the function a program that knows no page, and dies of each event. */
static void replace_program(void)
{
	FILE *program;

	unlink("f");
	program = fopen("f", "w");
	fputs("#!/bin/sh\nread -r line\nkill -9 $$\n", program);
	assert_int_equal(fclose(program), 0);
	assert_int_equal(chmod("f", 0700), 0);
}

/* Until a handler of the program has read the page, the program may be one that never does. */
static void the_first_handler_of_a_program_may_have_begun_its_event(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	next_dies_at_start();
	submit(fixture, 1, 1, "");
	await(fixture, 1);
	assert_int_equal(outcomes[1].outcome, POOL_CRASHED);

	warm(fixture, 1);
	kill_idle(fixture, 0);
	replace_program();
	submit(fixture, 1, 2, "");
	await(fixture, 2);
	assert_int_equal(outcomes[2].outcome, POOL_CRASHED);
}

static void an_event_whose_time_is_up_is_given_to_no_other_handler(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 2, 20);
	fixture->manifest->functions[0].timeout_ms = 1;
	warm(fixture, 2);
	hold(fixture, 0);
	submit(fixture, 1, 1, "");
	await(fixture, 1);
	assert_int_equal(outcomes[1].outcome, POOL_TIMED_OUT);
	submit(fixture, 1, 2, "");
	assert_answered(fixture, 2);
	assert_int_equal(outcomes[1].told, 1);
	assert_int_equal(runs_of(1), 0);
}

static void when_the_pools_end_an_event_that_was_not_begun_is_refused(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	hold(fixture, 0);
	submit(fixture, 1, 1, "");
	pools_free(fixture->pools);
	fixture->pools = pools_new(fixture->base, fixture->manifest);
	assert_int_equal(outcomes[1].outcome, POOL_BUSY);
	assert_int_equal(outcomes[1].told, 1);
}

static void a_large_event_is_kept_until_it_is_answered(void **state)
{
	enum { PIPE_BYTES = 1024 * 1024, TEXT_BYTES = PIPE_BYTES - 40 };
	struct fixture *fixture = *state;
	struct rt_process *process = &fixture->pool->handlers[0].process;
	char *event = malloc(PIPE_BYTES);
	int length;
	pid_t pid;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	length = sprintf(event, "{\"number\":1,\"text\":\"%0*d\"}", TEXT_BYTES, 0);
	assert_int_equal(fcntl(process->in, F_SETPIPE_SZ, PIPE_BYTES), PIPE_BYTES);
	pid = hold(fixture, 0);
	pools_submit_of(
		fixture->pools, fixture->function, 1, event, (size_t)length, on_done, &outcomes[1]);
	free(event);
	assert_int_equal(process->send_offset, process->send_length);
	kill(pid, SIGKILL);
	assert_answered(fixture, 1);
	assert_int_equal(runs_of(1), 1);
	assert_null(process->send);
}

static void after_each_failed_start_the_next_waits_twice_as_long_up_to_a_limit(void **state)
{
	static const int waits_ms[] = {50, 100, 200, 400, 800, 1600, 1600, 1600};
	struct pool pool = {.failures = 0};

	(void)state;
	pool_back_off(&pool);
	assert_int_equal(pool.not_before_ms, 0); /* one may be chance */
	for (size_t i = 0; i < sizeof waits_ms / sizeof waits_ms[0]; i++) {
		int64_t before_ms = rt_monotonic_ms();

		pool_back_off(&pool);
		assert_in_range(pool.not_before_ms, before_ms + waits_ms[i],
			rt_monotonic_ms() + waits_ms[i]);
	}
}

static void a_new_program_starts_at_once_whatever_the_one_before_did(void **state)
{
	enum { FAILED_STARTS = 5 };
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	kill_idle(fixture, 0);
	for (int i = 0; i < FAILED_STARTS; i++)
		pool_back_off(fixture->pool);
	replace_program();
	submit(fixture, 1, 1, "");
	assert_int_not_equal(fixture->pool->handlers[0].process.pid, 0);
	await(fixture, 1);
	assert_int_equal(outcomes[1].outcome, POOL_CRASHED);
	assert_int_equal(fixture->pool->not_before_ms, 0); /* its first failure delays nothing */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_handler_that_dies_loses_only_the_event_in_work),
		TEST(a_handler_that_dies_between_two_events_loses_none),
		TEST(events_that_wait_in_the_pipe_of_a_killed_handler_are_answered_in_order),
		TEST(an_event_that_was_begun_is_lost_and_never_run_again),
		TEST(an_event_is_given_to_a_second_handler_and_to_no_third),
		TEST(an_event_is_listed_once_with_its_last_outcome_and_whether_it_was_given_again),
		TEST(an_event_of_a_handler_that_dies_at_its_start_is_given_to_another),
		TEST(the_first_handler_of_a_program_may_have_begun_its_event),
		TEST(an_event_whose_time_is_up_is_given_to_no_other_handler),
		TEST(when_the_pools_end_an_event_that_was_not_begun_is_refused),
		TEST(a_large_event_is_kept_until_it_is_answered),
		TEST(after_each_failed_start_the_next_waits_twice_as_long_up_to_a_limit),
		TEST(a_new_program_starts_at_once_whatever_the_one_before_did),
		TEST(a_timeout_of_one_event_costs_none_of_the_others),
	};

	quick_pool_acts(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
