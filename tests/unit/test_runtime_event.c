/* Events of the clouds, parsed into plain structs, and the answers for failures. */
#include <string.h>

#include "runtime/config/config.h"
#include "runtime/event/event-http.h"
#include "runtime/event/event-mail.h"
#include "runtime/event/event.h"
#include "runtime/event/problem.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "tests/support/test-event.h"

static json_t *json(struct rt_ctx *ctx, const char *text)
{
	json_t *value;

	assert_int_equal(rt_json_parse(ctx, text, strlen(text), &value), RT_OK);
	return value;
}

#define SES                                                                                        \
	"{\"mail\":{\"messageId\":\"m1\",\"source\":\"a@example.com\","                            \
	"\"destination\":[\"x@tester.example\",\"y@tester.example\",\"z@reports.example\"]},"      \
	"\"receipt\":{\"timestamp\":\"2026-11-20T11:40:20.000Z\","                                 \
	"\"recipients\":[\"x@tester.example\",\"y@tester.example\"]}}"

static void assert_is_the_mail(const struct rt_mail_event *mail)
{
	assert_string_equal(mail->message_id, "m1");
	assert_string_equal(mail->mail_from, "a@example.com");
	assert_int_equal(mail->received_at_ms, 1795174820000);
	assert_int_equal(mail->recipient_count, 2);
	assert_string_equal(mail->recipients[1], "y@tester.example");
	assert_int_equal(mail->destination_count, 3);
	assert_string_equal(mail->destinations[2], "z@reports.example");
}

static void a_mail_is_read_from_ses_sns_and_sqs_alike(void **state)
{
	struct rt_ctx *ctx = *state;
	char *text = rt_json_format(ctx, json_string(SES), NULL);
	const char *const forms[] = {
		"{\"Records\":[{\"eventSource\":\"aws:ses\",\"ses\":" SES "}]}",
		SES,
		rt_printf(ctx, "{\"Records\":[{\"Sns\":{\"Message\":%s}}]}", text),
		rt_printf(ctx, "{\"Type\":\"Notification\",\"Message\":%s}", text),
	};

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct rt_mail_item *items;
		size_t count;

		assert_int_equal(rt_event_mail(ctx, json(ctx, forms[i]), &items, &count), RT_OK);
		assert_int_equal(count, 1);
		assert_is_the_mail(&items[0].mail);
		assert_false(items[0].mail.has_envelope);
		assert_null(items[0].sqs_id);
	}
}

static void each_message_of_sqs_keeps_the_id_under_which_it_fails(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *body = rt_json_format(ctx, json_string(SES), NULL);
	const char *event = rt_printf(ctx,
		"{\"Records\":[{\"messageId\":\"q1\",\"body\":%s},{\"messageId\":\"q2\",\"body\":%"
		"s}]}",
		body, body);
	struct rt_mail_item *items;
	size_t count;

	assert_int_equal(rt_event_mail(ctx, json(ctx, event), &items, &count), RT_OK);
	assert_int_equal(count, 2);
	assert_string_equal(items[1].sqs_id, "q2");
	assert_is_the_mail(&items[1].mail);
}

