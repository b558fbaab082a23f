/* The advice is correct, and proposes only records that can be published. */
#include "functions/tester/advice/advice.h"
#include "functions/tester/scoring.h"
#include "runtime/json-format.h"
#include "tests/support/test-event.h"

/* A message from 192.0.2.1 about which nothing else is known. */
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
	analysis->dmarc = (struct eds_dmarc_result){.record = "",
		.record_domain = "",
		.org_domain = "",
		.reason = "",
		.spf.domain = "",
		.dkim.domain = ""};
	analysis->ptr = (struct ptr_result){.state = PTR_STATE_UNKNOWN, .reason = "x"};
	analysis->mx.state = EDS_MX_STATE_VALID;
	analysis->headers.limit = "";
	return analysis;
}

/* The first item of advice with this code, as JSON text; NULL if there is none. */
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

static void an_unusable_dmarc_record_is_not_reported_as_missing(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->dmarc.record = "v=DMARC1; p=bogus";
	analysis->dmarc.record_domain = "example.com";
	assert_null(advice(*state, analysis, "dmarc-missing"));
	assert_says(advice(*state, analysis, "dmarc-unusable"), "v=DMARC1; p=bogus");
}

static void several_dmarc_records_are_not_reported_as_missing(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	eds_finding_add(*state, &analysis->dmarc.warnings, "dmarc-several-records",
		"_dmarc.example.com has several DMARC records.");
	assert_null(advice(*state, analysis, "dmarc-missing"));
	assert_says(advice(*state, analysis, "dmarc-several-records"),
		"\"message\":\"_dmarc.example.com has several DMARC records. Receivers then use none of them. Remove all but the one that you mean.\"");
}

static void a_domain_without_dmarc_gets_a_first_record(void **state)
{
	assert_says(advice(*state, some_analysis(*state), "dmarc-missing"),
		"\"name\":\"_dmarc.example.com\",\"type\":\"TXT\",\"value\":\"v=DMARC1; p=none\"}");
}

static void a_missing_domain_gets_no_advice_to_publish_dmarc(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->dmarc.no_such_domain = true;
	assert_null(advice(*state, analysis, "dmarc-missing"));
	assert_says(advice(*state, analysis, "from-domain-missing"), "\"record\":null");
}

/* An analysis of mail that fails strict alignment ("aspf=s") only because SPF passed for a
 * subdomain. */
static struct analysis *strict_failure(struct rt_ctx *ctx, const char *record)
{
	struct analysis *analysis = some_analysis(ctx);

	analysis->dmarc.code = EDS_DMARC_FAIL;
	analysis->dmarc.has_record = true;
	analysis->dmarc.record = record;
	analysis->dmarc.record_exact = true;
	analysis->dmarc.record_domain = "example.com";
	analysis->dmarc.policy = EDS_DMARC_P_REJECT;
	analysis->dmarc.spf = (struct eds_dmarc_identifier){
		.domain = "b.example.com", .strict = true, .passed = true, .strict_alone = true};
	analysis->dmarc.dkim.domain = "";
	return analysis;
}

static void advice_on_strict_alignment_shows_the_record_with_relaxed_alignment(void **state)
{
	struct analysis *analysis = strict_failure(
		*state, "v=DMARC1; p=reject; ASPF = s;rua=mailto:a@example.com");

	assert_says(advice(*state, analysis, "dmarc-strict"),
		"\"value\":\"v=DMARC1; p=reject; ASPF = r;rua=mailto:a@example.com\"");
	assert_null(advice(*state, analysis, "dmarc-fail"));
	analysis->dmarc.record_exact = false;
	assert_says(advice(*state, analysis, "dmarc-strict"), "\"record\":null");
}

static void a_providers_signature_gets_advice_to_sign_with_the_own_domain(void **state)
{
	struct analysis *analysis = strict_failure(*state, "v=DMARC1; p=reject");

	analysis->dmarc.spf = (struct eds_dmarc_identifier){.domain = "mailer.example"};
	analysis->dmarc.dkim = (struct eds_dmarc_identifier){
		.domain = "mailer.example", .passed = true};
	assert_says(advice(*state, analysis, "dmarc-foreign-signature"), "d=example.com");
	assert_says(advice(*state, analysis, "dmarc-foreign-signature"), "mailer.example");
}

