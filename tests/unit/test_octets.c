/* Which of the 256 octets each reader takes. */
#include "functions/lib/mail/domain.h"
#include "functions/lib/shape/part-decode.h"
#include "runtime/event/trace.h"
#include "runtime/host/http/http-head-lines.h"
#include "runtime/host/http/http-host.h"
#include "runtime/text/hex.h"
#include "tests/support/test-event.h"

#define DIGITS "0123456789"
#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define LARGE "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Calls the reader with each octet, which it takes if it is one of the set. */
static void assert_takes(bool (*takes)(char), const char *set)
{
	for (int c = 0; c < 256; c++) {
		bool expected = c != 0 && strchr(set, c) != NULL;

		if (takes((char)c) != expected)
			fail_msg("the octet %d is %s", c, expected ? "refused" : "taken");
	}
}

static bool is_in_token(char c)
{
	return http_is_token((const char[]){'a', c}, 2);
}

static void a_token_of_http_has_letters_digits_and_fifteen_signs(void **state)
{
	(void)state;
	assert_takes(is_in_token, DIGITS SMALL LARGE "!#$%&'*+-.^_`|~");
	assert_false(http_is_token("", 0));
}

static void a_field_of_http_has_no_control_characters_but_tabs(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++)
		for (size_t at = 0; at < 20; at++) {
			char text[20];

			memset(text, 'a', sizeof text);
			text[at] = (char)c;
			assert_int_equal(http_is_field_text(text, sizeof text),
				(c >= 32 && c != 127) || c == 9);
		}
}

static bool is_in_host(char c)
{
	const char text[] = {'a', c, 'b'};
	const struct http_span host = {.text = text, .length = sizeof text};
	struct http_span name;

	return http_host_split(&host, &name);
}

static void a_host_has_letters_digits_hyphens_underscores_and_dots(void **state)
{
	(void)state;
	assert_takes(is_in_host, DIGITS SMALL LARGE "-_.");
}

static bool is_in_name(char c)
{
	const char name[] = {'a', c, 'a', '.', 'e', 'x', 'a', 'm', 'p', 'l', 'e'};

	return eds_domain_normalize(&test_event, name, sizeof name) != NULL;
}

static void a_domain_name_has_letters_digits_hyphens_underscores_and_dots(void **state)
{
	(void)state;
	assert_takes(is_in_name, DIGITS SMALL LARGE "-_.");
}

static bool is_in_trace(char c)
{
	char text[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
	struct rt_trace trace;

	text[10] = c;
	return rt_trace_read(text, sizeof text - 1, &trace);
}

static void a_trace_id_has_digits_and_the_small_letters_to_f(void **state)
{
	(void)state;
	assert_takes(is_in_trace, DIGITS "abcdef");
}

static void each_hexadecimal_digit_has_its_value_and_nothing_else_has_one(void **state)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	(void)state;
	for (int c = 0; c < 256; c++) {
		const char *at = c != 0 ? strchr(digits, c) : NULL;
		int value = at == NULL ? -1 : (int)(at - digits) - (at - digits > 15 ? 6 : 0);

		assert_int_equal(rt_hex_value((char)c), value);
		assert_int_equal(eds_part_hex((char)c), value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_token_of_http_has_letters_digits_and_fifteen_signs),
		TEST(a_field_of_http_has_no_control_characters_but_tabs),
		TEST(a_host_has_letters_digits_hyphens_underscores_and_dots),
		TEST(a_domain_name_has_letters_digits_hyphens_underscores_and_dots),
		TEST(a_trace_id_has_digits_and_the_small_letters_to_f),
		TEST(each_hexadecimal_digit_has_its_value_and_nothing_else_has_one),
	};

	return cmocka_run_group_tests_name("octets", tests, NULL, NULL);
}
