/* Identifiers that sort by the time of their creation (RFC 9562 section 5.7). */
#include <stdlib.h>
#include <string.h>

#include "runtime/time.h"
#include "runtime/uuid.h"
#include "tests/support/test-event.h"

static void a_uuid_is_of_version_7_and_sorts_by_time(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *first = rt_uuid(ctx);

	assert_int_equal(strlen(first), 36);
	assert_int_equal(first[14], '7');
	assert_non_null(strchr("89ab", first[19]));
	assert_string_not_equal(first, rt_uuid(ctx));
	while (rt_wall_ms() % 2 == 0)
		;
	assert_true(strncmp(first, rt_uuid(ctx), 13) <= 0);
}

/* Many of these UUIDs are made within one millisecond. */
static void uuids_sort_in_the_order_of_their_creation(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *before = rt_uuid(ctx);

	for (int i = 0; i < 10000; i++) {
		const char *next = rt_uuid(ctx);

		if (strncmp(before, next, 18) >= 0)
			fail_msg("%s was made before %s", before, next);
		assert_int_equal(next[14], '7');
		assert_non_null(strchr("89ab", next[19]));
		before = next;
	}
}

static void the_time_of_a_uuid_is_that_of_its_creation(void **state)
{
	struct rt_ctx *ctx = *state;
	int64_t before_ms = rt_wall_ms();
	const char *uuid = rt_uuid(ctx);
	char digits[13] = {0};
	int64_t at_ms;

	memcpy(digits, uuid, 8);
	memcpy(digits + 8, uuid + 9, 4);
	at_ms = strtoll(digits, NULL, 16);
	/* the many UUIDs of the previous test may have used up the times of some future
	 * milliseconds */
	assert_in_range(at_ms, before_ms, rt_wall_ms() + 100);
}

static void sixty_two_bits_of_a_uuid_are_random(void **state)
{
	struct rt_ctx *ctx = *state;
	uint64_t ones = 0;
	uint64_t zeros = 0;

	for (int i = 0; i < 1000; i++) {
		const char *uuid = rt_uuid(ctx);
		char digits[17] = {0};
		uint64_t bits;

		memcpy(digits, uuid + 19, 4);
		memcpy(digits + 4, uuid + 24, 12);
		bits = strtoull(digits, NULL, 16);
		ones |= bits;
		zeros |= ~bits;
	}
	assert_int_equal(ones & zeros, UINT64_C(0x3fffffffffffffff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_uuid_is_of_version_7_and_sorts_by_time),
		TEST(uuids_sort_in_the_order_of_their_creation),
		TEST(the_time_of_a_uuid_is_that_of_its_creation),
		TEST(sixty_two_bits_of_a_uuid_are_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
