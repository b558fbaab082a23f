/* Buffers and arrays that grow, in an event's memory and on the heap. */
#include <inttypes.h>

#include "runtime/buffer.h"
#include "tests/support/test-event.h"

static void a_buffer_holds_up_to_its_cap_and_says_when_something_did_not_fit(void **state)
{
	struct rt_buffer buffer;

	rt_buffer_init(&buffer, *state, 600);
	for (int i = 0; i < 300; i++)
		rt_buffer_text(&buffer, "ab");
	assert_int_equal(buffer.length, 600);
	assert_false(buffer.overflow);
	rt_buffer_text(&buffer, "c");
	assert_true(buffer.overflow);
	assert_int_equal(buffer.length, 600);
	assert_int_equal(strlen(buffer.bytes), 600);
}

static void a_buffer_takes_whole_numbers_of_every_length(void **state)
{
	static const int64_t numbers[] = {0, 7, -7, 10, 1234567890, INT64_MAX, INT64_MIN};
	char text[32];
	struct rt_buffer buffer;

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		rt_buffer_init(&buffer, *state, 20);
		rt_buffer_integer(&buffer, numbers[i]);
		snprintf(text, sizeof text, "%" PRId64, numbers[i]);
		assert_string_equal(buffer.bytes, text);
		assert_false(buffer.overflow);
	}
}

static void large_buffers_that_grow_in_turns_keep_their_content(void **state)
{
	struct rt_buffer evens;
	struct rt_buffer odds;
	char *between = NULL;

	rt_buffer_init(&evens, *state, 1000000);
	rt_buffer_init(&odds, *state, 1000000);
	for (int i = 0; i < 100000; i += 2) {
		rt_buffer_format(&evens, "%06d\n", i);
		rt_buffer_format(&odds, "%06d\n", i + 1);
		if (i % 1000 == 0)
			between = rt_printf(*state, "%d", i);
	}
	assert_int_equal(evens.length, 350000);
	assert_int_equal(odds.length, 350000);
	for (int i = 0; i < 100000; i += 2) {
		assert_int_equal(atoi(evens.bytes + i / 2 * 7), i);
		assert_int_equal(atoi(odds.bytes + i / 2 * 7), i + 1);
	}
	assert_string_equal(between, "99000");
}

static void text_that_does_not_fit_is_left_out_with_all_that_follows(void **state)
{
	struct rt_buffer buffer;

	rt_buffer_init(&buffer, *state, 4);
	rt_buffer_text(&buffer, "abc");
	rt_buffer_text(&buffer, "de");
	rt_buffer_text(&buffer, "f");
	assert_true(buffer.overflow);
	assert_string_equal(buffer.bytes, "abc");
}

static void a_buffer_on_the_heap_takes_memory_when_something_is_added(void **state)
{
	struct rt_buffer buffer;

	(void)state;
	rt_buffer_init_heap(&buffer, 5000);
	assert_null(buffer.bytes);
	for (int i = 0; i < 2500; i++)
		rt_buffer_text(&buffer, "ab");
	assert_false(buffer.overflow);
	assert_int_equal(strlen(buffer.bytes), 5000);
	rt_buffer_format(&buffer, "%d", 1);
	assert_true(buffer.overflow);
	assert_int_equal(buffer.length, 5000);
	rt_buffer_done(&buffer);
	assert_null(buffer.bytes);
}

static void a_buffer_that_was_cleared_is_filled_again_in_the_same_memory(void **state)
{
	struct rt_buffer buffer;
	const char *memory;

	(void)state;
	rt_buffer_init_heap(&buffer, 4);
	rt_buffer_text(&buffer, "abc");
	rt_buffer_text(&buffer, "de");
	memory = buffer.bytes;
	rt_buffer_clear(&buffer);
	assert_false(buffer.overflow);
	assert_string_equal(buffer.bytes, "");
	rt_buffer_text(&buffer, "de");
	assert_string_equal(buffer.bytes, "de");
	assert_ptr_equal(buffer.bytes, memory);
	rt_buffer_done(&buffer);
}

static void an_array_grows_and_keeps_its_items(void **state)
{
	size_t room = 0;
	int *items = NULL;

	for (int i = 0; i < 1000; i++) {
		items = rt_grow(*state, items, (size_t)i, &room, sizeof *items);
		items[i] = i;
		assert_true(room > (size_t)i);
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_buffer_holds_up_to_its_cap_and_says_when_something_did_not_fit),
		TEST(a_buffer_takes_whole_numbers_of_every_length),
		TEST(large_buffers_that_grow_in_turns_keep_their_content),
		TEST(text_that_does_not_fit_is_left_out_with_all_that_follows),
		TEST(a_buffer_on_the_heap_takes_memory_when_something_is_added),
		TEST(a_buffer_that_was_cleared_is_filled_again_in_the_same_memory),
		TEST(an_array_grows_and_keeps_its_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
