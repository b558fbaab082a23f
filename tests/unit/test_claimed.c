/* Rows that a job claims together: their memory, and the report when one of them fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions/lib/claimed.h"

struct group {
	struct eds_claimed claimed;
	const char *name;
};

static struct rt_ctx event;
static struct eds_claimed_pool pool;

static int set_up(void **state)
{
	(void)state;
	event = (struct rt_ctx){.arena = rt_arena_new(), .request_id = "r-1"};
	pool = (struct eds_claimed_pool){.ctx = &event, .bytes = sizeof(struct group)};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(event.arena);
	return 0;
}

static struct group *claim(size_t rows)
{
	struct group *group = eds_claimed_take(&pool);

	group->claimed.unwritten = rows;
	group->name = rt_strdup(&group->claimed.ctx, "a.example");
	return group;
}

static void memory_of_a_claim_stays_until_its_last_row_is_written(void **state)
{
	struct group *first = claim(2);
	struct group *second = claim(1);

	(void)state;
	assert_ptr_not_equal(first, second);
	eds_claimed_written(&first->claimed);
	assert_string_equal(first->name, "a.example");
	assert_ptr_not_equal(claim(1), first);
	eds_claimed_written(&first->claimed);
	assert_ptr_equal(claim(1), first);
}

static void a_claim_that_found_nothing_serves_the_next(void **state)
{
	struct group *empty = eds_claimed_take(&pool);

	(void)state;
	assert_string_equal(empty->claimed.ctx.request_id, "r-1");
	eds_claimed_give_back(&empty->claimed);
	assert_ptr_equal(eds_claimed_take(&pool), empty);
}

static void a_failure_within_a_claim_is_still_known_after_the_claims_memory_is_freed(void **state)
{
	struct group *group = claim(1);
	struct rt_ctx *own = &group->claimed.ctx;
	rt_status status = rt_fail(
		own, RT_TEMPORARY, "store-unavailable", "no answer from %s", "db-1");

	(void)state;
	rt_fail_field(own, "name", "is not %s", "known");
	assert_int_equal(rt_ctx_join(&event, own, status), RT_TEMPORARY);
	eds_claimed_written(&group->claimed);
	rt_strdup(&group->claimed.ctx, "something else altogether, over what was there");
	assert_int_equal(event.failure.category, RT_TEMPORARY);
	assert_string_equal(event.failure.code, "store-unavailable");
	assert_string_equal(event.failure.detail, "no answer from db-1");
	assert_string_equal(event.failure.fields[0].detail, "is not known");
}

static void the_first_failure_of_an_event_is_the_one_that_is_kept(void **state)
{
	struct group *group = claim(1);
	struct rt_ctx *own = &group->claimed.ctx;

	(void)state;
	assert_int_equal(rt_ctx_join(&event, own, RT_OK), RT_OK);
	assert_int_equal(event.failure.category, RT_OK);
	rt_fail_keep(&event, RT_CONFLICT, "first", "the first");
	rt_fail_keep(own, RT_INTERNAL, "second", "the second");
	assert_int_equal(rt_ctx_join(&event, own, RT_INTERNAL), RT_INTERNAL);
	assert_string_equal(event.failure.code, "first");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			memory_of_a_claim_stays_until_its_last_row_is_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_claim_that_found_nothing_serves_the_next, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_failure_within_a_claim_is_still_known_after_the_claims_memory_is_freed,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_first_failure_of_an_event_is_the_one_that_is_kept, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
