/* The last events and their answers, and which secrets are removed before they are shown. */
#include "runtime/host/gateway/recent.h"
#include "tests/support/test-event.h"

#define THIRTY "abcdefghijklmnopqrstuvwxyz2345"

static struct recent *recent;

static int begin(void **state)
{
	recent = recent_new();
	return test_event_begin(state);
}

static int end(void **state)
{
	recent_free(recent);
	return test_event_end(state);
}

#define RECENT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static uint64_t keep(const char *event)
{
	return recent_begin(recent, "f", event, strlen(event));
}

static void answered(uint64_t number, const char *answer)
{
	recent_end(recent, number, POOL_ANSWERED, answer, strlen(answer));
}

/* A member of what is shown of an event, as JSON; "gone" when the event is not shown. */
static const char *shown(const char *id, const char *member)
{
	struct rt_buffer out;
	json_t *value;

	rt_buffer_init(&out, &test_event, RECENT_TEXT_MAX);
	if (!recent_show(recent, id, &out))
		return "gone";
	value = json_loadb(out.bytes, out.length, JSON_ALLOW_NUL, NULL);
	assert_non_null(value);
	return json_dumps(json_object_get(value, member), JSON_COMPACT | JSON_ENCODE_ANY);
}

static json_t *listed(void)
{
	struct rt_buffer out;
	json_t *value;

	rt_buffer_init(&out, &test_event, RECENT_TEXT_MAX);
	recent_list(recent, &out);
	value = json_loadb(out.bytes, out.length, 0, NULL);
	assert_int_equal(json_object_size(value), 1);
	return json_object_get(value, "events");
}

static void events_are_listed_newest_first_with_their_outcome(void **state)
{
	static const char *const words[] = {"answered", "crashed", "timed-out", "busy"};
	static const enum pool_outcome outcomes[] = {
		POOL_ANSWERED, POOL_CRASHED, POOL_TIMED_OUT, POOL_BUSY};

	(void)state;
	assert_int_equal(json_array_size(listed()), 0);
	for (int i = 0; i < 4; i++)
		recent_end(recent, keep("{\"id\":\"x\"}"), outcomes[i], "{}", 2);
	keep("{}");
	assert_int_equal(json_array_size(listed()), 5);
	for (size_t i = 0; i < 5; i++) {
		const json_t *one = json_array_get(listed(), 4 - i);
		const char *at = rt_json_string(one, "receivedAt");
		int64_t at_ms;

		assert_int_equal(json_object_size(one), 6);
		assert_int_equal(json_integer_value(json_object_get(one, "number")), i + 1);
		assert_string_equal(rt_json_string(one, "function"), "f");
		assert_string_equal(rt_json_string(one, "outcome"), i < 4 ? words[i] : "under-way");
		assert_true(json_is_false(json_object_get(one, "again")));
		assert_true(rt_time_parse(at, &at_ms));
		assert_in_range(at_ms, rt_wall_ms() - 10000, rt_wall_ms());
	}
}

static void the_last_128_events_are_kept(void **state)
{
	(void)state;
	for (int i = 1; i <= 130; i++)
		assert_int_equal(keep(rt_printf(&test_event, "{\"id\":\"e%d\"}", i)), i);
	assert_int_equal(json_array_size(listed()), 128);
	assert_string_equal(rt_json_string(json_array_get(listed(), 0), "id"), "e130");
	assert_string_equal(rt_json_string(json_array_get(listed(), 127), "id"), "e3");
	assert_string_equal(shown("2", "id"), "gone");
	assert_string_equal(shown("e2", "id"), "gone");
	assert_string_equal(shown("3", "id"), "\"e3\"");
	assert_string_equal(shown("e130", "number"), "130");
	assert_string_equal(shown("131", "id"), "gone");
	answered(2, "{\"late\":1}"); /* of an event that was replaced */
	assert_string_equal(shown("130", "outcome"), "\"under-way\"");
	assert_string_equal(shown("130", "answer"), "null");
}

