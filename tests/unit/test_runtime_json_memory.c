/* The memory in which JSON is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/json.h"
#include "tests/support/test-event.h"

static const json_t *made_apart;

static void make_for_event(json_t **kept)
{
	RT_JSON_MEMORY(&test_event);

	*kept = json_string("stays with the event");
}

static rt_status make_json(struct rt_ctx *ctx, void *arg)
{
	RT_JSON_MEMORY(ctx);

	made_apart = json_string("goes with the work");
	make_for_event(arg);
	return RT_CONFLICT;
}

static void json_of_a_side_task_is_freed_with_it_and_the_events_json_stays(void **state)
{
	json_t *kept = NULL;

	(void)state;
	assert_int_equal(rt_run_apart(&test_event, make_json, &kept), RT_CONFLICT);
	assert_non_null(made_apart);
	assert_string_equal(json_string_value(kept), "stays with the event");
	/* after the side task, JSON must be made in the event's memory again, because the memory of
	 * the task is freed */
	for (int i = 0; i < 1000; i++)
		assert_string_equal(
			json_string_value(json_string("made after it")), "made after it");
	assert_string_equal(json_string_value(kept), "stays with the event");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			json_of_a_side_task_is_freed_with_it_and_the_events_json_stays,
			test_event_begin, test_event_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
