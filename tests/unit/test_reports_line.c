/* Reports as lines of the log, and the stored part of their content. */
#include "runtime/json-format.h"
#include "tests/support/test-event.h"

#include "functions/reports/detail-json.h"
#include "functions/reports/line.h"

static const struct eds_domain domain = {.id = "d1", .account_id = "a1", .name = "example.com"};
static const struct rt_mail_event mail = {
	.message_id = "m1", .received_at_ms = 5000, .mail_from = "noreply@receiver.example"};

/* A sender that has proved to be receiver.example. */
static struct report_sender sender = {.domain = "receiver.example",
	.proved = true,
	.spf = "pass",
	.dkim = "none",
	.dmarc = "pass"};
static struct report_log receiver_log = {.domain = &domain,
	.org_domain = "example.com",
	.mail = &mail,
	.sender = &sender,
	.known = {.standing = ""}};

static struct eds_report_row rows[] = {
	{.disposition = EDS_DISPOSITION_NONE,
		.dkim = EDS_ALIGNMENT_PASS,
		.spf = EDS_ALIGNMENT_FAIL,
		.class = EDS_CLASS_FORWARDED,
		.messages = 3},
	{.disposition = EDS_DISPOSITION_REJECT,
		.dkim = EDS_ALIGNMENT_FAIL,
		.spf = EDS_ALIGNMENT_UNKNOWN,
		.auth = 1,
		.messages = 2},
	{.dkim = EDS_ALIGNMENT_FAIL, .spf = EDS_ALIGNMENT_PASS, .messages = UINT64_MAX},
};

static const struct eds_report_auth_item mailing_list = {"mailing_list", "", "", "by \"arc\""};
static const struct eds_report_auth_item signature_item = {"example.com", "s1", "pass", ""};
static const struct eds_report_auth_item spf_item = {"list.example", "mfrom", "fail", ""};
static const struct eds_report_auth auths[] = {
	{.header_from = "example.com",
		.envelope_from = "list.example",
		.envelope_to = "",
		.reasons = &mailing_list,
		.reason_count = 1,
		.dkim = &signature_item,
		.dkim_count = 1,
		.spf = &spf_item,
		.spf_count = 1},
	{.header_from = "", .envelope_from = "", .envelope_to = "", .left_out = 7},
};
static const char *const errors[] = {"DNS was slow."};

static const char *const policy_lines[] = {"version: STSv1", "mode: enforce"};
static const char *const policy_hosts[] = {"*.example.com"};

static const struct eds_report_tls_policy policies[] = {
	{.type = "sts",
		.domain = "Example.COM",
		.successful = 100,
		.failed = 3,
		.strings = {policy_lines, 2},
		.mx_hosts = {policy_hosts, 1}},
	{.type = "sts", .domain = "other.example", .successful = 7, .failed = 9},
};

static const struct eds_report_tls_failure failures[] = {
	{.policy = 1,
		.type = "validation-failure",
		.sessions = 9,
		.receiving_mx = "",
		.reason = ""},
	{.policy = 0,
		.type = "certificate-expired",
		.sessions = 3,
		.sending_ip = "192.0.2.7",
		.receiving_mx = "mx1.example.com",
		.receiving_helo = "mx.example.com",
		.receiving_ip = "2001:db8::25",
		.information = "https://receiver.example/why",
		.reason = "X509_V_ERR"},
	{.policy = 0,
		.type = "certificate-expired",
		.sessions = 4,
		.sending_ip = "192.0.2.8",
		.receiving_mx = "mx2.example.com",
		.reason = ""},
};

static struct eds_report aggregate(void)
{
	struct eds_report report = {.kind = EDS_REPORT_DMARC,
		.file = "",
		.org = "Receiver",
		.email = "dmarc@receiver.example",
		.report_id = "r1",
		.domain = "example.com",
		.begin_s = 1769731200,
		.end_s = 1769817599,
		.policy = {.adkim = "r",
			.aspf = "r",
			.p = "none",
			.sp = "",
			.np = "",
			.testing = "",
			.pct = -1},
		.records = 2,
		.messages = 5,
		.passed = 3,
		.rows = rows,
		.row_count = 2,
		.auths = auths,
		.auth_count = 2};