static void an_event_is_found_by_its_number_or_id(void **state)
{
	static const struct {
		const char *event;
		const char *id;
	} cases[] = {{"{\"requestContext\":{\"requestId\":\"r1\"},\"id\":\"x\"}", "\"r1\""},
		{"{\"Records\":[{\"ses\":{\"mail\":{\"messageId\":\"m1\"}}}],\"id\":\"x\"}",
			"\"m1\""},
		{"{\"id\":\"i1\"}", "\"i1\""}, {"{\"id\":7}", "null"}, {"{}", "null"},
		{"no JSON", "null"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *number = rt_printf(&test_event, "%d", (int)keep(cases[i].event));

		assert_string_equal(shown(number, "id"), cases[i].id);
	}
	assert_string_equal(shown("m1", "number"), "2");
	assert_string_equal(shown("6", "event"), "null");
	assert_string_equal(shown("0", "number"), "gone");
	assert_string_equal(shown("", "number"), "gone");
}

static void thirty_two_kibibytes_of_an_event_or_answer_are_kept(void **state)
{
	static char text[RECENT_BYTES_MAX + 1];
	uint64_t number;

	(void)state;
	memset(text, ' ', sizeof text);
	memcpy(text, "{\"id\":\"a\"}", 10);
	assert_int_equal(recent_begin(recent, "f", text, 32769), 0);
	number = recent_begin(recent, "f", text, 32768);
	assert_int_equal(number, 1);
	recent_end(recent, number, POOL_ANSWERED, text, 32769);
	assert_string_equal(shown("1", "event"), "{\"id\":\"a\"}");
	assert_string_equal(shown("1", "outcome"), "\"answered\"");
	assert_string_equal(shown("1", "answer"), "null");
	number = keep("{}");
	recent_end(recent, number, POOL_ANSWERED, text, 32768);
	assert_string_equal(shown("2", "answer"), "{\"id\":\"a\"}");
	recent_end(recent, 0, POOL_ANSWERED, "{}", 2);
}

static void secrets_are_removed_from_events_and_answers(void **state)
{
	static const struct {
		const char *given;
		const char *kept;
	} cases[] = {
		{"{\"a\":[1,true,null,\"x\",{}]}", "{\"a\":[1,true,null,\"x\",{}]}"},
		{"{\"headers\":{\"Authorization\":\"Bearer x\",\"cookie\":\"a=b\",\"Accept\":\"y\"}}",
			"{\"headers\":{\"Authorization\":\"removed\",\"cookie\":\"removed\",\"Accept\":\"y\"}}"},
		{"{\"proxy-authorization\":1,\"cookies\":[\"a\"],\"set-cookie\":\"a\",\"token\":{},"
		 "\"X-Api-Key\":\"k\"}",
			"{\"proxy-authorization\":\"removed\",\"cookies\":\"removed\",\"set-cookie\":\"removed\","
			"\"token\":\"removed\",\"X-Api-Key\":\"removed\"}"},
		{"{\"a\":\"use eds_" THIRTY " now\"}", "{\"a\":\"use eds_removed now\"}"},
		{"{\"a\":\"eds_abcdefghijklmnopqrstuvwxyz234\"}",
			"{\"a\":\"eds_abcdefghijklmnopqrstuvwxyz234\"}"},
		{"{\"a\":\"whsec_" THIRTY "+/=\"}", "{\"a\":\"whsec_removed\"}"},
		{"{\"a\":\"/off?key=" THIRTY "&b=1\"}", "{\"a\":\"/off?key=removed&b=1\"}"},
		{"{\"a\":\"key=" THIRTY " eds_" THIRTY " whsec_" THIRTY "\"}",
			"{\"a\":\"key=removed eds_removed whsec_removed\"}"},
		{"{\"a\":\"eds_short key=" THIRTY "\"}", "{\"a\":\"eds_short key=removed\"}"},
		{"{\"a\":[[\"eds_" THIRTY "\"]]}", "{\"a\":[[\"eds_removed\"]]}"},
		{"{\"query\":{\"key\":\"" THIRTY "\",\"keys\":\"" THIRTY "\"}}",
			"{\"query\":{\"key\":\"removed\",\"keys\":\"" THIRTY "\"}}"},
		{"{\"key\":\"abcdefghijklmnopqrstuvwxyz234\"}",
			"{\"key\":\"abcdefghijklmnopqrstuvwxyz234\"}"},
		{"{\"key\":\"" THIRTY "A\"}", "{\"key\":\"" THIRTY "A\"}"},
		{"{\"key\":7}", "{\"key\":7}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t number = keep(cases[i].given);
		const char *id = rt_printf(&test_event, "%d", (int)number);

		answered(number, cases[i].given);
		assert_string_equal(shown(id, "event"), cases[i].kept);
		assert_string_equal(shown(id, "answer"), cases[i].kept);
	}
}

static void a_body_beside_its_answer_is_shown_within_it(void **state)
{
	static const char binary[] = "{\"statusCode\":200}\n\xff\x00\x01";
	uint64_t number;

	(void)state;
	answered(keep("{}"), "{\"statusCode\":200}\nhello eds_" THIRTY);
	assert_string_equal(shown("1", "answer"),
		"{\"statusCode\":200,\"body\":\"hello eds_removed\",\"isBase64Encoded\":false}");
	answered(keep("{}"), "{\"statusCode\":204}\n");
	assert_string_equal(shown("2", "answer"),
		"{\"statusCode\":204,\"body\":\"\",\"isBase64Encoded\":false}");
	number = keep("{}");
	recent_end(recent, number, POOL_ANSWERED, binary, sizeof binary - 1);
	assert_string_equal(shown("3", "answer"),
		"{\"statusCode\":200,\"body\":\"/wAB\",\"isBase64Encoded\":true}");
	number = keep("{}");
	recent_end(recent, number, POOL_ANSWERED, "{}\na\0b", 6);
	assert_string_equal(shown("4", "answer"), "{\"body\":\"YQBi\",\"isBase64Encoded\":true}");
}

static void what_is_nested_deeper_than_64_is_shown_as_null(void **state)
{
	char text[256];

	(void)state;
	for (int depth = 64; depth <= 65; depth++) {
		memset(text, '[', (size_t)depth);
		text[depth] = '7';
		memset(text + depth + 1, ']', (size_t)depth);
		text[2 * depth + 1] = '\0';
		keep(text);
	}
	assert_non_null(strchr(shown("1", "event"), '7'));
	assert_null(strchr(shown("2", "event"), '7'));
	assert_non_null(strstr(shown("2", "event"), "[null]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECENT_TEST(events_are_listed_newest_first_with_their_outcome),
		RECENT_TEST(the_last_128_events_are_kept),
		RECENT_TEST(an_event_is_found_by_its_number_or_id),
		RECENT_TEST(thirty_two_kibibytes_of_an_event_or_answer_are_kept),
		RECENT_TEST(secrets_are_removed_from_events_and_answers),
		RECENT_TEST(a_body_beside_its_answer_is_shown_within_it),
		RECENT_TEST(what_is_nested_deeper_than_64_is_shown_as_null),
	};

	return cmocka_run_group_tests_name("recent", tests, NULL, NULL);
}
