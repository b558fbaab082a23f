/* Rules, their sum and the verdict, as in the tables of the API. */

#include "functions/tester/headers.h"
#include "functions/tester/rules.h"
#include "functions/tester/scoring.h"
#include "runtime/json-format.h"
#include "tests/support/test-event.h"

static void every_rule_has_the_score_of_the_interface(void **state)
{
	static const struct {
		const char *name;
		int tenths;
	} interface[] = {
		{"SPF_PASS", -2},
		{"SPF_SOFTFAIL", 10},
		{"SPF_FAIL", 60},
		{"SPF_PERMERROR", 15},
		{"SPF_TEMPERROR", 10},
		{"DKIM_VALID", -5},
		{"DKIM_INVALID", 60},
		{"DMARC_PASS", -5},
		{"DMARC_FAIL_REJECT", 20},
		{"DMARC_FAIL_QUARANTINE", 10},
		{"DMARC_FAIL_NONE", 5},
		{"PTR_MISSING", 20},
		{"PTR_MISMATCH", 15},
		{"PTR_VALID", -1},
		{"MX_NONE", 20},
		{"MX_INVALID", 10},
		{"BLOCKLIST_COMBINED", 80},
		{"BLOCKLIST_RELAY", 50},
		{"BLOCKLIST_REPUTATION", 50},
		{"BLOCKLIST_REPORTED", 40},
		{"MISSING_MID", 10},
		{"MISSING_DATE", 5},
		{"DATE_IN_FUTURE", 20},
	};

	(void)state;
	assert_int_equal(sizeof interface / sizeof interface[0], TESTER_RULES);
	for (int rule = 0; rule < TESTER_RULES; rule++) {
		assert_string_equal(tester_rule_name((enum tester_rule)rule), interface[rule].name);
		assert_int_equal(
			tester_rule_tenths((enum tester_rule)rule), interface[rule].tenths);
	}
}

