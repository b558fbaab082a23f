/* The stored content of reports, and the JSON that shows it. */
#include "functions/reports/detail-json.h"

#include "runtime/json-format.h"
#include "tests/support/test-event.h"
#include "tests/unit/reports_line_fixture.h"

static const char *const errors[] = {"DNS was slow."};

static void the_content_is_shown_as_it_was_stored(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_signature signatures[] = {
		{.domain = "example.com", .selector = "s1", .messages = 3, .passed = 2},
		{.domain = "", .selector = "", .messages = 1}};
	struct eds_report_line line = {.outcomes = "ni"};
	const char *text;
	json_t *json;
	json_t *selectors;

	report.file = "a\"b.xml";
	report.xml_bytes = 2048;
	report.signatures = signatures;
	report.signature_count = 2;
	report.generator = "Receiver 2";
	report.errors = errors;
	report.error_count = 1;
	report.policy.fo = "1";
	line.body = text = report_body_text(ctx, &report);
	assert_non_null(strstr(text,
		"\"auths\":[[\"example.com\",\"list.example\",null,[[\"mailing_list\",\"by "
		"\\\"arc\\\"\"]],[[\"example.com\",\"s1\",\"pass\",null]],[[\"list.example\","
		"\"mfrom\",\"fail\",null]],0],[null,null,null,[],[],[],7]],"
		"\"rows\":[[\"192.0.2.1\",\"none\",\"pass\",\"fail\",3,\"forwarded\",0],"
		"[null,\"reject\",\"fail\",\"unknown\",2,\"failed\",1]]"));
	assert_int_equal(report_detail_json(ctx, &domain, &line, &json, &selectors), RT_OK);
	assert_string_equal(rt_json_format(ctx, selectors, NULL),
		"[{\"domain\":\"example.com\",\"selector\":\"s1\",\"outcome\":\"discovered\","
		"\"passCount\":2,\"failCount\":1},{\"domain\":\"\",\"selector\":\"\","
		"\"outcome\":\"illegal\",\"passCount\":0,\"failCount\":1}]");
	assert_string_equal(rt_json_format(ctx, json, NULL),
		"{\"file\":\"a\\\"b.xml\",\"bytes\":2048,\"repaired\":false,\"version\":null,"
		"\"generator\":\"Receiver 2\",\"extraContact\":null,\"errors\":[\"DNS was slow.\"],"
		"\"policy\":{\"p\":\"none\",\"sp\":null,\"np\":null,\"adkim\":\"r\",\"aspf\":\"r\","
		"\"testing\":null,\"fo\":\"1\",\"discoveryMethod\":null,\"pct\":null},"
		"\"rows\":[{\"source\":\"192.0.2.1\",\"disposition\":\"none\",\"dkim\":\"pass\","
		"\"spf\":\"fail\",\"messages\":3,\"class\":\"forwarded\","
		"\"headerFrom\":\"example.com\",\"envelopeFrom\":\"list.example\","
		"\"envelopeTo\":null,\"reasons\":[{\"type\":\"mailing_list\","
		"\"comment\":\"by \\\"arc\\\"\"}],\"dkimResults\":[{\"domain\":\"example.com\","
		"\"selector\":\"s1\",\"result\":\"pass\",\"humanResult\":null}],"
		"\"spfResults\":[{\"domain\":\"list.example\",\"scope\":\"mfrom\","
		"\"result\":\"fail\",\"humanResult\":null}],\"leftOut\":0},{\"source\":null,"
		"\"disposition\":\"reject\",\"dkim\":\"fail\",\"spf\":\"unknown\",\"messages\":2,"
		"\"class\":\"failed\",\"headerFrom\":null,\"envelopeFrom\":null,"
		"\"envelopeTo\":null,\"reasons\":[],\"dkimResults\":[],\"spfResults\":[],"
		"\"leftOut\":7}],\"otherMessages\":0,\"policies\":[],\"failures\":[]}");
}

/* Content in the form of earlier releases, which stored less. */
static void content_stored_by_an_older_program_is_shown(void **state)
{
	struct rt_ctx *ctx = *state;
	const struct eds_report_line line = {.outcomes = "",
		.body = "{\"file\":null,\"rows\":[[\"192.0.2.1\",\"none\",\"pass\",\"fail\",3],"
			"[null,\"none\",\"fail\",\"unknown\",2]]}"};
	json_t *selectors;
	json_t *json;

	assert_int_equal(report_detail_json(ctx, &domain, &line, &json, &selectors), RT_OK);
	assert_string_equal(rt_json_format(ctx, json_object_get(json, "rows"), NULL),
		"[{\"source\":\"192.0.2.1\",\"disposition\":\"none\",\"dkim\":\"pass\",\"spf\":"
		"\"fail\",\"messages\":3,\"class\":\"passed\",\"headerFrom\":null,"
		"\"envelopeFrom\":null,\"envelopeTo\":null,\"reasons\":[],\"dkimResults\":[],"
		"\"spfResults\":[],\"leftOut\":0},{\"source\":null,\"disposition\":\"none\","
		"\"dkim\":\"fail\",\"spf\":\"unknown\",\"messages\":2,\"class\":\"failed\","
		"\"headerFrom\":null,\"envelopeFrom\":null,\"envelopeTo\":null,\"reasons\":[],"
		"\"dkimResults\":[],\"spfResults\":[],\"leftOut\":0}]");
}