static void an_event_comes_again_from_a_queue_and_where_its_sender_says_so(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *body = rt_json_format(ctx, json_string(SES), NULL);
	const struct {
		const char *event;
		bool comes_again;
	} cases[] = {
		{SES, false},
		{"{\"Records\":[{\"ses\":" SES ",\"comesAgain\":true}]}", true},
		{"{\"Records\":[{\"ses\":" SES ",\"comesAgain\":1}]}", false},
		{"{\"mail\":{\"messageId\":\"m\"},\"receipt\":{\"timestamp\":\"2026-11-20T11:40:20Z\"},"
		 "\"comesAgain\":true}",
			true},
		{rt_printf(ctx, "{\"Records\":[{\"messageId\":\"q1\",\"body\":%s}]}", body), true},
		{rt_printf(ctx, "{\"Records\":[{\"Sns\":{\"Message\":%s}}]}", body), false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rt_mail_item *items;
		size_t count;

		assert_int_equal(
			rt_event_mail(ctx, json(ctx, cases[i].event), &items, &count), RT_OK);
		if (items[0].mail.comes_again != cases[i].comes_again)
			fail_msg("case %zu", i);
	}
}

static void s3_names_the_message_by_the_last_part_of_its_key(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_mail_item *items;
	size_t count;

	assert_int_equal(rt_event_mail(ctx,
				 json(ctx,
					 "{\"Records\":[{\"eventTime\":\"2026-11-20T11:40:20Z\","
					 "\"s3\":{\"object\":{\"key\":\"in+box/a%2Fb%5fm1\"}}}]}"),
				 &items, &count),
		RT_OK);
	assert_string_equal(items[0].mail.message_id, "b_m1");
	assert_int_equal(items[0].mail.recipient_count, 0);
}

static void the_envelope_is_read_where_the_receiver_knows_it(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_mail_item *items;
	size_t count;

	assert_int_equal(rt_event_mail(ctx,
				 json(ctx,
					 "{\"Records\":[{\"ses\":" SES
					 ",\"envelope\":{\"clientIp\":\"192.0.2.1\",\"helo\":\"h\","
					 "\"mailFrom\":\"\",\"tls\":null}}]}"),
				 &items, &count),
		RT_OK);
	assert_true(items[0].mail.has_envelope);
	assert_string_equal(items[0].mail.envelope.client_ip, "192.0.2.1");
	assert_string_equal(items[0].mail.mail_from, "");
	assert_null(items[0].mail.envelope.tls);
}

static void an_event_that_is_not_mail_is_refused_with_the_reason(void **state)
{
	static const char *const bad[] = {"{}", "{\"Records\":[]}", "{\"Records\":{}}",
		"{\"Records\":[{}]}", "{\"Records\":[1]}", "{\"Records\":[{\"ses\":{}}]}",
		"{\"Records\":[{\"ses\":{\"mail\":{\"messageId\":\"m\"},\"receipt\":{}}}]}",
		"{\"Records\":[{\"body\":\"no json\"}]}", "{\"Records\":[{\"body\":5}]}",
		"{\"Records\":[{\"s3\":{}}]}"};
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct rt_mail_item *items;
		size_t count;

		rt_fail_clear(ctx);
		if (rt_event_mail(ctx, json(ctx, bad[i]), &items, &count) != RT_BAD_INPUT)
			fail_msg("%s was read as mail", bad[i]);
		assert_non_null(ctx->failure.detail);
	}
}

static void too_many_levels_of_wrapping_are_refused(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *event = SES;
	struct rt_mail_item *items;
	size_t count;

	for (int i = 0; i < 5; i++)
		event = rt_printf(
			ctx, "{\"Message\":%s}", rt_json_format(ctx, json_string(event), NULL));
	assert_int_equal(rt_event_mail(ctx, json(ctx, event), &items, &count), RT_BAD_INPUT);
}

static void a_schedule_is_read_from_both_services(void **state)
{
	static const char *const others[] = {"{}", "{\"source\":\"me\"}",
		"{\"source\":\"me\",\"time\":\"2026-11-20T11:40:20Z\"}",
		"{\"source\":7,\"time\":\"2026-11-20T11:40:20Z\"}",
		"{\"time\":\"2026-11-20T11:40:20Z\"}", "{\"source\":\"aws.events\"}",
		"{\"source\":\"aws.scheduler\",\"time\":\"today\"}"};
	struct rt_ctx *ctx = *state;
	struct rt_schedule_event schedule;

	assert_int_equal(rt_event_schedule(ctx,
				 json(ctx,
					 "{\"id\":\"e1\",\"source\":\"aws.events\",\"detail\":{},"
					 "\"time\":\"2026-11-20T11:40:20Z\"}"),
				 &schedule),
		RT_OK);
	assert_string_equal(schedule.id, "e1");
	assert_int_equal(schedule.time_ms, 1795174820000);
	assert_int_equal(rt_event_schedule(ctx,
				 json(ctx,
					 "{\"source\":\"aws.scheduler\",\"detail\":\"{}\","
					 "\"time\":\"2026-11-20T11:40:20Z\"}"),
				 &schedule),
		RT_OK);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		assert_int_equal(
			rt_event_schedule(ctx, json(ctx, others[i]), &schedule), RT_BAD_INPUT);
		assert_string_equal(ctx->failure.code, "event-invalid");
		rt_fail_clear(ctx);
	}
}

