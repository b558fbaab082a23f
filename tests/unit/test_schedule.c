/* The schedule of the runner, with clocks that the tests set and handlers that answer as the tests
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "local/serve/schedule.h"
#include "runtime/ctx.h"

enum {
	EVENT_BYTES = 1024,
	ROUNDS = 4, /* turns of the loop, enough for all due events */
};

/* Friday, 20 November 2026, 10:00:30 UTC */
static const int64_t start_ms = 1795168830000;

static int64_t wall_ms;
static int64_t monotonic_ms;

/* Replace the clocks of the C library, for the runner and for libevent. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int64_t ms = clock == CLOCK_REALTIME ? wall_ms : monotonic_ms;

	*now = (struct timespec){ms / 1000, ms % 1000 * 1000000};
	return 0;
}

struct fixture {
	struct event_base *base;
	struct manifest *manifest;
	struct schedule *schedule;
};

/* Takes the place of the pools: counts the sent events, and keeps the last one until the test
 * answers it. */
static int sent;
static char event[EVENT_BYTES];
static pool_done done;
static void *done_arg;

void pools_submit(struct pools *pools, const struct manifest_function *function, const char *text,
	size_t length, pool_done call, void *arg)
{
	(void)pools;
	assert_string_equal(function->name, "tick");
	sent++;
	snprintf(event, sizeof event, "%.*s", (int)length, text);
	done = call;
	done_arg = arg;
}

static void answer(const char *text)
{
	pool_done call = done;

	done = NULL;
	call(done_arg, POOL_ANSWERED, text, strlen(text));
}

static void run_loop(struct fixture *fixture)
{
	for (int i = 0; i < ROUNDS; i++)
		event_base_loop(fixture->base, EVLOOP_NONBLOCK);
}

/* Lets time pass, half a second at a time. */
static void pass(struct fixture *fixture, int64_t ms)
{
	for (int64_t left = ms; left > 0; left -= 500) {
		wall_ms += left < 500 ? left : 500;
		monotonic_ms += left < 500 ? left : 500;
		run_loop(fixture);
	}
}

static void start(struct fixture *fixture, const char *expression)
{
	char text[EVENT_BYTES];
	char error[MANIFEST_ERROR_MAX];

	snprintf(text, sizeof text,
		"{\"functions\":{\"tick\":{\"timeoutMs\":1000,\"schedule\":\"%s\"},"
		"\"other\":{\"timeoutMs\":1000,\"mail\":true}}}",
		expression);
	fixture->manifest = manifest_parse(text, strlen(text), "/", error);
	assert_non_null(fixture->manifest);
	fixture->schedule = schedule_start(fixture->base, NULL, fixture->manifest);
	assert_non_null(fixture->schedule);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	wall_ms = start_ms;
	monotonic_ms = 1000000;
	sent = 0;
	done = NULL;
	fixture->base = event_base_new();
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	schedule_free(fixture->schedule);
	manifest_free(fixture->manifest);
	event_base_free(fixture->base);
	free(fixture);
	return 0;
}

static void a_rate_is_due_at_the_multiples_of_its_period(void **state)
{
	start(*state, "rate(1 minute)");
	pass(*state, 29000);
	assert_int_equal(sent, 0);
	pass(*state, 1000);
	assert_int_equal(sent, 1);
	assert_non_null(strstr(event, "\"time\":\"2026-11-20T10:01:00Z\""));
	assert_non_null(strstr(event, "\"detail-type\":\"Scheduled Event\""));
	answer("{}");
	pass(*state, 59000);
	assert_int_equal(sent, 1);
	pass(*state, 1000);
	assert_int_equal(sent, 2);
	assert_non_null(strstr(event, "\"time\":\"2026-11-20T10:02:00Z\""));
	answer("{}");
}

static void a_cron_expression_is_due_at_its_times(void **state)
{
	start(*state, "cron(5 10 ? * FRI *)");
	pass(*state, 4 * 60000);
	assert_int_equal(sent, 0);
	pass(*state, 30000);
	assert_int_equal(sent, 1);
	assert_non_null(strstr(event, "\"time\":\"2026-11-20T10:05:00Z\""));
	answer("{}");
	pass(*state, 3600000);
	assert_int_equal(sent, 1);
}