static void a_tls_report_shows_only_the_policies_of_the_domain(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = tls();
	struct eds_report_line line = {.outcomes = "", .body = report_body_text(ctx, &report)};
	const char *text;
	json_t *json;
	json_t *selectors;

	assert_int_equal(report_detail_json(ctx, &domain, &line, &json, &selectors), RT_OK);
	text = rt_json_format(ctx, json, NULL);
	assert_null(strstr(text, "other.example"));
	assert_null(strstr(text, "validation-failure"));
	assert_non_null(strstr(text, "\"policy\":null"));
	assert_non_null(strstr(text,
		"\"strings\":[\"version: STSv1\",\"mode: enforce\"],"
		"\"mxHosts\":[\"*.example.com\"]}"));
	assert_non_null(strstr(text,
		"\"failures\":[{\"type\":\"certificate-expired\",\"sessions\":3,"
		"\"sendingIp\":\"192.0.2.7\",\"receivingMx\":\"mx1.example.com\","
		"\"receivingHelo\":\"mx.example.com\",\"receivingIp\":\"2001:db8::25\","
		"\"information\":\"https://receiver.example/why\",\"reason\":\"X509_V_ERR\"},"
		"{\"type\":\"certificate-expired\",\"sessions\":4,"));
}

static void members_not_stored_by_an_older_program_are_empty(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report_line line = {.outcomes = "",
		.body = "{\"rows\":[],\"auths\":[],\"policies\":[{\"type\":\"sts\",\"domain\":"
			"\"example.com\",\"successful\":1,\"failed\":2}],\"failures\":[{\"type\":"
			"\"x\",\"policy\":0,\"sessions\":2,\"receivingMx\":null,\"reason\":null}],"
			"\"signatures\":[]}"};
	json_t *json;
	json_t *selectors;
	const json_t *failure;

	assert_int_equal(report_detail_json(ctx, &domain, &line, &json, &selectors), RT_OK);
	failure = json_array_get(json_object_get(json, "failures"), 0);
	assert_true(json_is_null(json_object_get(failure, "sendingIp")));
	assert_true(json_is_null(json_object_get(failure, "receivingIp")));
	assert_int_equal(json_array_size(json_object_get(
				 json_array_get(json_object_get(json, "policies"), 0), "mxHosts")),
		0);
}

static void the_largest_content_is_stored_whole(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	struct eds_report_row *many = rt_alloc_array(ctx, EDS_REPORT_ROWS_MAX, sizeof *many);
	struct eds_report_line line = {.outcomes = ""};
	json_t *selectors;
	json_t *json;

	for (size_t i = 0; i < EDS_REPORT_ROWS_MAX; i++) {
		many[i] = rows[2];
		assert_true(rt_ip_parse("2001:db8:1111:2222:3333:4444:5555:6666", &many[i].source));
		many[i].disposition = EDS_DISPOSITION_QUARANTINE;
	}
	report.rows = many;
	report.row_count = EDS_REPORT_ROWS_MAX;
	line.body = report_body_text(ctx, &report);
	assert_int_equal(report_detail_json(ctx, &domain, &line, &json, &selectors), RT_OK);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 2000);
}

static void damaged_content_is_an_internal_error(void **state)
{
	struct rt_ctx *ctx = *state;
	const struct eds_report_line line = {.body = "{\"rows\":["};
	json_t *selectors;
	json_t *json;

	assert_int_equal(report_detail_json(ctx, &domain, &line, &json, &selectors), RT_INTERNAL);
	assert_string_equal(ctx->failure.code, "report-damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_content_is_shown_as_it_was_stored),
		TEST(content_stored_by_an_older_program_is_shown),
		TEST(a_tls_report_shows_only_the_policies_of_the_domain),
		TEST(members_not_stored_by_an_older_program_are_empty),
		TEST(the_largest_content_is_stored_whole),
		TEST(damaged_content_is_an_internal_error),
	};

	return cmocka_run_group_tests_name("reports: stored content", tests, NULL, NULL);
}
