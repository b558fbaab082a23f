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

#include "runtime/ctx.h"
#include "runtime/host/pool/pool.h"
#include "runtime/time.h"

enum {
	PATH_BYTES = 256,
	ANSWER_BYTES = 256,
	WAIT_SECONDS = 10,
};

/* A handler script that answers each event with one line: its tag, and the event within JSON. */
static const char echo[] = "while read -r tag event; do echo \"$tag {\\\"event\\\":$event}\"; done";

struct fixture {
	char folder[PATH_BYTES];
	struct event_base *base;
	struct manifest *manifest;
	struct pools *pools;
	const struct manifest_function *function;
};

struct outcome {
	struct fixture *fixture;
	int told; /* how often the outcome was reported */
	enum pool_outcome outcome;
	char answer[ANSWER_BYTES];
};

static void write_program(const struct fixture *fixture, const char *script)
{
	char path[PATH_BYTES + 16];
	char fresh[PATH_BYTES + 16];
	FILE *file;

	snprintf(path, sizeof path, "%s/f", fixture->folder);
	snprintf(fresh, sizeof fresh, "%s/f.new", fixture->folder);
	file = fopen(fresh, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	fclose(file);
	assert_int_equal(chmod(fresh, 0755), 0);
	assert_int_equal(rename(fresh, path), 0);
}

static int set_up(void **state)
{
	static const char text[] =
		"{\"functions\":{\"f\":{\"timeoutMs\":9000,\"settings\":[\"EDS_TESTER_DOMAIN\"]}}}";
	struct fixture *fixture = calloc(1, sizeof *fixture);
	char error[MANIFEST_ERROR_MAX];

	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/eds-pool-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	fixture->base = event_base_new();
	fixture->manifest = manifest_parse(text, sizeof text - 1, fixture->folder, error);
	fixture->function = &fixture->manifest->functions[0];
	fixture->pools = pools_new(fixture->base, fixture->manifest);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char path[PATH_BYTES + 16];

	pools_free(fixture->pools);
	manifest_free(fixture->manifest);
	event_base_free(fixture->base);
	snprintf(path, sizeof path, "%s/f", fixture->folder);
	unlink(path);
	rmdir(fixture->folder);
	free(fixture);
	return 0;
}

static void on_done(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct outcome *result = arg;

	result->told++;
	result->outcome = outcome;
	snprintf(result->answer, sizeof result->answer, "%.*s", (int)length,
		text == NULL ? "" : text);
}

static void submit(struct fixture *fixture, struct outcome *outcome, const char *event)
{
	*outcome = (struct outcome){.fixture = fixture};
	pools_submit(fixture->pools, fixture->function, event, strlen(event), on_done, outcome);
}

/* Runs the loop until all outcomes have been reported. */
static void await(struct fixture *fixture, const struct outcome *outcomes, size_t count)
{
	int64_t end = rt_monotonic_ms() + WAIT_SECONDS * 1000;

	for (size_t i = 0; i < count; i++)
		while (outcomes[i].told == 0) {
			event_base_loop(fixture->base, EVLOOP_ONCE);
			if (rt_monotonic_ms() > end)
				fail_msg("event %zu had no outcome", i);
		}
}

static void assert_outcome(
	struct fixture *fixture, const char *event, enum pool_outcome expected, const char *answer)
{
	struct outcome outcome;

	submit(fixture, &outcome, event);
	assert_int_equal(outcome.told, 0);
	await(fixture, &outcome, 1);
	assert_int_equal(outcome.told, 1);
	assert_int_equal(outcome.outcome, expected);
	assert_string_equal(outcome.answer, answer);
}

static void an_event_is_answered(void **state)
{
	write_program(*state, echo);
	assert_outcome(*state, "1", POOL_ANSWERED, "{\"event\":1}");
	assert_outcome(*state, "2", POOL_ANSWERED, "{\"event\":2}");
}

static void each_of_many_events_gets_its_own_answer(void **state)
{
	struct outcome outcomes[POOL_QUEUE_MAX];
	char expected[ANSWER_BYTES];

	write_program(*state, echo);
	for (int i = 0; i < POOL_QUEUE_MAX; i++) {
		snprintf(expected, sizeof expected, "%d", i);
		submit(*state, &outcomes[i], expected);
	}
	await(*state, outcomes, POOL_QUEUE_MAX);
	for (int i = 0; i < POOL_QUEUE_MAX; i++) {
		snprintf(expected, sizeof expected, "{\"event\":%d}", i);
		assert_int_equal(outcomes[i].told, 1);
		assert_int_equal(outcomes[i].outcome, POOL_ANSWERED);
		assert_string_equal(outcomes[i].answer, expected);
	}
}

static void a_full_queue_refuses_and_says_so(void **state)
{
	static struct outcome outcomes[POOL_QUEUE_MAX + MANIFEST_HANDLERS + 2];
	const size_t count = sizeof outcomes / sizeof outcomes[0];
	size_t busy = 0;

	write_program(*state, "sleep 0.1\n while read -r tag event; do echo \"$tag {}\"; done");
	for (size_t i = 0; i < count; i++)
		submit(*state, &outcomes[i], "1");
	await(*state, outcomes, count);
	for (size_t i = 0; i < count; i++)
		busy += outcomes[i].outcome == POOL_BUSY;
	assert_int_equal(busy, 2);
	assert_int_equal(outcomes[count - 1].outcome, POOL_BUSY);
}

static void fewer_handlers_and_a_shorter_queue_can_be_asked_for(void **state)
{
	struct fixture *fixture = *state;
	struct outcome outcomes[6];
	size_t busy = 0;

	memset(outcomes, 0, sizeof outcomes);
	write_program(fixture,
		"sleep 0.1\n while read -r tag event; do echo \"$tag {\\\"pid\\\":$$}\"; done");
	pools_bound(fixture->pools, 1, 3);
	for (size_t i = 0; i < 6; i++)
		submit(fixture, &outcomes[i], "1");
	await(fixture, outcomes, 6);
	for (size_t i = 0; i < 6; i++)
		busy += outcomes[i].outcome == POOL_BUSY;
	assert_int_equal(busy, 2);
	assert_string_equal(outcomes[1].answer, outcomes[0].answer);
	assert_string_equal(outcomes[3].answer, outcomes[0].answer);
}

static void a_handler_that_stops_reading_is_replaced_and_no_event_is_lost(void **state)
{
	struct fixture *fixture = *state;
	struct outcome outcomes[3];

	memset(outcomes, 0, sizeof outcomes);
	write_program(fixture,
		"read -r tag event; exec 0<&-; echo \"$tag {\\\"event\\\":$event}\"; sleep 60");
	pools_bound(fixture->pools, 1, 3);
	for (size_t i = 0; i < 3; i++)
		submit(fixture, &outcomes[i], i == 0 ? "1" : i == 1 ? "2" : "3");
	await(fixture, outcomes, 3);
	assert_string_equal(outcomes[0].answer, "{\"event\":1}");
	assert_string_equal(outcomes[1].answer, "{\"event\":2}");
	assert_string_equal(outcomes[2].answer, "{\"event\":3}");
}

static void a_warmed_handler_gets_the_first_event(void **state)
{
	struct fixture *fixture = *state;

	assert_false(pools_is_warm(fixture->pools, fixture->function));
	/* nothing is warmed, because the program does not exist yet */
	assert_false(pools_warm(fixture->pools, fixture->function));
	write_program(fixture,
		"touch \"$0.$$\"\n while read -r tag event; do set -- \"$0\".*; echo \"$tag "
		"$#\"; done");
	assert_true(pools_warm(fixture->pools, fixture->function));
	assert_true(pools_is_warm(fixture->pools, fixture->function));
	assert_true(pools_warm(fixture->pools, fixture->function));
	/* the answer is the number of processes started so far */
	assert_outcome(fixture, "1", POOL_ANSWERED, "1");
}

static void a_handler_that_ends_counts_as_crashed_and_is_replaced(void **state)
{
	write_program(*state, "read -r tag event; echo \"$tag {}\"; read -r tag event; exit 3");
	assert_outcome(*state, "1", POOL_ANSWERED, "{}");
	assert_outcome(*state, "2", POOL_CRASHED, "");
	assert_outcome(*state, "3", POOL_ANSWERED, "{}");
}

static void a_program_that_always_crashes_is_restarted_with_pauses(void **state)
{
	int64_t began = rt_monotonic_ms();

	write_program(*state, "exit 1");
	for (int i = 0; i < 5; i++)
		assert_outcome(*state, "1", POOL_CRASHED, "");
	/* the pauses before the four later starts are 0, 50, 100 and 200 ms */
	assert_true(rt_monotonic_ms() - began >= 300);
}

static void a_new_program_is_tried_at_once_after_a_broken_one(void **state)
{
	int64_t began;

	write_program(*state, "exit 1");
	for (int i = 0; i < 6; i++)
		assert_outcome(*state, "1", POOL_CRASHED, "");
	write_program(*state, echo);
	began = rt_monotonic_ms();
	assert_outcome(*state, "1", POOL_ANSWERED, "{\"event\":1}");
	/* the pause before the next start of the broken program would have been 800 ms */
	assert_true(rt_monotonic_ms() - began < 800);
}

static void a_program_that_cannot_be_started_is_absent_until_it_can(void **state)
{
	assert_outcome(*state, "1", POOL_ABSENT, "");
	write_program(*state, "exit 127"); /* as ld.so without a library */
	assert_outcome(*state, "2", POOL_ABSENT, "");
	write_program(*state, echo);
	assert_outcome(*state, "3", POOL_ANSWERED, "{\"event\":3}");
}

static void a_program_that_ends_as_if_absent_after_an_answer_has_crashed(void **state)
{
	write_program(*state, "read -r tag event; echo \"$tag {}\"; read -r tag event; exit 127");
	assert_outcome(*state, "1", POOL_ANSWERED, "{}");
	assert_outcome(*state, "2", POOL_CRASHED, "");
}

static void a_handler_past_its_deadline_is_killed(void **state)
{
	struct fixture *fixture = *state;
	int64_t began = rt_monotonic_ms();

	fixture->manifest->functions[0].timeout_ms = 300;
	write_program(fixture, "read -r tag event; sleep 60");
	assert_outcome(fixture, "1", POOL_TIMED_OUT, "");
	assert_in_range(rt_monotonic_ms() - began, 300, 8000);
}

static void an_answer_in_pieces_does_not_postpone_the_time_out(void **state)
{
	struct fixture *fixture = *state;

	fixture->manifest->functions[0].timeout_ms = 300;
	write_program(fixture,
		"read -r tag event; printf '%s {' \"$tag\"; while sleep 0.1; do printf ' '; done");
	assert_outcome(fixture, "1", POOL_TIMED_OUT, "");
}

static void lines_that_break_the_protocol_end_the_handler(void **state)
{
	static const char *const scripts[] = {
		"read -r tag event; echo \"#77 {}\"; sleep 60",
		"read -r tag event; echo '{}'; sleep 60",
		"read -r tag event; echo; sleep 60",
	};

	for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
		write_program(*state, scripts[i]);
		assert_outcome(*state, "1", POOL_CRASHED, "");
	}
}

