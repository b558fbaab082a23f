/* The buffer of the hosts: what it holds, and when it says that something did not fit. */
#include "runtime/host/bytes.h"
#include "tests/support/test-event.h"

enum { FORMATTED = 1024 };

static const char *repeated(char octet, size_t count)
{
	char *text = rt_alloc(&test_event, count + 1);

	memset(text, octet, count);
	return text;
}

static void a_formatted_text_is_added_whole_or_not_at_all(void **state)
{
	struct bytes bytes;

	(void)state;
	bytes_init(&bytes, 4096);
	bytes_format(&bytes, "%s", repeated('a', FORMATTED - 1));
	assert_false(bytes.overflow);
	assert_int_equal(bytes.length, FORMATTED - 1);
	bytes_format(&bytes, "%s", repeated('b', FORMATTED));
	assert_true(bytes.overflow);
	assert_int_equal(bytes.length, FORMATTED - 1);
	bytes_done(&bytes);
}

static void it_is_full_at_its_maximum_and_keeps_what_came_before(void **state)
{
	struct bytes bytes;

	(void)state;
	bytes_init(&bytes, 3000);
	bytes_add(&bytes, repeated('a', 2999), 2999);
	bytes_text(&bytes, "b");
	assert_false(bytes.overflow);
	bytes_text(&bytes, "");
	assert_false(bytes.overflow);
	bytes_text(&bytes, "c");
	assert_true(bytes.overflow);
	assert_int_equal(bytes.length, 3000);
	assert_memory_equal(bytes.data + 2997, "aab", 3);
	bytes_clear(&bytes);
	assert_false(bytes.overflow);
	bytes_number(&bytes, INT64_MIN);
	assert_int_equal(bytes.length, 20);
	assert_memory_equal(bytes.data, "-9223372036854775808", 20);
	bytes_done(&bytes);
}

static void after_something_that_did_not_fit_nothing_is_added(void **state)
{
	struct bytes bytes;

	(void)state;
	bytes_init(&bytes, 10);
	bytes_text(&bytes, "12345678");
	bytes_text(&bytes, "abc");
	bytes_text(&bytes, "9");
	assert_true(bytes.overflow);
	assert_int_equal(bytes.length, 8);
	assert_null(bytes_room(&bytes, 1));
	bytes_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_formatted_text_is_added_whole_or_not_at_all),
		TEST(it_is_full_at_its_maximum_and_keeps_what_came_before),
		TEST(after_something_that_did_not_fit_nothing_is_added),
	};

	return cmocka_run_group_tests_name("host-bytes", tests, NULL, NULL);
}
