/* Transfer encodings of parts: every digit, and every octet that is none. */
#include "functions/lib/shape/part-decode.h"
#include "runtime/text/base64.h"
#include "tests/support/test-event.h"

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void each_digit_of_base64_has_its_value(void **state)
{
	char out[48];
	size_t length;
	const char *expected = rt_base64_decode(*state, digits64, 64, &length);

	assert_int_equal(length, 48);
	assert_int_equal(eds_part_decode(EDS_PART_BASE64, digits64, 64, out, sizeof out), 48);
	assert_memory_equal(out, expected, 48);
	assert_memory_equal(out, "\x00\x10\x83\x10\x51\x87", 6);
}

static void octets_that_are_no_digits_of_base64_are_skipped(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		char text[] = {'Q', 'U', (char)c, 'J', 'D'};
		bool is_digit = c != 0 && strchr(digits64, c) != NULL;
		char out[3] = "";

		assert_int_equal(
			eds_part_decode(EDS_PART_BASE64, text, sizeof text, out, sizeof out), 3);
		if (!is_digit)
			assert_memory_equal(out, "ABC", 3);
	}
}

static void digits_of_base64_are_counted_wherever_they_stand(void **state)
{
	char text[200];

	(void)state;
	for (size_t length = 0; length <= sizeof text; length++) {
		memset(text, 'z', sizeof text);
		assert_int_equal(
			eds_part_decode(EDS_PART_BASE64, text, length, NULL, 0), length * 6 / 8);
		if (length == 0)
			continue;
		text[length - 1] = '-';
		assert_int_equal(eds_part_decode(EDS_PART_BASE64, text, length, NULL, 0),
			(length - 1) * 6 / 8);
	}
}

static void each_octet_can_be_quoted(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		for (int upper = 0; upper < 2; upper++) {
			char text[8];
			char out[3];

			snprintf(text, sizeof text, upper ? "a=%02Xb" : "a=%02xb", c);
			assert_int_equal(
				eds_part_decode(EDS_PART_QUOTED_PRINTABLE, text, 5, out, 3), 3);
			assert_int_equal((unsigned char)out[1], c);
			assert_int_equal(out[0], 'a');
			assert_int_equal(out[2], 'b');
		}
	}
}

static void what_is_not_quoted_as_it_should_be_stays(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		char text[] = {'=', (char)c, 'A', '=', 'A', (char)c};
		char out[sizeof text];
		size_t length = eds_part_decode(
			EDS_PART_QUOTED_PRINTABLE, text, sizeof text, out, sizeof out);

		if (eds_part_hex((char)c) >= 0) {
			assert_int_equal(length, 2);
		} else if (c == '\n') {
			assert_int_equal(length, 4);
			assert_memory_equal(out, "A=A\n", 4);
		} else {
			assert_int_equal(length, sizeof text);
			assert_memory_equal(out, text, sizeof text);
		}
	}
}

static void no_more_is_written_than_there_is_room_for_and_all_is_counted(void **state)
{
	static const struct {
		enum eds_part_encoding encoding;
		const char *text;
	} cases[] = {{EDS_PART_BASE64, "YWJjZGVm"}, {EDS_PART_QUOTED_PRINTABLE, "a=62cd=\r\ne=66"},
		{EDS_PART_IDENTITY, "abcdef"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (size_t room = 0; room <= 8; room++) {
			char *out = malloc(room + 1);
			size_t written = room < 6 ? room : 6;

			assert_non_null(out);
			out[written] = '!';
			assert_int_equal(eds_part_decode(cases[i].encoding, cases[i].text,
						 strlen(cases[i].text), out, room),
				6);
			assert_memory_equal(out, "abcdef", written);
			assert_int_equal(out[written], '!');
			free(out);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_digit_of_base64_has_its_value),
		TEST(octets_that_are_no_digits_of_base64_are_skipped),
		TEST(digits_of_base64_are_counted_wherever_they_stand),
		TEST(each_octet_can_be_quoted),
		TEST(what_is_not_quoted_as_it_should_be_stays),
		TEST(no_more_is_written_than_there_is_room_for_and_all_is_counted),
	};

	return cmocka_run_group_tests_name("part-decode", tests, NULL, NULL);
}