static void a_bounce_is_not_told_to_use_an_envelope_sender(void **state)
{
	struct analysis *analysis = strict_failure(*state, "v=DMARC1; p=reject");

	analysis->dmarc.spf = (struct eds_dmarc_identifier){.domain = ""};
	analysis->dmarc.reason = "Neither passed.";
	analysis->mail_from = "";
	assert_says(advice(*state, analysis, "dmarc-fail"), "The envelope sender is empty");
	analysis->mail_from = "a@example.com";
	assert_says(advice(*state, analysis, "dmarc-fail"), "or use an envelope sender under it");
}

static void advice_names_the_tags_that_change_the_policy(void **state)
{
	struct analysis *analysis = strict_failure(*state, "v=DMARC1; p=reject; t=y");

	analysis->dmarc.applied = EDS_DMARC_TAG_NP;
	analysis->dmarc.tags.testing = true;
	analysis->dmarc.published = EDS_DMARC_P_REJECT;
	analysis->dmarc.policy = EDS_DMARC_P_QUARANTINE;
	assert_says(advice(*state, analysis, "dmarc-in-testing"), "np=reject counts as quarantine");
	assert_says(advice(*state, analysis, "dmarc-np"), "np=reject");
}

static void the_proposed_ptr_record_is_the_helo_name(void **state)
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
		{"localhost.localdomain", "\"value\":null"},
		{"server.local", "\"value\":null"},
		{"mail", "\"value\":null"},
		{"dsl-2-1.provider.example", "\"value\":null"},
		{"host-192-0-2-1.provider.example", "\"value\":null"},
		{"pool7.provider.example", "\"value\":null"},
	};
	struct analysis *analysis = some_analysis(*state);

	analysis->ptr.state = PTR_STATE_MISSING;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		analysis->client.helo = cases[i].helo;
		assert_says(advice(*state, analysis, "ptr-missing"), cases[i].value);
	}
}

static void a_helo_name_with_another_address_is_not_proposed_as_ptr(void **state)
{
	static const enum helo_state states[] = {HELO_ELSEWHERE, HELO_UNRESOLVED, HELO_UNKNOWN};
	struct analysis *analysis = some_analysis(*state);

	analysis->ptr.state = PTR_STATE_MISSING;
	for (size_t i = 0; i < 3; i++) {
		analysis->ptr.helo = states[i];
		assert_says(advice(*state, analysis, "ptr-missing"), "\"value\":null");
		assert_says(advice(*state, analysis, "ptr-missing"), "First let the server greet");
	}
}

static void a_generic_provider_name_is_not_proposed_as_helo(void **state)
{
	static const char *const generic[] = {"static-2-1.dsl.provider.example",
		"ip-192-0-2-1.provider.example", "pool-9.provider.example",
		"dyn.host.provider.example", "dhcp12.provider.example", "cable-1.provider.example",
		"ppp5.provider.example", "dynamic.provider.example", "adsl-7.provider.example",
		"vdsl.provider.example", "dialup3.provider.example", "broadband.provider.example",
		"customer-4.provider.example", "c0000201.provider.example",
		"hc0000201x.provider.example", "C0000201.provider.example",
		"host-2-1.provider.example", "1.2.0.192.provider.example"};
	static const char *const own[] = {"mx2.provider.example", "dynamo.example",
		"mail.poolside.example", "cables.example.com", "a1.example.com",
		"c000020.provider.example", "2.provider.example"};
	struct analysis *analysis = some_analysis(*state);

	analysis->ptr.state = PTR_STATE_MISMATCH;
	analysis->ptr.confirmed = true;
	for (size_t i = 0; i < sizeof generic / sizeof *generic; i++) {
		analysis->ptr.record = generic[i];
		assert_says(advice(*state, analysis, "ptr-generic"), "Ask the provider");
		assert_null(advice(*state, analysis, "ptr-helo-unrelated"));
	}
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		analysis->ptr.record = own[i];
		assert_says(advice(*state, analysis, "ptr-helo-unrelated"), "Let it greet as");
	}
}

static void an_address_record_is_proposed_only_for_ones_own_name(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->ptr = (struct ptr_result){
		.state = PTR_STATE_MISMATCH, .record = "mail.example.com"};
	assert_says(advice(*state, analysis, "ptr-unconfirmed"),
		"\"name\":\"mail.example.com\",\"type\":\"A\",\"value\":\"192.0.2.1\"");
	analysis->ptr.record = "host7.provider.example";
	assert_says(advice(*state, analysis, "ptr-unconfirmed"), "\"record\":null");
}

