/* Code shared by unit tests with cmocka: its headers in the required order, and an event for calls.
 */
#ifndef TESTS_TEST_EVENT_H
#define TESTS_TEST_EVENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/json.h"
#include "runtime/time.h"

enum {
	TEST_EVENT_MS = 10000,
};

static struct rt_ctx test_event;

/* cmocka's setup: a fresh event before each test, also in *state; JSON is made in its memory.
 */
static inline int test_event_begin(void **state)
{
	memset(&test_event, 0, sizeof test_event);
	test_event.arena = rt_arena_new();
	rt_json_use_arena(test_event.arena);
	*state = &test_event;
	test_event.function = "test";
	test_event.request_id = "test";
	test_event.deadline_ms = rt_monotonic_ms() + TEST_EVENT_MS;
	return 0;
}

static inline int test_event_end(void **state)
{
	(void)state;
	rt_json_use_arena(NULL);
	rt_arena_free(test_event.arena);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_event_begin, test_event_end)

#endif
