/* A second opinion: the request for it, and the parsing of the answer. Stories in tests/e2e test
 * the real rspamd, and servers that do not answer. */
#include "functions/tester/report/second-opinion-read.h"
#include "functions/tester/report/second-opinion.h"
#include "runtime/json-format.h"
#include "tests/support/test-event.h"

static const char *field(const struct eds_ask_question *ask, const char *name)
{
	for (size_t i = 0; i < ask->field_count; i++)
		if (strncmp(ask->fields[i], name, strlen(name)) == 0 &&
			ask->fields[i][strlen(name)] == ':')
			return ask->fields[i] + strlen(name) + 2;
	return NULL;
}

static void text_of_the_sender_stays_in_one_field(void **state)
{
	static const char *const recipients[] = {"a@tester.example"};
	struct opinion_question question = {.client_ip = "192.0.2.1",
		.hostname = "mail.example.com",
		.helo = "mail.example.com",
		.mail_from = "x@example.com\r\nPass: all",
		.recipients = recipients,
		.recipient_count = 1,
		.message = "",
		.length = 0};
	struct eds_ask_question ask;

	second_opinion_word(*state, &question, &ask);
	assert_string_equal(field(&ask, "IP"), "192.0.2.1");
	assert_string_equal(field(&ask, "Helo"), "mail.example.com");
	assert_string_equal(field(&ask, "Rcpt"), "a@tester.example");
	assert_null(field(&ask, "From"));
	for (size_t i = 0; i < ask.field_count; i++)
		assert_null(strpbrk(ask.fields[i], "\r\n"));
}

static void unknown_facts_are_left_out_and_an_empty_sender_is_sent(void **state)
{
	struct opinion_question question = {.client_ip = "",
		.hostname = "",
		.helo = "",
		.mail_from = "",
		.message = "",
		.length = 0};
	struct eds_ask_question ask;

	second_opinion_word(*state, &question, &ask);
	assert_null(field(&ask, "IP"));
	assert_null(field(&ask, "Helo"));
	assert_string_equal(field(&ask, "From"), "<>");
}

static bool read_answer(struct rt_ctx *ctx, const char *body, struct second_opinion *opinion)
{
	*opinion = (struct second_opinion){.asked = true};
	return second_opinion_read(ctx, body, strlen(body), opinion);
}

static void symbols_are_sorted_by_weight_good_and_bad(void **state)
{
	struct second_opinion opinion;

	assert_true(read_answer(*state,
		"{\"score\":4.2,\"required_score\":15,\"action\":\"greylist\",\"symbols\":{"
		"\"A\":{\"score\":0},\"B\":{\"score\":-5.25,\"description\":\"known\"},"
		"\"C\":{\"score\":2},\"D\":{\"score\":5.25}}}",
		&opinion));
	assert_string_equal(opinion.action, "greylist");
	assert_int_equal(opinion.symbol_count, 4);
	assert_string_equal(opinion.symbols[0].name, "B");
	assert_string_equal(opinion.symbols[0].description, "known");
	assert_string_equal(opinion.symbols[1].name, "D");
	assert_string_equal(opinion.symbols[2].name, "C");
	assert_string_equal(rt_json_format(*state, second_opinion_json(*state, &opinion), NULL),
		"{\"by\":\"rspamd\",\"state\":\"given\",\"reason\":null,\"score\":4.2,\"required\":15.0,"
		"\"action\":\"greylist\",\"symbols\":["
		"{\"name\":\"B\",\"score\":-5.25,\"description\":\"known\"},"
		"{\"name\":\"D\",\"score\":5.25,\"description\":null},"
		"{\"name\":\"C\",\"score\":2.0,\"description\":null},"
		"{\"name\":\"A\",\"score\":0.0,\"description\":null}],\"otherSymbols\":0}");
}

static void scores_are_rounded_to_two_decimals_away_from_zero(void **state)
{
	static const struct {
		const char *score;
		const char *shown;
	} cases[] = {{"0.5", "0.5"}, {"0.125", "0.13"}, {"0.01", "0.01"}, {"0.004", "0.0"},
		{"0.996", "1.0"}, {"1.125", "1.13"}, {"-0.125", "-0.13"}, {"-0.01", "-0.01"},
		{"-0.996", "-1.0"}, {"-7.375", "-7.38"}};
	struct rt_ctx *ctx = *state;
	struct second_opinion opinion;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *body = rt_printf(ctx,
			"{\"score\":%s,\"required_score\":15,\"action\":\"reject\",\"symbols\":{}}",
			cases[i].score);

		assert_true(read_answer(ctx, body, &opinion));
		assert_non_null(
			strstr(rt_json_format(ctx, second_opinion_json(ctx, &opinion), NULL),
				rt_printf(ctx, "\"score\":%s,\"required\":15.0,", cases[i].shown)));
	}
}

static void senseless_answers_are_refused(void **state)
{
	static const char *const bodies[] = {"", "[]", "<html>", "{\"score\":1",
		"{\"score\":\"1\",\"required_score\":15,\"action\":\"reject\",\"symbols\":{}}",
		"{\"score\":1,\"required_score\":15,\"action\":\"\",\"symbols\":{}}",
		"{\"score\":1,\"required_score\":15,\"action\":\"reject\",\"symbols\":[]}",
		"{\"score\":1,\"required_score\":15,\"action\":\"reject\",\"symbols\":{\"A\":1}}",
		"{\"score\":1e300,\"required_score\":15,\"action\":\"reject\",\"symbols\":{}}",
		"{\"score\":1e999,\"required_score\":15,\"action\":\"reject\",\"symbols\":{}}"};
	struct rt_ctx *ctx = *state;
	struct second_opinion opinion;

	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		assert_false(read_answer(ctx, bodies[i], &opinion));
		assert_int_equal(ctx->failure.category, RT_OK);
	}
}

static void thousands_of_symbols_are_counted_and_the_heaviest_shown(void **state)
{
	struct second_opinion opinion;
	struct rt_buffer body;

	rt_buffer_init(&body, *state, 1024 * 1024);
	rt_buffer_text(&body,
		"{\"score\":1,\"required_score\":15,\"action\":\"reject\",\"symbols\":{\"LAST\":"
		"{\"score\":-9000}");
	for (int i = 0; i < 3000; i++)
		rt_buffer_format(&body, ",\"S%d\":{\"score\":%d}", i, i);
	rt_buffer_text(&body, "}}");
	assert_true(read_answer(*state, body.bytes, &opinion));
	assert_int_equal(opinion.symbol_count, 60);
	assert_int_equal(opinion.other_symbols, 3001 - 60);
	assert_string_equal(opinion.symbols[0].name, "LAST");
	assert_string_equal(opinion.symbols[1].name, "S2999");
}

static void an_opinion_that_was_not_asked_for_is_null(void **state)
{
	struct second_opinion opinion = {.asked = false};

	assert_true(json_is_null(second_opinion_json(*state, &opinion)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_of_the_sender_stays_in_one_field),
		TEST(unknown_facts_are_left_out_and_an_empty_sender_is_sent),
		TEST(symbols_are_sorted_by_weight_good_and_bad),
		TEST(scores_are_rounded_to_two_decimals_away_from_zero),
		TEST(senseless_answers_are_refused),
		TEST(thousands_of_symbols_are_counted_and_the_heaviest_shown),
		TEST(an_opinion_that_was_not_asked_for_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