static void no_address_record_is_proposed_for_an_invented_helo(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->ptr = (struct ptr_result){.state = PTR_STATE_MISMATCH,
		.record = "host.example.net",
		.confirmed = true,
		.helo = HELO_UNRESOLVED};
	assert_says(advice(*state, analysis, "ptr-helo-unrelated"),
		"\"name\":\"mail.example.com\",\"type\":\"A\"");
	analysis->client.helo = "??[31m";
	assert_says(advice(*state, analysis, "ptr-helo-unrelated"), "\"record\":null");
}

static void no_spf_record_is_proposed_for_an_address_literal(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->spf.code = EDS_SPF_NONE;
	assert_says(advice(*state, analysis, "spf-missing"), "v=spf1 ip4:192.0.2.1 ~all");
	analysis->spf.domain = "[192.0.2.1]";
	assert_null(advice(*state, analysis, "spf-missing"));
}

static void the_corrected_spf_record_keeps_the_published_terms(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	analysis->spf.code = EDS_SPF_FAIL;
	analysis->spf.record = "V=SPF1 mx -all";
	assert_says(advice(*state, analysis, "spf-fail"), "\"v=spf1 ip4:192.0.2.1 mx -all\"");
}

static void a_forwarders_address_is_not_proposed_for_the_authors_spf_record(void **state)
{
	static const enum eds_spf_code codes[] = {
		EDS_SPF_FAIL, EDS_SPF_SOFTFAIL, EDS_SPF_NEUTRAL, EDS_SPF_NONE};
	static const char *const advices[] = {
		"spf-fail", "spf-softfail", "spf-neutral", "spf-missing"};
	struct analysis *analysis = some_analysis(*state);

	for (size_t i = 0; i < 4; i++) {
		analysis->spf.code = codes[i];
		analysis->spf.record = codes[i] == EDS_SPF_NONE ? "" : "v=spf1 mx -all";
		analysis->headers.passed_on = NULL;
		analysis->dkim.count = 0;
		assert_says(advice(*state, analysis, advices[i]), "ip4:192.0.2.1");
		analysis->headers.passed_on = "Delivered-To";
		assert_says(advice(*state, analysis, advices[i]), "\"record\":null");
		analysis->headers.passed_on = NULL;
		analysis->dkim.count = 1;
		analysis->dkim.signatures[0] = (struct eds_dkim_signature){
			.state = EDS_DKIM_VALID, .domain = "example.com", .selector = "s"};
		assert_says(advice(*state, analysis, advices[i]), "\"record\":null");
	}
}

/* The advice on records through which SPF passed: open ones get a warning. */
static void an_open_spf_record_is_not_praised(void **state)
{
	static const struct {
		const char *record;
		const char *code;
	} cases[] = {
		{"v=spf1 +all", "spf-allows-all"},
		{"v=spf1 a all", "spf-allows-all"},
		{"v=spf1 mx ?all", "spf-neutral-all"},
		{"v=spf1 mx", "spf-no-all"},
		{"v=spf1 ptr -all", "spf-ptr"},
		{"v=spf1 ip4:0.0.0.0/0 -all", "spf-wide-network"},
		{"v=spf1 ip4:192.0.0.0/8 -all", "spf-wide-network"},
		{"v=spf1 ip6:2000::/3 -all", "spf-wide-network"},
		{"v=spf1 a/1 -all", "spf-wide-network"},
	};
	static const char *const closed[] = {"v=spf1 mx -all", "v=spf1 mx ~all",
		"v=spf1 ip4:192.0.0.0/9 -all", "v=spf1 redirect=_spf.example.net",
		"v=spf1 -ip4:10.0.0.0/8 mx -all"};
	struct analysis *analysis = some_analysis(*state);

	analysis->spf.code = EDS_SPF_PASS;
	analysis->spf.tree_count = 1;
	analysis->spf.tree[0] = (struct eds_spf_node){
		.via = EDS_SPF_VIA_NONE, .domain = "example.com"};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		analysis->spf.tree[0].record = cases[i].record;
		assert_says(advice(*state, analysis, cases[i].code), "example.com");
		assert_says(advice(*state, analysis, "spf-pass"), "\"severity\":\"note\"");
	}
	for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
		analysis->spf.tree[0].record = closed[i];
		assert_says(advice(*state, analysis, "spf-pass"), "\"severity\":\"good\"");
	}
	/* how an included record ends does not matter, unless the included record lets all servers
	 * pass */
	analysis->spf.tree_count = 2;
	analysis->spf.tree[0].record = "v=spf1 include:b.example -all";
	analysis->spf.tree[1] = (struct eds_spf_node){.depth = 1,
		.via = EDS_SPF_VIA_INCLUDE,
		.domain = "b.example",
		.record = "v=spf1 mx ?all"};
	assert_says(advice(*state, analysis, "spf-pass"), "\"severity\":\"good\"");
	analysis->spf.tree[1].record = "v=spf1 +all";
	assert_says(advice(*state, analysis, "spf-allows-all"), "b.example");
}