#define CONTEXT                                                                                    \
	"\"requestContext\":{\"requestId\":\"r1\",\"time\":[1,{\"a\":\"]\"}],"                     \
	"\"http\":{\"userAgent\":\"\\\"\",\"method\":\"PUT\",\"sourceIp\":\"192.0.2.1\"}}"

static void each_part_of_a_request_is_decoded(void **state)
{
	static const char event[] =
		" {\"version\":\"2.0\",\"rawPath\":\"/a%2Fb\",\"rawQueryString\":\"x=1\","
		"\"headers\":{\"host\":\"h\",\"x-name\":\"M\\u00fcller \\\"q\\\"\",\"x-odd\":5},"
		"\"pathParameters\":{\"id\":\"a/b\"},\"queryStringParameters\":{\"x\":\"1\"},"
		"\"_X_AMZN_TRACE_ID\":\"Root=1\"," CONTEXT
		",\"body\":\"eyJhIjoxfQ==\",\"isBase64Encoded\":true}\n";
	struct rt_ctx *ctx = *state;
	struct rt_request req;

	assert_int_equal(rt_event_http(ctx, event, strlen(event), &req), RT_OK);
	assert_string_equal(req.id, "r1");
	assert_string_equal(req.trace_id, "Root=1");
	assert_string_equal(req.method, "PUT");
	assert_string_equal(req.source_ip, "192.0.2.1");
	assert_string_equal(req.path, "/a%2Fb");
	assert_string_equal(req.query, "x=1");
	assert_string_equal(rt_request_header(&req, "host"), "h");
	assert_string_equal(rt_request_header(&req, "x-name"), "M\xc3\xbcller \"q\"");
	assert_null(rt_request_header(&req, "x-odd"));
	assert_null(rt_request_header(&req, "x-none"));
	assert_string_equal(rt_request_param(&req, "id"), "a/b");
	assert_string_equal(rt_request_query(&req, "x"), "1");
	assert_int_equal(req.body_length, 7);
	assert_memory_equal(req.body, "{\"a\":1}", 7);
}

static void only_the_method_and_path_of_a_request_are_required(void **state)
{
	static const char event[] = "{\"rawPath\":\"/\",\"headers\":null,\"body\":null," CONTEXT
				    "}";
	struct rt_ctx *ctx = *state;
	struct rt_request req;

	assert_int_equal(rt_event_http(ctx, event, strlen(event), &req), RT_OK);
	assert_string_equal(req.query, "");
	assert_null(req.body);
	assert_null(req.trace_id);
	assert_null(rt_request_header(&req, "host"));
	assert_null(rt_request_param(&req, "id"));
}

