/* Requests that wait for a result (`?wait=`): which of them are sent to their function again, which
 * are answered with the present state, and which are refused for lack of room. */
#include <setjmp.h>
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
#include "runtime/host/gateway/waits.h"
#include "runtime/time.h"

enum {
	PATH_BYTES = 256,
	LONG_MS = 600 * 1000,
	GIVE_UP_MS = 30 * 1000,
	SENDER = 7,
	MANY = 1025,
};

struct fixture {
	char folder[PATH_BYTES];
	struct event_base *base;
	struct manifest *manifest;
	struct pools *pools;
	struct waits *waits;
};

static int sent_again;
static int answered;
static struct waiter waiters[MANY];

static void on_again(struct waiter *waiter)
{
	(void)waiter;
	sent_again++;
}

static void on_enough(struct waiter *waiter)
{
	(void)waiter;
	answered++;
}

/* Writes the program of the function that knows which results are settled; it always gives this
 * answer. */
static void write_program(const struct fixture *fixture, const char *answer)
{
	char path[PATH_BYTES + 16];
	char fresh[PATH_BYTES + 16];
	FILE *file;

	snprintf(path, sizeof path, "%s/f", fixture->folder);
	snprintf(fresh, sizeof fresh, "%s/f.new", fixture->folder);
	file = fopen(fresh, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\nwhile read -r tag event; do echo \"$tag \"'%s'; done\n", answer);
	fclose(file);
	assert_int_equal(chmod(fresh, 0755), 0);
	assert_int_equal(rename(fresh, path), 0);
}

static int set_up(void **state)
{
	static const struct waits_calls calls = {on_again, on_enough};
	static const char text[] = "{\"functions\":{\"f\":{\"timeoutMs\":9000}}}";
	struct fixture *fixture = calloc(1, sizeof *fixture);
	char error[MANIFEST_ERROR_MAX];

	sent_again = answered = 0;
	memset(waiters, 0, sizeof waiters);
	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/eds-waits-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	fixture->base = event_base_new();
	fixture->manifest = manifest_parse(text, sizeof text - 1, fixture->folder, error);
	fixture->pools = pools_new(fixture->base, fixture->manifest);
	fixture->waits = waits_new(fixture->base, fixture->pools, &calls);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char path[PATH_BYTES + 16];

	waits_stop(fixture->waits);
	waits_free(fixture->waits);
	pools_free(fixture->pools);
	manifest_free(fixture->manifest);
	event_base_free(fixture->base);
	snprintf(path, sizeof path, "%s/f", fixture->folder);
	unlink(path);
	rmdir(fixture->folder);
	free(fixture);
	return 0;
}

static bool add(struct fixture *fixture, size_t i, const char *name, uint64_t sender, int for_ms)
{
	snprintf(waiters[i].name, sizeof waiters[i].name, "%s", name);
	waiters[i].sender = sender;
	waiters[i].asks = &fixture->manifest->functions[0];
	waiters[i].until_ms = rt_monotonic_ms() + for_ms;
	return waits_add(fixture->waits, &waiters[i]);
}

static void run_until(struct fixture *fixture, const int *count, int wanted)
{
	int64_t end_ms = rt_monotonic_ms() + GIVE_UP_MS;

	while (*count < wanted && rt_monotonic_ms() < end_ms)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	assert_int_equal(*count, wanted);
}

static void waiting_requests_are_sent_again_when_their_session_is_settled(void **state)
{
	struct fixture *fixture = *state;

	write_program(fixture, "{\"settled\":[\"early\",7,null,\"unknown\",\"both\"]}");
	assert_true(add(fixture, 0, "early", SENDER, LONG_MS));
	assert_true(add(fixture, 1, "late", SENDER, LONG_MS));
	assert_true(add(fixture, 2, "both", SENDER, LONG_MS));
	assert_true(add(fixture, 3, "both", SENDER + 1, LONG_MS));
	run_until(fixture, &sent_again, 3);
	assert_int_equal(waiters[1].state, WAITER_WAITS);
	for (size_t i = 0; i < 4; i++)
		if (i != 1)
			waits_answered(fixture->waits, &waiters[i]);
	assert_int_equal(answered, 0);
}

static void a_malformed_answer_settles_nothing_and_the_wait_times_out(void **state)
{
	static const char *const answers[] = {"no JSON", "{\"settled\":\"a\"}", "[\"a\"]"};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		write_program(fixture, answers[i]);
		assert_true(add(fixture, 0, "a", SENDER, 1200));
		run_until(fixture, &answered, (int)i + 1);
		assert_int_equal(waiters[0].state, WAITER_IDLE);
	}
	assert_int_equal(sent_again, 0);
}

static void at_most_eight_requests_are_sent_again_at_once(void **state)
{
	struct fixture *fixture = *state;

	write_program(fixture, "{\"settled\":[\"a\"]}");
	for (size_t i = 0; i < 20; i++)
		assert_true(add(fixture, i, "a", SENDER, LONG_MS));
	run_until(fixture, &sent_again, 8);
	for (int looks = 0; looks < 20; looks++)
		event_base_loop(fixture->base, EVLOOP_NONBLOCK);
	assert_int_equal(sent_again, 8);
	/* the call is ignored for requests that were not sent again */
	for (size_t i = 0; i < 20; i++)
		waits_answered(fixture->waits, &waiters[i]);
	run_until(fixture, &sent_again, 16);
	for (size_t i = 0; i < 20; i++)
		waits_answered(fixture->waits, &waiters[i]);
	run_until(fixture, &sent_again, 20);
}

static void a_sender_has_128_places_to_wait_and_all_senders_1024(void **state)
{
	struct fixture *fixture = *state;

	for (size_t i = 0; i < 128; i++)
		assert_true(add(fixture, i, "a", SENDER, LONG_MS));
	assert_false(add(fixture, 128, "a", SENDER, LONG_MS));
	for (size_t i = 128; i < 1024; i++)
		assert_true(add(fixture, i, "a", SENDER + i / 128, LONG_MS));
	assert_false(add(fixture, 1024, "a", SENDER + 100, LONG_MS));
	waits_remove(fixture->waits, &waiters[5]);
	assert_true(add(fixture, 1024, "a", SENDER, LONG_MS));
	assert_false(add(fixture, 5, "a", SENDER + 100, LONG_MS));
}

static void a_wait_of_zero_and_a_wait_during_a_stop_are_refused(void **state)
{
	struct fixture *fixture = *state;

	assert_false(add(fixture, 0, "a", SENDER, 0));
	assert_true(add(fixture, 0, "a", SENDER, LONG_MS));
	assert_true(add(fixture, 1, "b", SENDER, LONG_MS));
	waits_stop(fixture->waits);
	assert_int_equal(answered, 2);
	assert_false(add(fixture, 0, "a", SENDER, LONG_MS));
}

#define WAITS(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAITS(waiting_requests_are_sent_again_when_their_session_is_settled),
		WAITS(a_malformed_answer_settles_nothing_and_the_wait_times_out),
		WAITS(at_most_eight_requests_are_sent_again_at_once),
		WAITS(a_sender_has_128_places_to_wait_and_all_senders_1024),
		WAITS(a_wait_of_zero_and_a_wait_during_a_stop_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
