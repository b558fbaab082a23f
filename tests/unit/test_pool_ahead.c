/* Events that wait in the pipe of a busy handler: what the handler's death, a slow event or another
 * sender means for them. The handler is this program itself, with the loop of every function. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/event/handler.h"
#include "runtime/host/pool/pool-ahead.h"
#include "runtime/host/pool/pool.h"
#include "runtime/json.h"
#include "runtime/time.h"

enum {
	PATH_BYTES = 256,
	EVENTS_MAX = 64,
	WAIT_SECONDS = 10,
	LARGE_BYTES = 200 * 1024,
};

/* {"number":7,"nap":20,"die":true,"large":true}: notes the number in the file `ran` beside the
 * program, then does as it is told. */
static rt_status act(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	int number = (int)json_integer_value(json_object_get(input, "number"));
	FILE *ran = fopen("ran", "a");

	(void)ctx;
	fprintf(ran, "%d ", number);
	fclose(ran);
	usleep((useconds_t)json_integer_value(json_object_get(input, "nap")) * 1000);
	if (json_is_true(json_object_get(input, "die")))
		raise(SIGKILL);
	*answer = json_pack("{s:i}", "number", number);
	if (json_is_true(json_object_get(input, "large"))) {
		char *text = calloc(1, LARGE_BYTES + 1);

		memset(text, 'x', LARGE_BYTES);
		json_object_set_new(*answer, "text", json_string(text));
		free(text);
	}
	return RT_OK;
}

struct fixture {
	char folder[PATH_BYTES];
	struct event_base *base;
	struct manifest *manifest;
	struct pools *pools;
	struct pool *pool;
	const struct manifest_function *function;
};

struct outcome {
	int told; /* how often */
	int turn; /* place in the order of reported outcomes */
	enum pool_outcome outcome;
	size_t length;
};

static struct outcome outcomes[EVENTS_MAX];
static int told_count;

static int set_up(void **state)
{
	static const char text[] = "{\"functions\":{\"f\":{\"timeoutMs\":9000,\"settings\":[]}}}";
	struct fixture *fixture = calloc(1, sizeof *fixture);
	char error[MANIFEST_ERROR_MAX];
	char own[PATH_BYTES];
	ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

	assert_true(length > 0);
	own[length] = '\0';
	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/eds-ahead-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	assert_int_equal(chdir(fixture->folder), 0);
	assert_int_equal(symlink(own, "f"), 0);
	fixture->base = event_base_new();
	fixture->manifest = manifest_parse(text, sizeof text - 1, fixture->folder, error);
	fixture->function = &fixture->manifest->functions[0];
	fixture->pools = pools_new(fixture->base, fixture->manifest);
	fixture->pool = &fixture->pools->items[0];
	memset(outcomes, 0, sizeof outcomes);
	told_count = 0;
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	pools_free(fixture->pools);
	manifest_free(fixture->manifest);
	event_base_free(fixture->base);
	unlink("f");
	unlink("ran");
	assert_int_equal(chdir("/"), 0);
	rmdir(fixture->folder);
	free(fixture);
	return 0;
}

static void on_done(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct outcome *result = arg;

	(void)text;
	result->told++;
	result->turn = ++told_count;
	result->outcome = outcome;
	result->length = length;
}

/* what: further members, ",\"nap\":20" */
static void submit(struct fixture *fixture, uint64_t sender, int number, const char *what)
{
	char event[128];
	int length = snprintf(event, sizeof event, "{\"number\":%d%s}", number, what);

	pools_submit_of(fixture->pools, fixture->function, sender, event, (size_t)length, on_done,
		&outcomes[number]);
}

static void await(struct fixture *fixture, int number)
{
	int64_t end = rt_monotonic_ms() + WAIT_SECONDS * 1000;

	while (outcomes[number].told == 0) {
		event_base_loop(fixture->base, EVLOOP_ONCE);
		if (rt_monotonic_ms() > end)
			fail_msg("event %d was never told of", number);
	}
}

static void assert_answered(struct fixture *fixture, int number)
{
	await(fixture, number);
	assert_int_equal(outcomes[number].outcome, POOL_ANSWERED);
}

/* How often the function began the event. */
static int runs_of(int number)
{
	FILE *ran = fopen("ran", "r");
	int count = 0;
	int noted;

	while (fscanf(ran, "%d", &noted) == 1)
		count += noted == number;
	fclose(ran);
	return count;
}

static size_t count_behind(const struct fixture *fixture)
{
	size_t count = 0;

	for (size_t i = 0; i < MANIFEST_HANDLERS_MAX; i++)
		count += fixture->pool->handlers[i].behind.count;
	return count;
}

/* Starts the handlers, one for each of as many senders, and makes the function a quick one. */
static void warm(struct fixture *fixture, int handlers)
{
	for (int i = 0; i < handlers; i++)
		submit(fixture, 100 + (uint64_t)i, EVENTS_MAX - 1 - i, "");
	for (int i = 0; i < handlers; i++)
		assert_answered(fixture, EVENTS_MAX - 1 - i);
	fixture->pool->answer_us = POOL_QUICK_US / 2;
	told_count = 0;
}

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

	pools_bound(fixture->pools, 4, 20); /* a single sender may have two of them */
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
	assert_true(rt_monotonic_ms() - began < 1000); /* 20 ms, and time for a busy machine */
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
	kill(pid, SIGSTOP); /* a nap may be over before the other handler has answered */
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
	submit(fixture, 1, 1, ",\"nap\":15");
	submit(fixture, 1, 2, "");
	submit(fixture, 1, 3, "");
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
	fixture->pool->program.changed.tv_sec = 1; /* as if the file had been replaced */
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
		TEST(a_handler_that_dies_loses_only_the_event_in_work),
		TEST(a_slow_event_does_not_hold_up_the_one_behind_it),
		TEST(a_withdrawn_event_is_dropped_and_the_handler_goes_on),
		TEST(a_handler_that_does_not_get_to_run_keeps_its_events),
		TEST(a_timeout_of_one_event_costs_none_of_the_others),
		TEST(a_sender_without_a_handler_is_served_before_pipes_are_filled),
		TEST(a_pipe_holds_events_of_one_sender_only),
		TEST(answers_larger_than_the_pipe_arrive_whole),
		TEST(when_the_pools_end_each_event_is_answered_once),
		TEST(a_replaced_program_gets_the_events_not_yet_in_a_pipe),
	};

	if (argc == 2 && strcmp(argv[1], "--kept") == 0)
		return rt_main_direct(argc, argv, act);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
