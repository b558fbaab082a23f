/* Text that is written as a JSON string and read back by jansson. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/text/json-string.h"

enum {
	ROUNDS = 20000,
	TEXT_MAX = 40,
	LONG_TEXT = 5000, /* octets, more than are given room for the worst case */
};

static struct rt_ctx *context(void)
{
	static struct rt_ctx ctx;

	if (ctx.arena == NULL)
		ctx.arena = rt_arena_new();
	rt_arena_reset(ctx.arena);
	return &ctx;
}

static const char *written(const char *text, size_t length)
{
	struct rt_buffer out;

	rt_buffer_init(&out, context(), 1 << 16);
	rt_json_string_add(&out, text, length);
	assert_false(out.overflow);
	assert_int_equal(out.bytes[out.length], '\0');
	return out.bytes;
}

static void plain_text_is_written_in_quotes(void **state)
{
	(void)state;
	assert_string_equal(written("", 0), "\"\"");
	assert_string_equal(written("hello", 5), "\"hello\"");
}

static void quotes_backslashes_and_controls_are_escaped(void **state)
{
	(void)state;
	assert_string_equal(written("a\"b\\c", 5), "\"a\\\"b\\\\c\"");
	assert_string_equal(written("\r\n\t\x01\x1f", 5), "\"\\r\\n\\t\\u0001\\u001f\"");
	assert_string_equal(written("\b\f\x7f", 3), "\"\\b\\f\x7f\"");
}

/* NUL is not written as \u0000, because our parsers and PostgreSQL refuse that. */
static void nul_is_replaced(void **state)
{
	(void)state;
	assert_string_equal(written("a\0b", 3),
		"\"a\xef\xbf\xbd"
		"b\"");
}

static void text_in_other_scripts_stays_unchanged(void **state)
{
	(void)state;
	assert_string_equal(written("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9),
		"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

static void octets_that_are_not_utf8_are_replaced(void **state)
{
	(void)state;
	assert_string_equal(written("a\xff"
				    "b",
				    3),
		"\"a\xef\xbf\xbd"
		"b\"");
	assert_string_equal(written("\xc3", 1), "\"\xef\xbf\xbd\"");
	assert_string_equal(written("\xed\xa0\x80", 3), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void text_beyond_the_limit_is_left_out_entirely(void **state)
{
	struct rt_buffer out;

	(void)state;
	rt_buffer_init(&out, context(), 64);
	rt_json_string_add(
		&out, "0123456789012345678901234567890123456789012345678901234567890123", 64);
	assert_true(out.overflow);
	assert_int_equal(out.length, 0);
}

static void long_text_fits_into_exactly_the_octets_that_it_needs(void **state)
{
	static char text[LONG_TEXT];
	struct rt_buffer out;

	(void)state;
	for (size_t i = 0; i < LONG_TEXT; i++)
		text[i] = i % 11 == 0 ? '"' : 'a';
	rt_buffer_init(&out, context(), LONG_TEXT + LONG_TEXT / 11 + 1 + 2 + RT_JSON_ESCAPED_MAX);
	rt_json_string_add(&out, text, LONG_TEXT);
	assert_false(out.overflow);
	assert_int_equal(out.length, LONG_TEXT + LONG_TEXT / 11 + 1 + 2);
	assert_int_equal(out.length, rt_json_string_length(text, LONG_TEXT));
	assert_memory_equal(out.bytes, "\"\\\"aaaaaaaaaa\\\"aaaaaaaaaa", 25);
}

static size_t make_text(char text[TEXT_MAX])
{
	static const char odd[] = "\"\\\n\t\r\x01\x7f\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
	size_t length = (size_t)rand() % TEXT_MAX;

	for (size_t i = 0; i < length; i++) {
		int kind = rand() % 4;

		text[i] = (char)(kind == 0  ? 1 + rand() % 255
				: kind == 1 ? odd[(size_t)rand() % (sizeof odd - 1)]
					    : 'a' + rand() % 26);
	}
	return length;
}

static void every_written_string_is_read_back_unchanged(void **state)
{
	char text[TEXT_MAX];

	(void)state;
	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		size_t length = make_text(text);
		json_t *value = json_loads(
			written(text, length), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		/* the expected text; NULL when the input is not UTF-8 */
		json_t *same = json_stringn(text, length);

		assert_non_null(value);
		if (same != NULL)
			assert_true(json_equal(value, same));
		json_decref(value);
		json_decref(same);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_written_in_quotes),
		cmocka_unit_test(quotes_backslashes_and_controls_are_escaped),
		cmocka_unit_test(nul_is_replaced),
		cmocka_unit_test(text_in_other_scripts_stays_unchanged),
		cmocka_unit_test(octets_that_are_not_utf8_are_replaced),
		cmocka_unit_test(text_beyond_the_limit_is_left_out_entirely),
		cmocka_unit_test(long_text_fits_into_exactly_the_octets_that_it_needs),
		cmocka_unit_test(every_written_string_is_read_back_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
