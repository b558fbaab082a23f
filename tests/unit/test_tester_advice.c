/* Advice says what is true, and names only records that can be published. */
#include "functions/tester/advice.h"
#include "functions/tester/scoring.h"
#include "tests/support/test-event.h"

/* A message of which nothing is known, from 192.0.2.1. */
static struct analysis *some_analysis(struct rt_ctx *ctx)
{
	struct analysis *analysis = rt_alloc(ctx, sizeof *analysis);

	assert_true(rt_ip_parse("192.0.2.1", &analysis->client.ip));
	analysis->client.is_public = true;
	analysis->client.helo = "mail.example.com";
	analysis->from = (struct eds_from){.domains = {"example.com"}, .count = 1};
	analysis->spf = (struct eds_spf_result){.domain = "example.com",
		.record = "",
		.mechanism = "",
		.explanation = "",
		.reason = ""};
	analysis->dkim.failure = "";
	analysis->dmarc = (struct eds_dmarc_result){
		.record = "", .record_domain = "", .org_domain = "", .applied = "", .reason = ""};
	analysis->ptr = (struct ptr_result){.state = PTR_STATE_UNKNOWN, .reason = "x"};
	analysis->mx.state = MX_STATE_VALID;
	analysis->headers.limit = "";
	return analysis;
}

/* The first item with the code as JSON, NULL when there is none. */
static const char *advice(struct rt_ctx *ctx, const struct analysis *analysis, const char *code)
{
	const json_t *all = advice_json(ctx, analysis);
	const json_t *item;
	size_t i;

	json_array_foreach(all, i, item) if (strcmp(rt_json_string(item, "code"), code) ==
		0) return rt_json_format(ctx, item, NULL);
	return NULL;
}

static void assert_says(const char *text, const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		fail_msg("\"%s\" is not in %s", part, text != NULL ? text : "nothing");
}

static void a_domain_with_an_unusable_dmarc_record_is_not_told_that_it_has_none(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->dmarc.record = "v=DMARC1; p=bogus";
	analysis->dmarc.record_domain = "example.com";
	assert_null(advice(*state, analysis, "dmarc-missing"));
	assert_says(advice(*state, analysis, "dmarc-unusable"), "v=DMARC1; p=bogus");
}

static void several_dmarc_records_are_not_taken_for_none(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	eds_finding_add(*state, &analysis->dmarc.warnings, "dmarc-several-records",
		"_dmarc.example.com has several DMARC records.");
	assert_null(advice(*state, analysis, "dmarc-missing"));
	assert_says(advice(*state, analysis, "dmarc-several-records"),
		"\"message\":\"_dmarc.example.com has several DMARC records.\"");
}

static void a_domain_without_dmarc_gets_a_first_record(void **state)
{
	assert_says(advice(*state, some_analysis(*state), "dmarc-missing"),
		"\"name\":\"_dmarc.example.com\",\"type\":\"TXT\",\"value\":\"v=DMARC1; p=none;");
}

static void the_ptr_record_to_publish_is_the_name_of_helo(void **state)
{
	static const struct {
		const char *helo;
		const char *value;
	} cases[] = {
		{"mail.example.com", "\"value\":\"mail.example.com.\""},
		{"Mail.Example.com.", "\"value\":\"mail.example.com.\""},
		{"", "\"value\":null"},
		{"localhost", "\"value\":null"},
		{"[192.0.2.1]", "\"value\":null"},
		{"192.0.2.1", "\"value\":null"},
		{"?script?.test", "\"value\":null"},
	};
	struct analysis *analysis = some_analysis(*state);

	analysis->ptr.state = PTR_STATE_MISSING;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		analysis->client.helo = cases[i].helo;
		assert_says(advice(*state, analysis, "ptr-missing"), cases[i].value);
	}
}

static void no_address_record_is_asked_for_an_invented_helo(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->ptr = (struct ptr_result){
		.state = PTR_STATE_MISMATCH, .record = "host.example.net", .confirmed = true};
	assert_says(advice(*state, analysis, "ptr-helo-unrelated"),
		"\"name\":\"mail.example.com\",\"type\":\"A\"");
	analysis->client.helo = "??[31m";
	assert_says(advice(*state, analysis, "ptr-helo-unrelated"), "\"record\":null");
}

static void no_spf_record_is_asked_for_an_address_literal(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->spf.code = EDS_SPF_NONE;
	assert_says(advice(*state, analysis, "spf-missing"), "v=spf1 ip4:192.0.2.1 ~all");
	analysis->spf.domain = "[192.0.2.1]";
	assert_null(advice(*state, analysis, "spf-missing"));
}

static void the_corrected_spf_record_keeps_what_was_published(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->spf.code = EDS_SPF_FAIL;
	analysis->spf.record = "V=SPF1 mx -all";
	assert_says(advice(*state, analysis, "spf-fail"), "\"v=spf1 ip4:192.0.2.1 mx -all\"");
}

static void what_may_stand_in_the_unread_part_of_a_header_is_not_missing(void **state)
{
	struct rt_ctx *ctx = *state;
	struct analysis *analysis = some_analysis(ctx);
	struct eds_header header = {.limit = "It is too long."};

	headers_check(ctx, &header, 0, &analysis->headers);
	scoring_apply(analysis);
	for (size_t i = 0; i < analysis->score.count; i++)
		assert_true(analysis->score.applied[i] < MISSING_MID);
	assert_null(advice(ctx, analysis, "message-id-missing"));
	assert_null(advice(ctx, analysis, "date-missing"));
	assert_null(advice(ctx, analysis, "dkim-missing"));
	assert_says(advice(ctx, analysis, "header-limit"), "\"message\":\"It is too long.\"");
	header.limit = "";
	headers_check(ctx, &header, 0, &analysis->headers);
	assert_non_null(advice(ctx, analysis, "message-id-missing"));
	assert_non_null(advice(ctx, analysis, "date-missing"));
	assert_non_null(advice(ctx, analysis, "dkim-missing"));
}

static void warnings_of_many_signatures_crowd_nothing_out(void **state)
{
	struct rt_ctx *ctx = *state;
	struct analysis *analysis = some_analysis(ctx);

	analysis->ptr.state = PTR_STATE_MISSING;
	analysis->dkim.total = analysis->dkim.count = EDS_DKIM_SIGNATURES_MAX;
	for (size_t i = 0; i < EDS_DKIM_SIGNATURES_MAX; i++) {
		analysis->dkim.signatures[i] = (struct eds_dkim_signature){
			.state = EDS_DKIM_VALID, .domain = "example.com", .selector = "s"};
		for (size_t k = 0; k < 8; k++)
			eds_finding_add(
				ctx, &analysis->dkim.signatures[i].warnings, "key-odd", "Odd.");
	}
	assert_non_null(advice(ctx, analysis, "key-odd"));
	assert_non_null(advice(ctx, analysis, "ptr-missing"));
	analysis->headers.message_id_missing = true;
	assert_non_null(advice(ctx, analysis, "message-id-missing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_domain_with_an_unusable_dmarc_record_is_not_told_that_it_has_none),
		TEST(several_dmarc_records_are_not_taken_for_none),
		TEST(a_domain_without_dmarc_gets_a_first_record),
		TEST(the_ptr_record_to_publish_is_the_name_of_helo),
		TEST(no_address_record_is_asked_for_an_invented_helo),
		TEST(no_spf_record_is_asked_for_an_address_literal),
		TEST(the_corrected_spf_record_keeps_what_was_published),
		TEST(what_may_stand_in_the_unread_part_of_a_header_is_not_missing),
		TEST(warnings_of_many_signatures_crowd_nothing_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