static void a_score_on_a_boundary_belongs_to_the_range_above(void **state)
{
	static const struct {
		int tenths;
		const char *verdict;
	} cases[] = {{-50, "ham"}, {0, "ham"}, {29, "ham"}, {30, "probable_spam"},
		{59, "probable_spam"}, {60, "spam"}, {99, "spam"}, {100, "high_spam"},
		{400, "high_spam"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(
			tester_verdict_name(tester_verdict(cases[i].tenths)), cases[i].verdict);
}

static const char *breakdown(struct rt_ctx *ctx, const struct tester_score *score)
{
	return rt_json_format(ctx, tester_breakdown_json(ctx, score), NULL);
}

static void the_total_is_exact_and_zero_has_no_sign(void **state)
{
	struct rt_ctx *ctx = *state;
	struct tester_score score = {0};

	for (int i = 0; i < 10; i++)
		tester_rule_apply(&score, DKIM_VALID);
	tester_rule_apply(&score, BLOCKLIST_RELAY);
	assert_int_equal(tester_score_tenths(&score), 0);
	assert_string_equal(rt_json_format(ctx, tester_tenths_json(0), NULL), "0.0");
}

static void the_breakdown_lists_rules_with_their_points(void **state)
{
	struct tester_score score = {0};

	tester_rule_apply(&score, SPF_PASS);
	tester_rule_apply(&score, PTR_MISMATCH);
	assert_string_equal(breakdown(*state, &score),
		"[{\"rule\":\"SPF_PASS\",\"score\":-0.2},{\"rule\":\"PTR_MISMATCH\",\"score\":1.5}"
		"]");
}

static struct analysis *quiet_analysis(struct rt_ctx *ctx)
{
	struct analysis *analysis = rt_alloc(ctx, sizeof *analysis);

	analysis->headers.message_id = "<x@example.com>";
	analysis->ptr.state = PTR_STATE_UNKNOWN;
	analysis->mx.state = EDS_MX_STATE_UNKNOWN;
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		analysis->lists[i].state = EDS_DNSBL_UNKNOWN;
	return analysis;
}

static void an_unknown_result_scores_nothing(void **state)
{
	struct analysis *analysis = quiet_analysis(*state);

	analysis->dmarc.code = EDS_DMARC_TEMPERROR;
	analysis->dmarc.has_record = true;
	analysis->headers.date = DATE_UNKNOWN;
	analysis->dkim.count = 2;
	analysis->dkim.signatures[0].state = EDS_DKIM_TEMPORARY;
	analysis->dkim.signatures[1].state = EDS_DKIM_UNCHECKED;
	scoring_apply(analysis);
	assert_string_equal(breakdown(*state, &analysis->score), "[]");
}

static void a_date_that_cannot_be_read_counts_as_missing(void **state)
{
	struct analysis *analysis = quiet_analysis(*state);

	analysis->headers.date = DATE_UNREADABLE;
	scoring_apply(analysis);
	assert_string_equal(
		breakdown(*state, &analysis->score), "[{\"rule\":\"MISSING_DATE\",\"score\":0.5}]");
}

static void each_valid_signature_counts_and_invalid_ones_once(void **state)
{
	struct analysis *analysis = quiet_analysis(*state);
	static const enum eds_dkim_state states[] = {EDS_DKIM_INVALID, EDS_DKIM_VALID,
		EDS_DKIM_INVALID, EDS_DKIM_TESTING, EDS_DKIM_VALID};

	analysis->dkim.count = 5;
	for (size_t i = 0; i < 5; i++)
		analysis->dkim.signatures[i].state = states[i];
	scoring_apply(analysis);
	assert_int_equal(analysis->score.count, 3);
	assert_int_equal(tester_score_tenths(&analysis->score), -5 - 5 + 60);
}

static void dmarc_scores_only_with_a_record_and_a_decided_result(void **state)
{
	static const struct {
		enum eds_dmarc_code code;
		bool has_record;
		enum eds_dmarc_policy policy;
		int tenths;
	} cases[] = {
		{EDS_DMARC_PASS, true, EDS_DMARC_P_REJECT, -5},
		{EDS_DMARC_FAIL, true, EDS_DMARC_P_REJECT, 20},
		{EDS_DMARC_FAIL, true, EDS_DMARC_P_QUARANTINE, 10},
		{EDS_DMARC_FAIL, true, EDS_DMARC_P_NONE, 5},
		{EDS_DMARC_NONE, false, EDS_DMARC_P_NONE, 0},
		{EDS_DMARC_PERMERROR, false, EDS_DMARC_P_NONE, 0},
		{EDS_DMARC_PERMERROR, true, EDS_DMARC_P_REJECT, 0},
		{EDS_DMARC_TEMPERROR, true, EDS_DMARC_P_REJECT, 0},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct analysis *analysis = quiet_analysis(*state);

		analysis->dmarc.code = cases[i].code;
		analysis->dmarc.has_record = cases[i].has_record;
		analysis->dmarc.policy = cases[i].policy;
		scoring_apply(analysis);
		assert_int_equal(tester_score_tenths(&analysis->score), cases[i].tenths);
	}
}

static void fields_of_forwarders_and_lists_are_found(void **state)
{
	static const char *const fields[] = {
		"Resent-From", "X-Forwarded-To", "X-Forwarded-For", "Delivered-To", "List-Post"};
	struct headers_result result;
	struct eds_header header;

	(void)state;
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		char *text = rt_printf(&test_event, "%s: x\r\nList-Id: y\r\n\r\n", fields[i]);

		eds_header_read(&test_event, text, strlen(text), &header);
		headers_check(&test_event, &header, 0, &result);
		assert_string_equal(result.passed_on, fields[i]);
	}
	eds_header_read(&test_event, "List-Id: y\r\nARC-Seal: z\r\n\r\n", 27, &header);
	headers_check(&test_event, &header, 0, &result);
	assert_null(result.passed_on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_rule_has_the_score_of_the_interface),
		TEST(fields_of_forwarders_and_lists_are_found),
		TEST(a_score_on_a_boundary_belongs_to_the_range_above),
		TEST(the_total_is_exact_and_zero_has_no_sign),
		TEST(the_breakdown_lists_rules_with_their_points),
		TEST(an_unknown_result_scores_nothing),
		TEST(a_date_that_cannot_be_read_counts_as_missing),
		TEST(each_valid_signature_counts_and_invalid_ones_once),
		TEST(dmarc_scores_only_with_a_record_and_a_decided_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