	assert_true(rt_ip_parse("192.0.2.1", &rows[0].source));
	return report;
}

static struct eds_report tls(void)
{
	struct eds_report report = aggregate();

	report.kind = EDS_REPORT_TLS;
	report.row_count = 0;
	report.tls_policies = policies;
	report.tls_policy_count = 2;
	report.tls_failures = failures;
	report.tls_failure_count = 3;
	return report;
}

static const struct eds_report_line *line_of(struct rt_ctx *ctx, const struct eds_report *report)
{
	return report_line(ctx, &receiver_log, report, 0);
}

static void assert_taken(struct rt_ctx *ctx, const char *monitored, const char *policy, bool taken)
{
	const struct eds_domain of = {.name = monitored};
	struct report_log log = receiver_log;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.domain = policy;
	log.domain = &of;
	line = report_line(ctx, &log, &report, 0);
	assert_string_equal(line->state, taken ? "read" : "refused");
	if (!taken)
		assert_string_equal(line->reason_code, "report-other-domain");
}

static void a_report_is_taken_for_its_policy_domain_and_below(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_taken(ctx, "example.com", "example.com", true);
	assert_taken(ctx, "example.com", "EXAMPLE.com.", true);
	assert_taken(ctx, "a.mail.example.com", "example.com", true);
	assert_taken(ctx, "a.mail.example.com", "mail.example.com", true);
	assert_taken(ctx, "a.mail.example.com", "com", false);
	assert_taken(ctx, "xn--bcher-kva.example", "bücher.example", true);
	assert_taken(ctx, "example.com", "mail.example.com", false);
	assert_taken(ctx, "notexample.com", "example.com", false);
	assert_taken(ctx, "example.com", "example.com.evil.example", false);
	assert_taken(ctx, "example.com", "", false);
	assert_taken(ctx, "example.com", "..", false);
}

static void a_report_sums_up_what_passed_and_what_failed(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line = line_of(ctx, &report);

	assert_string_equal(line->kind, "dmarc");
	assert_int_equal(line->records, 2);
	assert_int_equal(line->total, 5);
	assert_int_equal(line->passed, 3);
	assert_int_equal(line->failed, 2);
	assert_int_equal(line->begins_at_ms, 1769731200000);
	assert_int_equal(line->ends_at_ms, 1769817599000);
	assert_int_equal(line->received_at_ms, 5000);
}

static void counts_and_times_that_cannot_be_are_bounded(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.row_count = 3;
	report.messages = UINT64_MAX;
	report.passed = UINT64_MAX;
	report.begin_s = INT64_MIN;
	report.end_s = INT64_MAX;
	line = line_of(ctx, &report);
	assert_int_equal(line->total, 1000000000000);
	assert_int_equal(line->passed, 1000000000000);
	assert_int_equal(line->begins_at_ms, 0);
	assert_int_equal(line->ends_at_ms, 0);
}

static void a_report_is_the_same_whatever_brings_it(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report one = aggregate();
	struct eds_report two = aggregate();
	const char *identity = line_of(ctx, &one)->identity;

	two.file = "another.xml";
	two.org = "RECEIVER";
	assert_string_equal(identity, report_line(ctx, &receiver_log, &two, 7)->identity);
	two.report_id = "r2";
	assert_string_not_equal(identity, line_of(ctx, &two)->identity);
	sender.domain = "another.example";
	two = aggregate();
	assert_string_not_equal(identity, line_of(ctx, &two)->identity);
	sender.domain = "receiver.example";
	sender.proved = false;
	two = aggregate();
	assert_string_not_equal(identity, line_of(ctx, &two)->identity);
	sender.proved = true;
}

