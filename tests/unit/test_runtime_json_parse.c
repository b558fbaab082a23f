/* JSON is read as jansson's own reader, the independent one, reads it strictly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>
#include <string.h>

#include "runtime/json.h"

static void check(struct rt_ctx *ctx, const char *text, size_t length)
{
	json_t *expected = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
	json_t *value;
	rt_status status = rt_json_parse(ctx, text, length, &value);

	if ((status == RT_OK) != (expected != NULL))
		fail_msg("%.*s: %s", (int)length, text, ctx->failure.detail);
	if (status == RT_OK && !json_equal(value, expected))
		fail_msg("%.*s is another value", (int)length, text);
	json_decref(value);
	json_decref(expected);
	rt_fail_clear(ctx);
}

static const char *const texts[] = {
	"{\"a\":1,\"b\":[true,false,null,-0,0.5,1e3,1E-2,-1.25e+2],\"c\":{\"\":\"\"}}",
	" \t\r\n[ ]\n",
	"{ }",
	"\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00z\"",
	"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
	"9223372036854775807",
	"-9223372036854775808",
	"1e-400",
	/* refused */
	"9223372036854775808",
	"1e400",
	"",
	" ",
	"{",
	"[1,]",
	"[1 2]",
	"{\"a\":1,}",
	"{\"a\" 1}",
	"{a:1}",
	"{\"a\":1,\"a\":2}",
	"{\"a\":1,\"\\u0061\":2}",
	"01",
	"-",
	"1.",
	".5",
	"1e",
	"+1",
	"tru",
	"truex",
	"[truefalse]",
	"nullnull",
	"\"a",
	"\"a\nb\"",
	"\"\\x\"",
	"\"\\u12\"",
	"\"\\u0000\"",
	"\"\\ud800\"",
	"\"\\ude00\\ud83d\"",
	"\"\xff\"",
	"\"\xc0\x80\"",
	"\"\xed\xa0\x80\"",
	"\"\\\xc3\xa4\"",
	"\xef\xbb\xbf{}",
	"[]]",
	"{}{}",
	"[}",
};

static void every_text_is_read_or_refused_as_by_jansson(void **state)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check(&ctx, texts[i], strlen(texts[i]));
	check(&ctx, "\"a\0b\"", 5);
	rt_arena_free(ctx.arena);
}

static void every_beginning_of_a_text_is_read_or_refused_as_by_jansson(void **state)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (size_t length = 0; length < strlen(texts[i]); length++)
			check(&ctx, texts[i], length);
	rt_arena_free(ctx.arena);
}

/* Jansson takes it for the end. */
static void a_nul_behind_a_value_is_refused(void **state)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	json_t *value;

	(void)state;
	assert_int_equal(rt_json_parse(&ctx, "1\0", 2, &value), RT_BAD_INPUT);
	rt_arena_free(ctx.arena);
}

static void a_refusal_says_where_and_why(void **state)
{
	static const char text[] = "{\n  \"a\": 1,\n  \"a\": 2\n}";
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	json_t *value;

	(void)state;
	assert_int_equal(rt_json_parse(&ctx, text, strlen(text), &value), RT_BAD_INPUT);
	assert_string_equal(ctx.failure.code, "json-invalid");
	assert_string_equal(ctx.failure.detail,
		"no valid JSON at line 3, column 6: an object has two members of one name");
	rt_arena_free(ctx.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_text_is_read_or_refused_as_by_jansson),
		cmocka_unit_test(every_beginning_of_a_text_is_read_or_refused_as_by_jansson),
		cmocka_unit_test(a_nul_behind_a_value_is_refused),
		cmocka_unit_test(a_refusal_says_where_and_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