static void a_failed_run_is_repeated_twice_with_the_same_due_time(void **state)
{
	start(*state, "rate(1 day)");
	pass(*state, 14 * 3600000);
	assert_int_equal(sent, 1);
	answer("{\"errorType\":\"Temporary\",\"errorMessage\":\"not now\"}");
	pass(*state, 1500);
	assert_int_equal(sent, 2);
	answer("{\"errorType\":\"Temporary\",\"errorMessage\":\"not now\"}");
	pass(*state, 9000);
	assert_int_equal(sent, 2);
	pass(*state, 1500);
	assert_int_equal(sent, 3);
	assert_non_null(strstr(event, "\"time\":\"2026-11-21T00:00:00Z\""));
	answer("{\"errorType\":\"Temporary\",\"errorMessage\":\"not now\"}");
	pass(*state, 60000);
	assert_int_equal(sent, 3);
	pass(*state, 24 * 3600000);
	assert_int_equal(sent, 4);
	answer("{}");
}

static void a_run_still_under_way_is_not_started_again(void **state)
{
	start(*state, "rate(1 minute)");
	pass(*state, 30000);
	pass(*state, 180000);
	assert_int_equal(sent, 1);
	answer("{}");
	pass(*state, 60000);
	assert_int_equal(sent, 2);
	answer("{}");
}

static void a_run_that_waits_to_be_repeated_is_not_started_again(void **state)
{
	start(*state, "rate(1 minute)");
	pass(*state, 30000);
	assert_int_equal(sent, 1);
	pass(*state, 55000);
	answer("{\"errorType\":\"Oops\",\"errorMessage\":\"because\"}");
	pass(*state, 1500);
	assert_int_equal(sent, 2);
	answer("{\"errorType\":\"Oops\",\"errorMessage\":\"because\"}");
	pass(*state, 5000); /* the next run is due in the pause of ten seconds */
	assert_int_equal(sent, 2);
	pass(*state, 6000);
	assert_int_equal(sent, 3);
	assert_non_null(strstr(event, "\"time\":\"2026-11-20T10:01:00Z\""));
	answer("{}");
	pass(*state, 60000);
	assert_int_equal(sent, 4);
	assert_non_null(strstr(event, "\"time\":\"2026-11-20T10:03:00Z\""));
	answer("{}");
}

/* The machine has slept, or its clock was set forward. */
static void a_clock_set_forward_causes_a_single_run_for_those_skipped(void **state)
{
	start(*state, "rate(1 minute)");
	wall_ms += 2 * 3600000;
	pass(*state, 30000);
	assert_int_equal(sent, 1);
	answer("{}");
	pass(*state, 60000);
	assert_int_equal(sent, 2);
	answer("{}");
}

static void a_clock_set_back_does_not_stop_the_runs(void **state)
{
	start(*state, "rate(1 minute)");
	pass(*state, 30000);
	answer("{}");
	wall_ms -= 5 * 3600000;
	pass(*state, 120000);
	assert_true(sent >= 2);
	answer("{}");
}

static void nothing_is_sent_after_the_schedule_stops(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, "rate(1 minute)");
	pass(fixture, 30000);
	schedule_stop(fixture->schedule);
	answer("{\"errorType\":\"Temporary\",\"errorMessage\":\"not now\"}");
	pass(fixture, 300000);
	assert_int_equal(sent, 1);
}

static void an_answer_that_is_not_json_is_a_failed_run(void **state)
{
	start(*state, "rate(1 minute)");
	pass(*state, 30000);
	answer("nonsense");
	pass(*state, 1500);
	assert_int_equal(sent, 2);
	answer("{}");
}

#define SCHEDULE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCHEDULE(a_rate_is_due_at_the_multiples_of_its_period),
		SCHEDULE(a_cron_expression_is_due_at_its_times),
		SCHEDULE(a_failed_run_is_repeated_twice_with_the_same_due_time),
		SCHEDULE(a_run_still_under_way_is_not_started_again),
		SCHEDULE(a_run_that_waits_to_be_repeated_is_not_started_again),
		SCHEDULE(a_clock_set_forward_causes_a_single_run_for_those_skipped),
		SCHEDULE(a_clock_set_back_does_not_stop_the_runs),
		SCHEDULE(nothing_is_sent_after_the_schedule_stops),
		SCHEDULE(an_answer_that_is_not_json_is_a_failed_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