static bool is_verified(
	struct rt_ctx *ctx, const char *domain_name, const char *org, const char *email)
{
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.org = org;
	report.email = email;
	sender.domain = domain_name;
	line = line_of(ctx, &report);
	sender.domain = "receiver.example";
	assert_true(line->counts == line->origin.verified);
	return line->origin.verified;
}

static void a_report_counts_in_the_name_of_who_sent_it(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_true(
		is_verified(ctx, "google.com", "google.com", "noreply-dmarc-support@google.com"));
	assert_true(is_verified(ctx, "google.com", "mail.google.com", ""));
	assert_true(is_verified(
		ctx, "microsoft.com", "Enterprise Outlook", "dmarcreport@microsoft.com"));
	assert_true(is_verified(ctx, "microsoft.com", "Outlook.com", "dmarcreport@microsoft.com"));
	assert_true(is_verified(ctx, "yahoo.com", "Yahoo", "dmarchelp@yahooinc.com"));
	assert_true(is_verified(ctx, "amazonses.com", "AMAZON-SES", "postmaster@other.example"));
	assert_true(is_verified(ctx, "mail.ru", "Mail.Ru", "dmarc_support@corp.mail.ru"));
	assert_false(is_verified(ctx, "evil.example", "google.com", "x@evil.example"));
	assert_false(is_verified(ctx, "evil.example", "Outlook.com", "x@evil.example"));
	assert_false(is_verified(ctx, "evil.example", "Yahoo", "dmarchelp@yahooinc.com"));
	assert_false(is_verified(ctx, "yahoo.com", "", ""));
	assert_false(is_verified(ctx, "yahoogroups.com", "Yahoo", ""));
	assert_false(is_verified(ctx, "notgoogle.com", "google.com", ""));
	assert_false(is_verified(ctx, "", "google.com", "x@google.com"));
}

static void who_is_known_may_have_any_name_and_proves_his_domain_each_time(void **state)
{
	struct rt_ctx *ctx = *state;

	receiver_log.known.verified_ms = 1;
	assert_true(is_verified(ctx, "evil.example", "google.com", ""));
	sender.proved = false;
	assert_false(is_verified(ctx, "google.com", "google.com", ""));
	sender.proved = true;
	receiver_log.known.verified_ms = 0;
}

static void the_owners_word_goes_before(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	sender.proved = false;
	receiver_log.known.standing = "accepted";
	line = line_of(ctx, &report);
	assert_true(line->counts);
	assert_false(line->origin.verified);
	sender.proved = true;
	receiver_log.known.standing = "blocked";
	line = line_of(ctx, &report);
	assert_false(line->counts);
	assert_string_equal(line->state, "refused");
	assert_string_equal(line->reason_code, "reporter-blocked");
	receiver_log.known.standing = "";
}

static void without_an_id_its_period_tells_it_apart(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report one = aggregate();
	struct eds_report two = aggregate();

	one.report_id = two.report_id = "";
	one.org = two.org = "";
	assert_string_equal(line_of(ctx, &one)->identity, line_of(ctx, &two)->identity);
	two.begin_s++;
	assert_string_not_equal(line_of(ctx, &one)->identity, line_of(ctx, &two)->identity);
	assert_null(line_of(ctx, &one)->organization);
}

static void one_that_was_not_read_is_a_line_of_its_mail(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.kind = EDS_REPORT_UNKNOWN;
	report.fault_code = "report-truncated";
	report.fault = "It ends in the middle.";
	line = report_line(ctx, &receiver_log, &report, 3);
	assert_string_equal(line->state, "refused");
	assert_string_equal(line->kind, "unknown");
	assert_string_equal(line->reason_code, "report-truncated");
	assert_string_equal(line->identity, "mail|m1|3");
	assert_string_equal(report_line_cut(ctx, &receiver_log)->reason_code, "reports-too-many");
	assert_string_not_equal(report_line_cut(ctx, &receiver_log)->identity, line->identity);
}

