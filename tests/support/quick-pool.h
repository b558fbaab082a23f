/* A pool whose function is the test program itself, with the loop of every function: tests include
 * this once. main() calls quick_pool_acts() first. */
#ifndef TESTS_QUICK_POOL_H
#define TESTS_QUICK_POOL_H

#include <poll.h>
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

static inline void die(void *unused)
{
	(void)unused;
	raise(SIGKILL);
}

/* Handles an event {"number":7,"nap":20,"die":true,"dieAfter":true,"large":true}: notes the number
 * in the file `ran` beside the program, then does what the other members ask for. dieAfter: the
 * process dies after it has written the answer and before it begins the next event. */
static inline rt_status act(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	int number = (int)json_integer_value(json_object_get(input, "number"));
	FILE *ran = fopen("ran", "a");

	fprintf(ran, "%d ", number);
	fclose(ran);
	usleep((useconds_t)json_integer_value(json_object_get(input, "nap")) * 1000);
	if (json_is_true(json_object_get(input, "die")))
		die(NULL);
	if (json_is_true(json_object_get(input, "dieAfter")))
		rt_on_release(ctx, die, NULL);
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
	int told; /* how often the outcome was reported */
	int turn; /* its place in the order of reported outcomes */
	enum pool_outcome outcome;
	size_t length;
};

static struct outcome outcomes[EVENTS_MAX];
static int told_count;

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
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

static inline void on_done(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct outcome *result = arg;

	(void)text;
	result->told++;
	result->turn = ++told_count;
	result->outcome = outcome;
	result->length = length;
}

/* Submits an event; what is text with further members, such as ",\"nap\":20". */
static inline void submit(struct fixture *fixture, uint64_t sender, int number, const char *what)
{
	char event[128];
	int length = snprintf(event, sizeof event, "{\"number\":%d%s}", number, what);

	pools_submit_of(fixture->pools, fixture->function, sender, event, (size_t)length, on_done,
		&outcomes[number]);
}

static inline void await(struct fixture *fixture, int number)
{
	int64_t end = rt_monotonic_ms() + WAIT_SECONDS * 1000;

	while (outcomes[number].told == 0) {
		event_base_loop(fixture->base, EVLOOP_ONCE);
		if (rt_monotonic_ms() > end)
			fail_msg("event %d had no outcome", number);
	}
}

static inline void assert_answered(struct fixture *fixture, int number)
{
	await(fixture, number);
	assert_int_equal(outcomes[number].outcome, POOL_ANSWERED);
}

/* How often the function began the event. */
static inline int runs_of(int number)
{
	FILE *ran = fopen("ran", "r");
	int count = 0;
	int noted;

	while (fscanf(ran, "%d", &noted) == 1)
		count += noted == number;
	fclose(ran);
	return count;
}

static inline size_t count_behind(const struct fixture *fixture)
{
	size_t count = 0;

	for (size_t i = 0; i < MANIFEST_HANDLERS_MAX; i++)
		count += fixture->pool->handlers[i].behind.count;
	return count;
}

/* Starts this many handlers, with an event from a different sender for each. Then makes the
 * function count as quick, so that its events may wait in the pipes of busy handlers. */
static inline void warm(struct fixture *fixture, int handlers)
{
	for (int i = 0; i < handlers; i++)
		submit(fixture, 100 + (uint64_t)i, EVENTS_MAX - 1 - i, "");
	for (int i = 0; i < handlers; i++)
		assert_answered(fixture, EVENTS_MAX - 1 - i);
	fixture->pool->answer_us = POOL_QUICK_US / 2;
	told_count = 0;
}

#define DIES_AT_START "dies-at-start"

/* Makes the next handler die when it was given an event, before it does anything. */
static inline void next_dies_at_start(void)
{
	fclose(fopen(DIES_AT_START, "w"));
}

/* Becomes the function when a pool starts this program; returns only in the test itself. */
static inline void quick_pool_acts(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--kept") == 0) {
		struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

		/* a handler that is dead when it is given an event counts as never given it */
		if (unlink(DIES_AT_START) == 0 && poll(&input, 1, WAIT_SECONDS * 1000) == 1)
			die(NULL);
		exit(rt_main_direct(argc, argv, act));
	}
	signal(SIGPIPE, SIG_IGN);
}

#endif
