/* What a check of a selector leaves in the store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions/lib/selector/outcome.h"
#include "runtime/json.h"

static struct rt_ctx ctx;

static int begin(void **state)
{
	(void)state;
	ctx.arena = rt_arena_new();
	rt_json_use_arena(ctx.arena);
	return 0;
}

static int end(void **state)
{
	(void)state;
	rt_json_use_arena(NULL);
	rt_arena_free(ctx.arena);
	return 0;
}

static void a_changed_selector_is_written_with_all_that_was_found(void **state)
{
	struct eds_selector_due due = {.domain_id = "1",
		.name = "s1",
		.domain = "example.com",
		.state = "valid",
		.digest = 5,
		.record_digest = 5,
		.key_digest = 8,
		.key_hash = "88"};
	const struct eds_dkim_check check = {.state = EDS_SELECTOR_VALID,
		.digest = 6,
		.key_digest = 7,
		.key_hash = "77",
		.record = "v=DKIM1; p=k",
		.key_type = "rsa",
		.key_bits = 2048,
		.alias = "s1.sender.example",
		.wildcard = true,
		.checked_at_ms = 3,
		.probed_at_ms = 2};

	(void)state;
	eds_outcome_settle(&ctx, &due, &check);
	assert_int_equal(due.outcome, EDS_DUE_CHANGED);
	assert_string_equal(due.check->state, "valid");
	assert_string_equal(due.check->record, "v=DKIM1; p=k");
	assert_string_equal(due.check->key_hash, "77");
	assert_int_equal(due.check->key_digest, 7);
	assert_int_equal(due.check->digest, 6);
	assert_string_equal(due.check->key_type, "rsa");
	assert_int_equal(due.check->key_bits, 2048);
	assert_string_equal(due.check->alias, "s1.sender.example");
	assert_string_equal(due.check->errors, "[]");
	assert_string_equal(due.check->warnings, "[]");
	assert_true(due.check->wildcard);
	assert_true(due.check->key_changed);
	assert_int_equal(due.check->checked_at_ms, 3);
	assert_int_equal(due.check->probed_at_ms, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_selector_is_written_with_all_that_was_found),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
