/* The JSON check that builds no values: it never accepts a text that jansson refuses. */
#include <string.h>

#include "runtime/event/event-http.h"
#include "runtime/event/event.h"
#include "runtime/json-check.h"
#include "tests/support/test-event.h"

/* An HTTP event that is valid except for the member x, which no function reads. */
static const char *event_with(struct rt_ctx *ctx, const char *x)
{
	return rt_printf(ctx,
		"{\"version\":\"2.0\",\"rawPath\":\"/\",\"x\":%s,\"requestContext\":{\"http\":{"
		"\"method\":\"GET\",\"path\":\"/\"}}}",
		x);
}

static void invalid_json_in_an_unused_member_makes_the_event_invalid(void **state)
{
	static const char *const values[] = {"*", "01", "-", "-01", "1.", ".5", "1e", "0x1", "+1",
		"tru", "nul", "True", "NaN", "'a'", "", "[1,]", "[,1]", "[1 2]", "[", "]", "[}",
		"{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}", "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}",
		"{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "[{\"b\":[{\"c\":1,\"c\":1}]}]",
		"1,\"version\":1", "1,\"\\u0078\":1", "\"\x80\"", "\"\xff\"", "\"\xc3\"",
		"\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "{\"\xff\":1}",
		"\"\n\"", "\"\t\"", "\"\x01\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
		"\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"", "\"\\u0000\"",
		"\"\\", "1}", "1]", "99999999999999999999", "1e999", "\"a\"\"b\"", "/**/1"};
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const char *event = event_with(ctx, values[i]);
		struct rt_request req;

		rt_fail_clear(ctx);
		if (rt_event_http(ctx, event, strlen(event), &req) != RT_BAD_INPUT)
			fail_msg("%s was executed", event);
		assert_string_equal(ctx->failure.code, "json-invalid");
	}
}

static void an_unused_member_may_be_any_json(void **state)
{
	static const char *const values[] = {"0", "-0", "-1", "123456789012345678",
		"9223372036854775807", "1.5", "1e5", "-0.0E-1", "true", "false", "null", "\"\"",
		"\"plain text of some length\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
		"\"\\u00e4\\ud83d\\ude00\\uD83D\\uDE00\"",
		"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"", "\"\x7f\"", "[]", "{}",
		" [ 1 , {\"a\" : [ ] } ]\t\r\n", "{\"a\":1,\"A\":2}", "{\"\\u0061\":1}", "{\"\":1}",
		"[{\"a\":1},{\"a\":1}]", "{\"a\":{\"a\":1}}"};
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const char *event = event_with(ctx, values[i]);
		struct rt_request req;

		if (rt_event_http(ctx, event, strlen(event), &req) != RT_OK)
			fail_msg("%s: %s", event, ctx->failure.detail);
	}
}

static char *nested(struct rt_ctx *ctx, size_t depth)
{
	char *text = rt_alloc(ctx, 2 * depth + 1);

	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	return text;
}

static void json_may_be_nested_32_levels_deep(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_true(rt_json_is_sound(nested(ctx, 32), 64));
	assert_false(rt_json_is_sound(nested(ctx, 33), 66));
	assert_false(rt_json_is_sound(nested(ctx, 32), 63));
}

/* An object with this many members of different names; if twice is set, the first name occurs again
 * at the end. */
static char *wide(struct rt_ctx *ctx, int count, bool twice)
{
	struct rt_buffer text;

	rt_buffer_init(&text, ctx, 1024 * 1024);
	rt_buffer_text(
		&text, "{\"rawPath\":\"/\",\"requestContext\":{\"http\":{\"method\":\"GET\"}}");
	for (int i = 0; i < count; i++)
		rt_buffer_text(&text, rt_printf(ctx, ",\"n%d\":%d", i, i));
	rt_buffer_text(&text, twice ? ",\"n0\":0}" : "}");
	return text.bytes;
}

static void a_repeated_name_in_an_object_of_many_members_is_found(void **state)
{
	static const int counts[] = {1, 50, 157, 158, 159, 160, 161, 5000};
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		const char *good = wide(ctx, counts[i], false);
		const char *bad = wide(ctx, counts[i], true);
		struct rt_request req;

		assert_int_equal(rt_event_http(ctx, good, strlen(good), &req), RT_OK);
		assert_int_equal(rt_event_http(ctx, bad, strlen(bad), &req), RT_BAD_INPUT);
	}
}

/* The quick check must suffice for events of API gateways, because the full parser takes several
 * times as long. */
static void events_of_a_gateway_pass_the_quick_check(void **state)
{
	static const char event[] =
		"{\"version\":\"2.0\",\"routeKey\":\"GET /a/{id}\",\"rawPath\":\"/a/b\","
		"\"rawQueryString\":\"\",\"headers\":{\"host\":\"127.0.0.1:8080\","
		"\"user-agent\":\"M\xc3\xbcller/1.0 (\\\"x\\\") \\u00e4\",\"accept\":\"*/*\"},"
		"\"requestContext\":{\"accountId\":\"000000000000\",\"http\":{\"method\":\"GET\","
		"\"path\":\"/a/b\",\"sourceIp\":\"127.0.0.1\"},\"timeEpoch\":1795174820000},"
		"\"isBase64Encoded\":false}\n";

	(void)state;
	assert_true(rt_json_is_sound(event, sizeof event - 1));
	for (size_t length = 0; length < sizeof event - 2; length++)
		assert_false(rt_json_is_sound(event, length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(invalid_json_in_an_unused_member_makes_the_event_invalid),
		TEST(an_unused_member_may_be_any_json),
		TEST(json_may_be_nested_32_levels_deep),
		TEST(a_repeated_name_in_an_object_of_many_members_is_found),
		TEST(events_of_a_gateway_pass_the_quick_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