static void a_changed_program_serves_from_the_next_event_on(void **state)
{
	write_program(*state, "while read -r tag event; do echo \"$tag 1\"; done");
	assert_outcome(*state, "1", POOL_ANSWERED, "1");
	write_program(*state, "while read -r tag event; do echo \"$tag 2\"; done");
	assert_outcome(*state, "1", POOL_ANSWERED, "2");
}

static void a_handler_gets_its_time_out_and_its_own_settings_only(void **state)
{
	setenv("EDS_TESTER_DOMAIN", "t.example", 1);
	setenv("EDS_TIMEOUT_MS", "99", 1);
	setenv("EDS_LOG_LEVEL", "debug", 1);
	setenv("EDS_SANDBOX", "off", 1);
	setenv("EDS_DATABASE_URL", "postgresql://u:secret@h/d", 1);
	setenv("EDS_TESTER_DOMAINS", "x", 1);
	setenv("PGPASSWORD", "secret", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
	setenv("SECRET_OF_THE_SHELL", "x", 1);
	write_program(*state,
		"read -r tag event\n"
		"echo \"$tag $EDS_TIMEOUT_MS $EDS_TESTER_DOMAIN $EDS_LOG_LEVEL $EDS_SANDBOX "
		"${EDS_DATABASE_URL-none} ${EDS_TESTER_DOMAINS-none} ${PGPASSWORD-none} "
		"${AWS_SECRET_ACCESS_KEY-none} ${SECRET_OF_THE_SHELL-none}\"");
	pools_free(((struct fixture *)*state)->pools);
	((struct fixture *)*state)->pools = pools_new(
		((struct fixture *)*state)->base, ((struct fixture *)*state)->manifest);
	assert_outcome(
		*state, "1", POOL_ANSWERED, "9000 t.example debug off none none none none none");
	unsetenv("EDS_LOG_LEVEL");
	unsetenv("EDS_SANDBOX");
	unsetenv("EDS_DATABASE_URL");
	unsetenv("EDS_TESTER_DOMAINS");
}

/* When the pools are freed, each event gets an outcome, whether a handler has it or it is in the
 * queue. */
static void every_event_gets_an_outcome_when_the_pools_end(void **state)
{
	struct fixture *fixture = *state;
	struct outcome outcomes[MANIFEST_HANDLERS + 2];
	size_t crashed = 0;

	write_program(fixture, "while read -r tag event; do sleep 60; done");
	for (size_t i = 0; i < MANIFEST_HANDLERS + 2; i++)
		submit(fixture, &outcomes[i], "1");
	pools_free(fixture->pools);
	for (size_t i = 0; i < MANIFEST_HANDLERS + 2; i++) {
		assert_int_equal(outcomes[i].told, 1);
		assert_string_equal(outcomes[i].answer, "");
		crashed += outcomes[i].outcome == POOL_CRASHED;
	}
	assert_int_equal(crashed, 8);
	assert_int_equal(outcomes[8 + 1].outcome, POOL_BUSY);
	fixture->pools = pools_new(fixture->base, fixture->manifest);
}

static void count_drained(void *arg)
{
	++*(int *)arg;
}

static void draining_finishes_begun_events_and_refuses_the_rest(void **state)
{
	struct fixture *fixture = *state;
	struct outcome outcomes[3];
	int drained = 0;

	write_program(fixture, "while read -r tag event; do sleep 0.05; echo \"$tag {}\"; done");
	submit(fixture, &outcomes[0], "1");
	submit(fixture, &outcomes[1], "2");
	pools_drain(fixture->pools, count_drained, &drained);
	assert_int_equal(drained, 0);
	submit(fixture, &outcomes[2], "3");
	await(fixture, outcomes, 3);
	while (drained == 0)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	assert_int_equal(outcomes[0].outcome, POOL_ANSWERED);
	assert_int_equal(outcomes[1].outcome, POOL_ANSWERED);
	assert_int_equal(outcomes[2].outcome, POOL_BUSY);
	assert_int_equal(drained, 1);
}

static void freeing_the_pools_answers_the_waiting_events(void **state)
{
	struct fixture *fixture = *state;
	struct outcome outcomes[MANIFEST_HANDLERS + 1];

	write_program(fixture, "sleep 60");
	for (size_t i = 0; i <= MANIFEST_HANDLERS; i++)
		submit(fixture, &outcomes[i], "1");
	pools_free(fixture->pools);
	for (size_t i = 0; i <= MANIFEST_HANDLERS; i++) {
		assert_int_equal(outcomes[i].told, 1);
		assert_int_equal(outcomes[i].outcome, i < 8 ? POOL_CRASHED : POOL_BUSY);
	}
	fixture->pools = pools_new(fixture->base, fixture->manifest);
}

static void a_function_gets_the_handlers_that_the_manifest_allows_it(void **state)
{
	enum { ALLOWED = MANIFEST_HANDLERS + 3 };
	struct fixture *fixture = *state;
	struct outcome outcomes[ALLOWED + 1];

	fixture->manifest->functions[0].handlers = ALLOWED;
	write_program(fixture, "sleep 60");
	for (size_t i = 0; i <= ALLOWED; i++)
		submit(fixture, &outcomes[i], "1");
	pools_free(fixture->pools);
	for (size_t i = 0; i <= ALLOWED; i++)
		assert_int_equal(outcomes[i].outcome, i < ALLOWED ? POOL_CRASHED : POOL_BUSY);
	fixture->pools = pools_new(fixture->base, fixture->manifest);
}

static void an_event_larger_than_a_pipe_arrives_whole_or_is_a_crash(void **state)
{
	enum { LARGE = 1024 * 1024 };
	char *event = malloc(LARGE + 1);

	memset(event, '7', LARGE);
	event[LARGE] = '\0';
	write_program(*state, "line=$(head -n 1); echo \"${line%% *} ${#line}\"");
	assert_outcome(*state, event, POOL_ANSWERED, "1048580");
	/* this handler reads nothing of the event */
	write_program(*state, "sleep 0.2; exec 0<&-; exec sleep 60");
	assert_outcome(*state, event, POOL_CRASHED, "");
	free(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(an_event_is_answered),
		TEST(each_of_many_events_gets_its_own_answer),
		TEST(a_full_queue_refuses_and_says_so),
		TEST(fewer_handlers_and_a_shorter_queue_can_be_asked_for),
		TEST(a_handler_that_stops_reading_is_replaced_and_no_event_is_lost),
		TEST(a_warmed_handler_gets_the_first_event),
		TEST(a_function_gets_the_handlers_that_the_manifest_allows_it),
		TEST(a_handler_that_ends_counts_as_crashed_and_is_replaced),
		TEST(a_program_that_always_crashes_is_restarted_with_pauses),
		TEST(a_new_program_is_tried_at_once_after_a_broken_one),
		TEST(a_program_that_cannot_be_started_is_absent_until_it_can),
		TEST(a_program_that_ends_as_if_absent_after_an_answer_has_crashed),
		TEST(a_handler_past_its_deadline_is_killed),
		TEST(an_answer_in_pieces_does_not_postpone_the_time_out),
		TEST(lines_that_break_the_protocol_end_the_handler),
		TEST(a_changed_program_serves_from_the_next_event_on),
		TEST(every_event_gets_an_outcome_when_the_pools_end),
		TEST(a_handler_gets_its_time_out_and_its_own_settings_only),
		TEST(draining_finishes_begun_events_and_refuses_the_rest),
		TEST(freeing_the_pools_answers_the_waiting_events),
		TEST(an_event_larger_than_a_pipe_arrives_whole_or_is_a_crash),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