/* +all and wide networks let other servers pass; a record that says nothing about them does not. */
static void only_a_record_that_lets_strangers_pass_is_called_open(void **state)
{
	static const char *const open[] = {"v=spf1 +all", "v=spf1 ip4:192.0.0.0/8 -all"};
	static const char *const weak[] = {"v=spf1 mx", "v=spf1 mx ?all", "v=spf1 ptr -all"};
	struct analysis *analysis = some_analysis(*state);

	analysis->spf.code = EDS_SPF_PASS;
	analysis->spf.tree_count = 1;
	analysis->spf.tree[0] = (struct eds_spf_node){
		.via = EDS_SPF_VIA_NONE, .domain = "example.com"};
	for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
		analysis->spf.tree[0].record = open[i];
		assert_says(advice(*state, analysis, "spf-pass"),
			"\"SPF passes for example.com, but its record lets servers pass that are "
			"not its own.\"");
	}
	for (size_t i = 0; i < sizeof weak / sizeof weak[0]; i++) {
		analysis->spf.tree[0].record = weak[i];
		assert_says(advice(*state, analysis, "spf-pass"),
			"\"SPF authorizes this server for example.com; its record can be "
			"improved.\"");
	}
}

static void a_field_that_may_be_in_the_unread_part_of_a_header_is_not_missing(void **state)
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
	assert_says(advice(ctx, analysis, "header-limit"),
		"\"message\":\"It is too long. Let the sending program or server write a shorter header.\"");
	header.limit = "";
	headers_check(ctx, &header, 0, &analysis->headers);
	assert_non_null(advice(ctx, analysis, "message-id-missing"));
	assert_non_null(advice(ctx, analysis, "date-missing"));
	assert_non_null(advice(ctx, analysis, "dkim-missing"));
}

static void warnings_of_many_signatures_do_not_crowd_out_other_advice(void **state)
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

static void unknown_facts_about_the_sending_address_have_their_own_advice(void **state)
{
	struct analysis *analysis = some_analysis(*state);

	assert_null(advice(*state, analysis, "client-not-public"));
	analysis->client.is_public = false;
	assert_says(advice(*state, analysis, "client-not-public"),
		"The message came from 192.0.2.1, which is not a public Internet address");
	assert_null(advice(*state, analysis, "client-unknown"));
	analysis->client.ip = (struct rt_ip){0};
	assert_says(advice(*state, analysis, "client-unknown"),
		"The address that sent the message is not known");
	assert_null(advice(*state, analysis, "client-not-public"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unknown_facts_about_the_sending_address_have_their_own_advice),
		TEST(an_unusable_dmarc_record_is_not_reported_as_missing),
		TEST(several_dmarc_records_are_not_reported_as_missing),
		TEST(a_domain_without_dmarc_gets_a_first_record),
		TEST(a_missing_domain_gets_no_advice_to_publish_dmarc),
		TEST(advice_on_strict_alignment_shows_the_record_with_relaxed_alignment),
		TEST(a_providers_signature_gets_advice_to_sign_with_the_own_domain),
		TEST(a_bounce_is_not_told_to_use_an_envelope_sender),
		TEST(advice_names_the_tags_that_change_the_policy),
		TEST(the_proposed_ptr_record_is_the_helo_name),
		TEST(a_helo_name_with_another_address_is_not_proposed_as_ptr),
		TEST(a_generic_provider_name_is_not_proposed_as_helo),
		TEST(an_address_record_is_proposed_only_for_ones_own_name),
		TEST(no_address_record_is_proposed_for_an_invented_helo),
		TEST(no_spf_record_is_proposed_for_an_address_literal),
		TEST(the_corrected_spf_record_keeps_the_published_terms),
		TEST(a_forwarders_address_is_not_proposed_for_the_authors_spf_record),
		TEST(an_open_spf_record_is_not_praised),
		TEST(only_a_record_that_lets_strangers_pass_is_called_open),
		TEST(a_field_that_may_be_in_the_unread_part_of_a_header_is_not_missing),
		TEST(warnings_of_many_signatures_do_not_crowd_out_other_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
