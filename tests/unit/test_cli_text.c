/* Untrusted text, made safe for a terminal. */
#include <jansson.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "local/eds/text.h"

enum {
	ROUNDS = 20000,
	TEXT_MAX = 24,
};

static struct rt_ctx *context(void)
{
	static struct rt_ctx ctx;

	if (ctx.arena == NULL)
		ctx.arena = rt_arena_new();
	rt_arena_reset(ctx.arena);
	return &ctx;
}

static const char *clean(const char *text)
{
	return cli_clean(context(), text, strlen(text), CLI_ONE_LINE);
}

static void plain_text_stays_unchanged(void **state)
{
	(void)state;
	assert_string_equal(clean("v=spf1 -all"), "v=spf1 -all");
	assert_string_equal(clean("b\303\274cher \346\227\245"), "b\303\274cher \346\227\245");
}

#define REPLACED "\357\277\275"

static void control_characters_become_replacement_characters(void **state)
{
	static const char *const cases[][2] = {
		{"\033[2J", REPLACED "[2J"}, /* clears the screen */
		{"\033]0;title\007", REPLACED "]0;title" REPLACED},
		{"a\302\2332J", "a" REPLACED "2J"}, /* CSI as a single character of C1 */
		{"\177\010", REPLACED REPLACED},
		{"moc.\342\200\256evil", "moc." REPLACED "evil"}, /* right to left */
		{"\342\201\246x", REPLACED "x"},
		{"\2332J", REPLACED "2J"}, /* not UTF-8 */
		{"\303", REPLACED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(clean(cases[i][0]), cases[i][1]);
}

static void several_lines_become_one_where_a_single_line_is_asked_for(void **state)
{
	(void)state;
	assert_string_equal(clean("a\r\nb\tc"), "a  b c");
	assert_string_equal(cli_clean(context(), "a\r\nb", 4, CLI_MANY_LINES), "a \nb");
}

static bool is_quiet(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

static void no_random_octets_produce_a_control_character(void **state)
{
	char text[TEXT_MAX];

	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		size_t length = (size_t)rand() % TEXT_MAX;
		const char *out;

		for (size_t i = 0; i < length; i++)
			text[i] = (char)rand();
		out = cli_clean(context(), text, length, CLI_ONE_LINE);
		assert_true(is_quiet(out));
		assert_null(strstr(out, "\xc2\x9b"));
	}
}

static void control_characters_in_json_become_escapes_and_its_meaning_stays(void **state)
{
	static const char json[] =
		"{\"a\": \"\302\2332J\177 \342\200\256 \303\274\",\r\n\t\"b\": 1}";
	const char *out = cli_clean_json(context(), json, strlen(json));
	json_t *before = json_loads(json, 0, NULL);
	json_t *after = json_loads(out, 0, NULL);

	(void)state;
	assert_string_equal(out, "{\"a\": \"\\u009b2J\\u007f \\u202e \303\274\",\n\t\"b\": 1}");
	assert_true(json_equal(before, after));
	json_decref(before);
	json_decref(after);
}

static void columns_are_counted_as_a_terminal_shows_them(void **state)
{
	(void)state;
	assert_int_equal(cli_columns("abc"), 3);
	assert_int_equal(cli_columns("b\303\274c"), 3);
	assert_int_equal(cli_columns("\346\227\245"), 2); /* a character two columns wide */
	assert_int_equal(cli_columns("e\314\201"), 1);    /* an e with a combining accent */
	assert_int_equal(cli_columns("\200\377"), 2);     /* no UTF-8 */
}

static void text_that_is_cut_says_so(void **state)
{
	(void)state;
	assert_string_equal(cli_cut(context(), "abcdef", 6), "abcdef");
	assert_string_equal(cli_cut(context(), "abcdefg", 6), "abcde\xe2\x80\xa6");
	assert_string_equal(cli_cut(context(), "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5", 4),
		"\xe6\x97\xa5\xe2\x80\xa6");
}

static const char *wrapped(const char *text, size_t indent, size_t width)
{
	struct rt_buffer out;

	rt_buffer_init(&out, context(), 4096);
	cli_wrap(&out, text, indent, width);
	return out.bytes;
}

static void sentences_are_broken_between_words(void **state)
{
	(void)state;
	assert_string_equal(wrapped("one two three", 2, 9), "  one two\n  three\n");
	assert_string_equal(wrapped("one  two", 0, 80), "one two\n");
	assert_string_equal(wrapped("a-word-that-is-longer than that", 0, 8),
		"a-word-that-is-longer\nthan\nthat\n");
	assert_string_equal(wrapped("", 2, 8), "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays_unchanged),
		cmocka_unit_test(control_characters_become_replacement_characters),
		cmocka_unit_test(several_lines_become_one_where_a_single_line_is_asked_for),
		cmocka_unit_test(no_random_octets_produce_a_control_character),
		cmocka_unit_test(control_characters_in_json_become_escapes_and_its_meaning_stays),
		cmocka_unit_test(columns_are_counted_as_a_terminal_shows_them),
		cmocka_unit_test(text_that_is_cut_says_so),
		cmocka_unit_test(sentences_are_broken_between_words),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