static void a_tls_report_counts_for_the_policies_of_the_domain(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = tls();
	const struct eds_report_line *line = line_of(ctx, &report);
	struct eds_report_failure_sum *sums;
	size_t count;

	assert_string_equal(line->state, "read");
	assert_string_equal(line->kind, "tls");
	assert_int_equal(line->records, 1);
	assert_int_equal(line->total, 103);
	assert_int_equal(line->passed, 100);
	assert_int_equal(line->failed, 3);
	sums = report_failures(ctx, &domain, &report, &count);
	assert_int_equal(count, 1);
	assert_string_equal(sums[0].type, "certificate-expired");
	assert_int_equal(sums[0].sessions, 7);
	report.tls_policies = &policies[1];
	report.tls_policy_count = 1;
	report.tls_failure_count = 0;
	assert_string_equal(line_of(ctx, &report)->state, "refused");
}

static void the_content_is_shown_as_it_was_kept(void **state)
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

/* The form of programs that stored less. */
static void content_from_before_is_shown_as_far_as_it_goes(void **state)
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

static void one_with_a_flaw_is_read_and_tells_it(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *whole = line_of(ctx, &report);
	const struct eds_report_line *line;

	report.flaw_code = "report-truncated";
	report.flaw = "The report ends in the middle.";
	report.forwarded = 1;
	line = line_of(ctx, &report);
	assert_string_equal(line->state, "read");
	assert_string_equal(line->reason_code, "report-truncated");
	assert_string_equal(line->reason, "The report ends in the middle.");
	assert_string_not_equal(line->identity, whole->identity);
	assert_string_equal(line->whole_identity, whole->identity);
	assert_int_equal(line->passed, 3);
	assert_int_equal(line->forwarded, 1);
	assert_int_equal(line->failed, 1);
	report.flaw_code = "report-email-bare";
	assert_string_equal(line_of(ctx, &report)->identity, whole->identity);
}

static void of_a_tls_report_it_is_what_is_about_the_domain(void **state)
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

static void what_an_earlier_release_did_not_keep_is_told_as_nothing(void **state)
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

static void over_https_a_report_is_one_about_tls(void **state)
{
	struct rt_ctx *ctx = *state;
	struct report_log log = receiver_log;
	struct eds_report other = aggregate();
	struct eds_report report = tls();
	const struct eds_report_line *line;

	log.way = "https";
	log.tls_alone = true;
	line = report_line(ctx, &log, &other, 0);
	assert_string_equal(line->state, "refused");
	assert_string_equal(line->reason_code, "report-not-tls");
	line = report_line(ctx, &log, &report, 0);
	assert_string_equal(line->state, "read");
	assert_string_equal(line->origin.way, "https");
}

static void the_largest_content_is_kept_whole(void **state)
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

static void content_that_was_damaged_is_our_fault(void **state)
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
		TEST(a_report_is_taken_for_its_policy_domain_and_below),
		TEST(a_report_sums_up_what_passed_and_what_failed),
		TEST(counts_and_times_that_cannot_be_are_bounded),
		TEST(a_report_is_the_same_whatever_brings_it),
		TEST(a_report_counts_in_the_name_of_who_sent_it),
		TEST(who_is_known_may_have_any_name_and_proves_his_domain_each_time),
		TEST(the_owners_word_goes_before),
		TEST(without_an_id_its_period_tells_it_apart),
		TEST(one_that_was_not_read_is_a_line_of_its_mail),
		TEST(a_tls_report_counts_for_the_policies_of_the_domain),
		TEST(the_content_is_shown_as_it_was_kept),
		TEST(content_from_before_is_shown_as_far_as_it_goes),
		TEST(one_with_a_flaw_is_read_and_tells_it),
		TEST(of_a_tls_report_it_is_what_is_about_the_domain),
		TEST(what_an_earlier_release_did_not_keep_is_told_as_nothing),
		TEST(over_https_a_report_is_one_about_tls),
		TEST(the_largest_content_is_kept_whole),
		TEST(content_that_was_damaged_is_our_fault),
	};

	return cmocka_run_group_tests_name("reports: lines of the log", tests, NULL, NULL);
}