static void an_event_that_is_not_a_request_is_refused_with_the_reason(void **state)
{
	static const struct {
		const char *event;
		const char *code;
		const char *detail;
	} cases[] = {
		{"no JSON", "json-invalid", "line 1"},
		{"{\"rawPath\":\"/\"", "json-invalid", "line 1"},
		{"{\"rawPath\":\"/\"," CONTEXT "} x", "json-invalid", "line 1"},
		{"[1]", "event-invalid", "object"},
		{"{\"rawPath\":\"/\",\"rawPath\":\"/\"," CONTEXT "}", "json-invalid", "duplicate"},
		{"{\"rawPath\":\"/\",\"headers\":{\"a\":\"\",\"a\":\"\"}," CONTEXT "}",
			"json-invalid", "duplicate"},
		{"{}", "event-invalid", "requestContext.http.method"},
		{"{\"rawPath\":\"/\",\"requestContext\":5}", "event-invalid", "method"},
		{"{\"rawPath\":\"/\",\"requestContext\":{\"http\":{\"method\":1}}}",
			"event-invalid", "method"},
		{"{" CONTEXT "}", "event-invalid", "rawPath"},
		{"{\"rawPath\":\"/\\u0000\"," CONTEXT "}", "json-invalid", "\\u0000"},
		{"{\"rawPath\":\"/\\ud800\"," CONTEXT "}", "json-invalid", "\\uD800"},
		{"{\"rawPath\":\"/\xff\"," CONTEXT "}", "json-invalid", "0xff"},
		{"{\"rawPath\":\"/\t\"," CONTEXT "}", "json-invalid", "control character"},
		{"{\"rawPath\":\"/\",\"headers\":{\"a\":\"\\x\"}," CONTEXT "}", "json-invalid",
			"escape"},
		{"{\"rawPath\":\"/\",\"headers\":{\"a\" \"b\"}," CONTEXT "}", "json-invalid",
			"':' expected"},
		{"{\"rawPath\":\"/\",\"body\":{}," CONTEXT "}", "event-invalid", "body"},
		{"{\"rawPath\":\"/\",\"body\":\"?\",\"isBase64Encoded\":true," CONTEXT "}",
			"event-invalid", "body"},
	};
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rt_request req;

		rt_fail_clear(ctx);
		assert_int_equal(rt_event_http(ctx, cases[i].event, strlen(cases[i].event), &req),
			RT_BAD_INPUT);
		if (strcmp(ctx->failure.code, cases[i].code) != 0 ||
			strstr(ctx->failure.detail, cases[i].detail) == NULL)
			fail_msg("%s: %s: %s", cases[i].event, ctx->failure.code,
				ctx->failure.detail);
	}
}

static const char *request_client(struct rt_ctx *ctx, const char *peer, const char *forwarded)
{
	const struct rt_field header = {.name = "x-forwarded-for", .value = forwarded};
	const struct rt_request req = {.source_ip = peer, .headers = &header};

	return rt_request_client(ctx, &req);
}

static void x_forwarded_for_counts_from_trusted_proxies_only(void **state)
{
	struct rt_ctx *ctx = *state;

	setenv("EDS_TRUSTED_PROXIES", "10.0.0.0/8", 1);
	rt_config_require();
	assert_string_equal(request_client(ctx, "192.0.2.9", "198.51.100.1"), "192.0.2.9");
	assert_string_equal(request_client(ctx, "10.0.0.1", "198.51.100.1"), "198.51.100.1");
	assert_string_equal(
		request_client(ctx, "10.0.0.1", "6.6.6.6, 198.51.100.1, 10.0.0.2"), "198.51.100.1");
	assert_string_equal(request_client(ctx, "10.0.0.1", "rubbish"), "10.0.0.1");
	assert_string_equal(request_client(ctx, "10.0.0.1", "10.0.0.3"), "10.0.0.3");
}

static void a_body_must_be_a_json_object_sent_as_such(void **state)
{
	static const struct {
		const char *type;
		const char *body;
		const char *code;
		int http;
	} cases[] = {
		{"application/json", "{\"a\":\"b\"}", NULL, 200},
		{"Application/JSON; charset=utf-8", "{}", NULL, 200},
		{"text/plain", "{}", "media-type-unsupported", 415},
		{"application/jsonp", "{}", "media-type-unsupported", 415},
		{"application/json", "", "body-missing", 400},
		{"application/json", "[]", "body-not-object", 400},
		{"application/json", "{", "json-invalid", 400},
	};
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct rt_field header = {.name = "content-type", .value = cases[i].type};
		const struct rt_request req = {.headers = &header,
			.body = cases[i].body,
			.body_length = strlen(cases[i].body)};
		json_t *body;
		rt_status status;

		rt_fail_clear(ctx);
		status = rt_body_object(ctx, &req, &body);
		if (cases[i].code == NULL) {
			assert_int_equal(status, RT_OK);
			continue;
		}
		assert_int_equal(status, RT_BAD_INPUT);
		assert_string_equal(ctx->failure.code, cases[i].code);
		assert_int_equal(
			rt_problem_status(ctx->failure.category, ctx->failure.code), cases[i].http);
	}
}

