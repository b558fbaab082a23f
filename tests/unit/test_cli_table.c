/* Tables that the command eds prints for people. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "local/eds/table.h"

static struct rt_ctx *context(void)
{
	static struct rt_ctx ctx;

	if (ctx.arena == NULL)
		ctx.arena = rt_arena_new();
	return &ctx;
}

static const char *const heads[] = {"DOMAIN", ">MAIL", "STATE", NULL};

static struct cli_table table;

static int new_table(void **state)
{
	(void)state;
	cli_table_init(&table, context(), heads);
	return 0;
}

static const char *written(void)
{
	struct rt_buffer out;

	rt_buffer_init(&out, context(), 1 << 20);
	cli_table_write(&table, &out);
	return out.bytes;
}

static void add(const char *domain, const char *mail, const char *state)
{
	cli_table_add(&table, (const char *[]){domain, mail, state});
}

static void columns_are_aligned_with_their_heads_and_numbers_to_the_right(void **state)
{
	(void)state;
	add("example.com", "7", "ok");
	add("a.example", "12345", "warning");
	assert_string_equal(written(),
		"DOMAIN        MAIL  STATE\n"
		"example.com      7  ok\n"
		"a.example    12345  warning\n");
}

static void wide_characters_count_as_two_columns(void **state)
{
	(void)state;
	add("\xe6\x97\xa5\xe6\x9c\xac", "1", "ok");
	add("abcdefgh", "1", "ok");
	assert_string_equal(written(),
		"DOMAIN    MAIL  STATE\n"
		"\xe6\x97\xa5\xe6\x9c\xac         1  ok\n"
		"abcdefgh     1  ok\n");
}

static void an_empty_cell_is_a_hyphen_and_a_leading_arrow_is_kept(void **state)
{
	(void)state;
	add(">x", "", "");
	assert_string_equal(written(), "DOMAIN  MAIL  STATE\n>x         -  -\n");
}

static void a_long_cell_is_cut(void **state)
{
	char text[1000];
	const char *line;

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	add(text, "1", "ok");
	line = strchr(written(), '\n') + 1;
	assert_int_equal(strspn(line, "x"), 59);
	assert_memory_equal(line + 59, "\xe2\x80\xa6", 3);
}

static void a_table_without_rows_says_so(void **state)
{
	(void)state;
	assert_string_equal(written(), "none\n");
}

static void a_table_of_many_rows_is_written_whole(void **state)
{
	size_t lines = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		add("example.com", "1", "ok");
	for (const char *at = written(); *at != '\0'; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			columns_are_aligned_with_their_heads_and_numbers_to_the_right, new_table),
		cmocka_unit_test_setup(wide_characters_count_as_two_columns, new_table),
		cmocka_unit_test_setup(
			an_empty_cell_is_a_hyphen_and_a_leading_arrow_is_kept, new_table),
		cmocka_unit_test_setup(a_long_cell_is_cut, new_table),
		cmocka_unit_test_setup(a_table_without_rows_says_so, new_table),
		cmocka_unit_test_setup(a_table_of_many_rows_is_written_whole, new_table),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
