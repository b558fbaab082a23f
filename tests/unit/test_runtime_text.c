/* Hexadecimal digits, percent-encoding and UTF-8, in the shared functions of the runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/text/ascii.h"
#include "runtime/text/hex.h"
#include "runtime/text/percent.h"
#include "runtime/text/utf8.h"
#include "tests/support/test-event.h"

static void digits_of_both_cases_have_a_value_and_no_other_octet_has(void **state)
{
	int found = 0;

	(void)state;
	assert_int_equal(rt_hex_value('0'), 0);
	assert_int_equal(rt_hex_value('9'), 9);
	assert_int_equal(rt_hex_value('a'), 10);
	assert_int_equal(rt_hex_value('F'), 15);
	for (int c = 0; c < 256; c++)
		found += rt_hex_value((char)c) >= 0;
	assert_int_equal(found, 22);
}

static void bytes_are_written_as_two_digits_each(void **state)
{
	char text[7] = "";

	(void)state;
	assert_ptr_equal(rt_hex_write(text, "\x00\x9f\xff", 3), text + 6);
	assert_string_equal(text, "009fff");
}

static void white_space_within_a_line_is_space_and_tab(void **state)
{
	(void)state;
	assert_true(rt_is_wsp(' ') && rt_is_wsp('\t'));
	assert_false(rt_is_wsp('\r') || rt_is_wsp('\n') || rt_is_wsp('\0'));
	assert_true(rt_is_space('\r') && rt_is_space('\n'));
	assert_false(rt_is_space('\v') || rt_is_space('\f') || rt_is_space('\xa0'));
}

static void only_ascii_letters_count_as_letters(void **state)
{
	(void)state;
	assert_true(rt_is_alpha('a') && rt_is_alpha('Z') && rt_is_alnum('7'));
	assert_false(rt_is_alpha('@') || rt_is_alpha('[') || rt_is_alpha('`') || rt_is_alpha('{'));
	assert_false(rt_is_alpha('\xe4'));
	assert_int_equal(rt_to_lower('Q'), 'q');
	assert_int_equal(rt_to_lower('\xc4'), '\xc4');
}

static void reserved_characters_are_escaped_unless_they_are_kept(void **state)
{
	char text[64] = "";

	(void)state;
	*percent_encode(text, "a-b_c.d~/e \xc3\xa4%", "") = '\0';
	assert_string_equal(text, "a-b_c.d~%2Fe%20%C3%A4%25");
	*percent_encode(text, "a/b c", "/") = '\0';
	assert_string_equal(text, "a/b%20c");
}

static const char *repaired(const char *text, size_t length)
{
	struct rt_buffer out;

	rt_buffer_init(&out, &test_event, 64);
	rt_utf8_add(&out, text, length);
	return out.bytes;
}

static void octets_that_are_not_utf8_become_the_replacement_character(void **state)
{
	(void)state;
	assert_string_equal(repaired("a\xc3\xa4", 3), "a\xc3\xa4");
	assert_string_equal(repaired("\xc3(", 2), "\xef\xbf\xbd(");
	assert_string_equal(repaired("a\0b", 3),
		"a\xef\xbf\xbd"
		"b");
	assert_true(rt_utf8_is_text("a\xc3\xa4", 3));
	assert_false(rt_utf8_is_text("a\0b", 3));
	assert_false(rt_utf8_is_text("\xed\xa0\x80", 3));
	assert_true(rt_utf8_is_text("", 0));
}

static void octets_that_are_no_text_are_seen_at_each_place_of_a_long_one(void **state)
{
	char text[] = "seventeen letters";

	(void)state;
	for (size_t i = 0; i < sizeof text - 1; i++) {
		char before = text[i];

		text[i] = '\0';
		assert_false(rt_utf8_is_text(text, sizeof text - 1));
		text[i] = '\xff';
		assert_false(rt_utf8_is_text(text, sizeof text - 1));
		text[i] = '\x7f';
		assert_true(rt_utf8_is_text(text, sizeof text - 1));
		text[i] = before;
	}
}

static void controls_and_marks_of_direction_are_harmful_and_letters_are_not(void **state)
{
	static const uint32_t harmful[] = {
		0, 0x1f, 0x7f, 0x80, 0x9f, 0x61c, 0x200e, 0x200f, 0x2028, 0x202e, 0x2066, 0x2069};
	static const uint32_t harmless[] = {
		' ', '~', 0xa0, 0xe4, 0x5d0, 0x200d, 0x2027, 0x202f, 0x2065, 0x206a, 0x1f600};

	(void)state;
	for (size_t i = 0; i < sizeof harmful / sizeof harmful[0]; i++)
		assert_true(rt_utf8_is_harmful(harmful[i]));
	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
		assert_false(rt_utf8_is_harmful(harmless[i]));
	assert_int_equal(rt_utf8_code("~", 1), '~');
	assert_int_equal(rt_utf8_code("\xc2\x9b", 2), 0x9b);
	assert_int_equal(rt_utf8_code("\xe2\x80\xae", 3), 0x202e);
	assert_int_equal(rt_utf8_code("\xf0\x9f\x98\x80", 4), 0x1f600);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_event_begin, test_event_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(octets_that_are_no_text_are_seen_at_each_place_of_a_long_one),
		TEST(digits_of_both_cases_have_a_value_and_no_other_octet_has),
		TEST(bytes_are_written_as_two_digits_each),
		TEST(white_space_within_a_line_is_space_and_tab),
		TEST(only_ascii_letters_count_as_letters),
		TEST(reserved_characters_are_escaped_unless_they_are_kept),
		TEST(octets_that_are_not_utf8_become_the_replacement_character),
		TEST(controls_and_marks_of_direction_are_harmful_and_letters_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