static void a_failure_is_a_problem_with_its_fields(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_response res = {0};

	rt_fail_field(ctx, "maxAge", "must be at least %d", 86400);
	assert_int_equal(rt_fail(ctx, RT_BAD_INPUT, "body-invalid", "no"), RT_BAD_INPUT);
	rt_respond_problem(ctx, &res);
	assert_int_equal(res.status, 400);
	assert_string_equal(res.body,
		"{\"type\":\"/problems#body-invalid\",\"title\":\"Bad "
		"Request\",\"status\":400,\"detail\":\"no\","
		"\"code\":\"body-invalid\",\"errors\":[{\"field\":\"maxAge\",\"detail\":\"must be "
		"at "
		"least 86400\"}]}");
}

static const char *header_of(const struct rt_response *res, const char *name)
{
	for (size_t i = 0; i < res->header_count; i++)
		if (strcmp(res->headers[i].name, name) == 0)
			return res->headers[i].value;
	return NULL;
}

static void a_problem_keeps_the_headers_set_before_but_for_those_of_the_body(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rt_response res = {0};

	rt_response_header(&res, "cache-control", "no-store");
	rt_response_header(&res, "ETag", "\"1\"");
	rt_response_header(&res, "content-type", "text/html");
	rt_response_header(&res, "location", "/made");
	rt_response_header(&res, "x-content-type-options", "nosniff");
	assert_int_equal(rt_fail(ctx, RT_UNAUTHORIZED, "token-missing", "no"), RT_UNAUTHORIZED);
	rt_respond_problem(ctx, &res);
	assert_int_equal(res.header_count, 4);
	assert_string_equal(header_of(&res, "cache-control"), "no-store");
	assert_string_equal(header_of(&res, "x-content-type-options"), "nosniff");
	assert_string_equal(header_of(&res, "content-type"), "application/problem+json");
	assert_string_equal(header_of(&res, "www-authenticate"), "Bearer");
}

static void each_status_has_its_words(void **state)
{
	static const struct {
		int status;
		const char *words;
	} all[] = {{200, "OK"}, {201, "Created"}, {202, "Accepted"}, {204, "No Content"},
		{304, "Not Modified"}, {400, "Bad Request"}, {401, "Unauthorized"},
		{403, "Forbidden"}, {404, "Not Found"}, {405, "Method Not Allowed"},
		{408, "Request Timeout"}, {409, "Conflict"}, {411, "Length Required"},
		{412, "Precondition Failed"}, {413, "Content Too Large"}, {414, "URI Too Long"},
		{415, "Unsupported Media Type"}, {417, "Expectation Failed"},
		{421, "Misdirected Request"}, {422, "Unprocessable Content"},
		{429, "Too Many Requests"}, {431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"}, {501, "Not Implemented"}, {502, "Bad Gateway"},
		{503, "Service Unavailable"}, {504, "Gateway Timeout"},
		{505, "HTTP Version Not Supported"}, {599, "Status"}};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		assert_string_equal(rt_http_reason(all[i].status), all[i].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_status_has_its_words),
		TEST(a_mail_is_read_from_ses_sns_and_sqs_alike),
		TEST(each_message_of_sqs_keeps_the_id_under_which_it_fails),
		TEST(an_event_comes_again_from_a_queue_and_where_its_sender_says_so),
		TEST(s3_names_the_message_by_the_last_part_of_its_key),
		TEST(the_envelope_is_read_where_the_receiver_knows_it),
		TEST(an_event_that_is_not_mail_is_refused_with_the_reason),
		TEST(too_many_levels_of_wrapping_are_refused),
		TEST(a_schedule_is_read_from_both_services),
		TEST(each_part_of_a_request_is_decoded),
		TEST(only_the_method_and_path_of_a_request_are_required),
		TEST(an_event_that_is_not_a_request_is_refused_with_the_reason),
		TEST(x_forwarded_for_counts_from_trusted_proxies_only),
		TEST(a_body_must_be_a_json_object_sent_as_such),
		TEST(a_failure_is_a_problem_with_its_fields),
		TEST(a_problem_keeps_the_headers_set_before_but_for_those_of_the_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
