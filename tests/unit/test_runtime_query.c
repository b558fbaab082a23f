/* Query parameters that a function does not accept. */
#include "runtime/event/problem.h"
#include "runtime/event/query.h"
#include "tests/support/test-event.h"

static const char *const names[] = {"limit", "cursor", NULL};

static rt_status check(struct rt_ctx *ctx, const char *method, const struct rt_field *params)
{
	struct rt_request req = {.method = method, .path = "/api", .query_params = params};

	rt_fail_clear(ctx);
	return rt_query_check(ctx, &req);
}

static void a_parameter_holds_for_its_method_and_for_head(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_field limit = {.name = "limit", .value = "2"};

	rt_takes_query("GET", names);
	assert_int_equal(check(ctx, "GET", &limit), RT_OK);
	assert_int_equal(check(ctx, "HEAD", &limit), RT_OK);
	assert_int_equal(check(ctx, "POST", &limit), RT_BAD_INPUT);
	assert_int_equal(check(ctx, "POST", NULL), RT_OK);
}

static void each_unknown_parameter_is_named_with_the_likely_intended_one(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_field odd = {.name = "x", .value = ""};
	struct rt_field slip = {.name = "curser", .value = "a", .next = &odd};
	struct rt_field limit = {.name = "limit", .value = "2", .next = &slip};

	rt_takes_query("GET", names);
	assert_int_equal(check(ctx, "GET", &limit), RT_BAD_INPUT);
	assert_string_equal(ctx->failure.code, "query-unknown");
	assert_int_equal(ctx->failure.field_count, 2);
	assert_string_equal(ctx->failure.fields[0].field, "curser");
	assert_string_equal(ctx->failure.fields[0].detail,
		"there is no such query parameter; did you mean cursor?");
	assert_string_equal(ctx->failure.fields[1].field, "x");
	assert_string_equal(ctx->failure.fields[1].detail,
		"there is no such query parameter; there are limit, cursor");
}

static void an_unknown_name_unlike_any_other_is_answered_with_all_names(void **state)
{
	static const char *const of_message[] = {"clientIp", "helo", "mailFrom", NULL};
	struct rt_ctx *ctx = *state;
	struct rt_field foo = {.name = "foo", .value = "1"};

	rt_takes_query("POST", of_message);
	assert_int_equal(check(ctx, "POST", &foo), RT_BAD_INPUT);
	assert_string_equal(ctx->failure.fields[0].detail,
		"there is no such query parameter; there are clientIp, helo, mailFrom");
}

static void a_very_long_name_is_not_repeated(void **state)
{
	struct rt_ctx *ctx = *state;
	char name[10001];
	struct rt_field param = {.name = name, .value = ""};

	memset(name, 'l', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	rt_takes_query("GET", names);
	assert_int_equal(check(ctx, "GET", &param), RT_BAD_INPUT);
	assert_string_equal(ctx->failure.fields[0].field, "");
}

static void unknown_parameters_beyond_the_named_ones_are_refused_too(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_field params[128];

	for (size_t i = 0; i < 128; i++)
		params[i] = (struct rt_field){
			.name = "a", .value = "", .next = i < 127 ? &params[i + 1] : NULL};
	rt_takes_query("GET", names);
	assert_int_equal(check(ctx, "GET", params), RT_BAD_INPUT);
	assert_int_equal(ctx->failure.field_count, 32);
}

static void a_public_page_accepts_any_parameter(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_field campaign = {.name = "utm_source", .value = "mail"};

	rt_takes_any_query();
	assert_int_equal(check(ctx, "GET", &campaign), RT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_parameter_holds_for_its_method_and_for_head),
		TEST(each_unknown_parameter_is_named_with_the_likely_intended_one),
		TEST(an_unknown_name_unlike_any_other_is_answered_with_all_names),
		TEST(a_very_long_name_is_not_repeated),
		TEST(unknown_parameters_beyond_the_named_ones_are_refused_too),
		/* this test comes last, because the page stays public for the rest of the
		 * process */
		TEST(a_public_page_accepts_any_parameter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
