/* SPF and DKIM results in frames: a function refuses a result that cannot be right. */
#include "functions/lib/sandbox/protocol-result.h"

#include "tests/unit/protocol_fixture.h"

static struct eds_spf_result spf_sample(void)
{
	struct eds_spf_result spf = {.code = EDS_SPF_PASS,
		.domain = "sender.example",
		.record = "v=spf1 include:a.example -all",
		.mechanism = "include:a.example",
		.explanation = "why",
		.reason_code = "",
		.reason = "",
		.terms = 10,
		.void_lookups = 2,
		.tree_count = 2,
		.step_count = 2};

	spf.steps[0] = (struct eds_spf_step){.term = 0, .flags = EDS_SPF_STEP_MATCHED};
	spf.steps[1] = (struct eds_spf_step){
		.node = 1, .term = 700, .flags = EDS_SPF_STEP_VOID | EDS_SPF_STEP_OVER};
	spf.tree[0] = (struct eds_spf_node){
		.via = EDS_SPF_VIA_NONE, .domain = "sender.example", .record = "v=spf1"};
	spf.tree[1] = (struct eds_spf_node){
		.depth = 1, .via = EDS_SPF_VIA_INCLUDE, .domain = "a.example", .record = ""};
	return spf;
}

static struct eds_dkim_result dkim_sample(void)
{
	struct eds_dkim_result dkim = {.count = 1, .total = 3, .failure = ""};

	dkim.signatures[0] = (struct eds_dkim_signature){.state = EDS_DKIM_VALID,
		.domain = "sender.example",
		.selector = "s1",
		.identity = "@sender.example",
		.algorithm = "rsa-sha256",
		.canonicalization = "relaxed/simple",
		.body_hash = EDS_DKIM_HASH_MATCH,
		.header_hash = EDS_DKIM_HASH_MATCH,
		.key_state = EDS_KEY_FOUND,
		.key_type = EDS_KEY_RSA,
		.key_bits = 2048,
		.key_testing = true};
	eds_finding_add(&ctx, &dkim.signatures[0].warnings, "key-short", "RSA key has 1024 bits");
	return dkim;
}

static bool spf_passes(const struct eds_spf_result *spf, struct eds_spf_result *back)
{
	struct eds_wire wire;

	out.length = 0;
	eds_put_spf(&out, EDS_FRAME_SPF, spf);
	wire = payload();
	return eds_get_spf(&ctx, &wire, back);
}

static bool dkim_passes(const struct eds_dkim_result *dkim, struct eds_dkim_result *back)
{
	struct eds_wire wire;

	out.length = 0;
	eds_put_dkim(&out, dkim);
	wire = payload();
	return eds_get_dkim(&ctx, &wire, back);
}

static void an_spf_result_arrives_as_it_was_sent(void **state)
{
	struct eds_spf_result spf = spf_sample();
	struct eds_spf_result back;

	(void)state;
	assert_true(spf_passes(&spf, &back));
	assert_int_equal(back.code, EDS_SPF_PASS);
	assert_string_equal(back.domain, spf.domain);
	assert_string_equal(back.record, spf.record);
	assert_string_equal(back.mechanism, spf.mechanism);
	assert_string_equal(back.explanation, "why");
	assert_string_equal(back.reason, "");
	assert_int_equal(back.terms, 10);
	assert_int_equal(back.void_lookups, 2);
	assert_int_equal(back.tree_count, 2);
	assert_int_equal(back.tree[1].depth, 1);
	assert_int_equal(back.tree[1].via, EDS_SPF_VIA_INCLUDE);
	assert_string_equal(back.tree[1].domain, "a.example");
	assert_int_equal(back.step_count, 2);
	assert_int_equal(back.steps[0].flags, EDS_SPF_STEP_MATCHED);
	assert_int_equal(back.steps[1].node, 1);
	assert_int_equal(back.steps[1].term, 700);
	assert_int_equal(back.steps[1].flags, EDS_SPF_STEP_VOID | EDS_SPF_STEP_OVER);
}

static void a_dkim_result_arrives_as_it_was_sent(void **state)
{
	struct eds_dkim_result dkim = dkim_sample();
	struct eds_dkim_result back;
	const struct eds_dkim_signature *signature = &back.signatures[0];

	(void)state;
	assert_true(dkim_passes(&dkim, &back));
	assert_int_equal(back.total, 3);
	assert_int_equal(back.count, 1);
	assert_string_equal(back.failure, "");
	assert_int_equal(signature->state, EDS_DKIM_VALID);
	assert_string_equal(signature->selector, "s1");
	assert_string_equal(signature->identity, "@sender.example");
	assert_string_equal(signature->algorithm, "rsa-sha256");
	assert_string_equal(signature->canonicalization, "relaxed/simple");
	assert_int_equal(signature->key_state, EDS_KEY_FOUND);
	assert_int_equal(signature->key_type, EDS_KEY_RSA);
	assert_int_equal(signature->key_bits, 2048);
	assert_true(signature->key_testing);
	assert_int_equal(signature->errors.count, 0);
	assert_true(eds_finding_has(&signature->warnings, "key-short"));
}

static void the_largest_results_fit_in_a_frame(void **state)
{
	static char text[EDS_RESULT_TEXT_MAX * 2];
	struct eds_spf_result spf = spf_sample();
	struct eds_spf_result back;

	(void)state;
	memset(text, 'x', sizeof text - 1);
	spf.tree_count = EDS_SPF_TREE_MAX;
	for (size_t i = 0; i < EDS_SPF_TREE_MAX; i++)
		spf.tree[i] = (struct eds_spf_node){
			.via = EDS_SPF_VIA_NONE, .domain = text, .record = text};
	assert_true(spf_passes(&spf, &back));
	assert_true(out.length <= EDS_FRAME_BYTES_MAX);
	assert_int_equal(strlen(back.tree[63].record), 4096);
}

/* Cuts a valid payload after each byte in turn: no incomplete payload may be accepted. */
static void a_truncated_result_is_refused(void **state)
{
	struct eds_spf_result spf = spf_sample();
	struct eds_dkim_result dkim = dkim_sample();
	struct eds_spf_result spf_back;
	struct eds_dkim_result dkim_back;

	(void)state;
	assert_true(spf_passes(&spf, &spf_back));
	for (size_t cut = 1; cut <= out.length - EDS_FRAME_HEADER_BYTES; cut++) {
		struct eds_wire wire = payload();

		wire.end -= cut;
		assert_false(eds_get_spf(&ctx, &wire, &spf_back));
	}
	assert_true(dkim_passes(&dkim, &dkim_back));
	for (size_t cut = 1; cut <= out.length - EDS_FRAME_HEADER_BYTES; cut++) {
		struct eds_wire wire = payload();

		wire.end -= cut;
		assert_false(eds_get_dkim(&ctx, &wire, &dkim_back));
	}
}

static void nothing_may_follow_a_result(void **state)
{
	struct eds_spf_result spf = spf_sample();
	struct eds_spf_result back;
	struct eds_wire wire;

	(void)state;
	assert_true(spf_passes(&spf, &back));
	eds_put_u8(&out, 0);
	wire = payload();
	assert_false(eds_get_spf(&ctx, &wire, &back));
}

static void codes_out_of_range_are_refused(void **state)
{
	struct eds_spf_result spf = spf_sample();
	struct eds_dkim_result dkim = dkim_sample();
	struct eds_spf_result spf_back;
	struct eds_dkim_result dkim_back;

	(void)state;
	spf.code = (enum eds_spf_code)7;
	assert_false(spf_passes(&spf, &spf_back));
	spf = spf_sample();
	spf.reason_code = "Not A Code";
	assert_false(spf_passes(&spf, &spf_back));
	spf = spf_sample();
	spf.terms = 1000000;
	assert_false(spf_passes(&spf, &spf_back));
	dkim.signatures[0].state = (enum eds_dkim_state)5;
	assert_false(dkim_passes(&dkim, &dkim_back));
	dkim = dkim_sample();
	dkim.signatures[0].key_bits = 1000000;
	assert_false(dkim_passes(&dkim, &dkim_back));
	dkim = dkim_sample();
	dkim.signatures[0].warnings.items[0].code = "";
	assert_false(dkim_passes(&dkim, &dkim_back));
}

static void a_pass_without_a_domain_or_a_record_is_refused(void **state)
{
	struct eds_spf_result spf = spf_sample();
	struct eds_spf_result back;

	(void)state;
	spf.domain = "";
	assert_false(spf_passes(&spf, &back));
	spf = spf_sample();
	spf.tree_count = 0;
	assert_false(spf_passes(&spf, &back));
	spf = spf_sample();
	spf.reason_code = "syntax";
	assert_false(spf_passes(&spf, &back));
}

static void a_valid_signature_has_a_domain_and_matching_hashes(void **state)
{
	struct eds_dkim_result dkim = dkim_sample();
	struct eds_dkim_result back;
	struct eds_dkim_signature *signature = &dkim.signatures[0];

	(void)state;
	signature->domain = "";
	assert_false(dkim_passes(&dkim, &back));
	dkim = dkim_sample();
	signature->selector = "";
	assert_false(dkim_passes(&dkim, &back));
	dkim = dkim_sample();
	signature->body_hash = EDS_DKIM_HASH_MISMATCH;
	assert_false(dkim_passes(&dkim, &back));
	dkim = dkim_sample();
	signature->header_hash = EDS_DKIM_HASH_UNKNOWN;
	assert_false(dkim_passes(&dkim, &back));
	dkim = dkim_sample();
	eds_finding_add(&ctx, &signature->errors, "expired", "x= has passed");
	assert_false(dkim_passes(&dkim, &back));
	signature->state = EDS_DKIM_INVALID;
	assert_true(dkim_passes(&dkim, &back));
}

static void more_signatures_than_the_total_is_refused(void **state)
{
	struct eds_dkim_result dkim = dkim_sample();
	struct eds_dkim_result back;

	(void)state;
	dkim.total = 0;
	assert_false(dkim_passes(&dkim, &back));
}

static void text_that_is_not_utf8_is_repaired(void **state)
{
	struct eds_spf_result spf = spf_sample();
	struct eds_spf_result back;

	(void)state;
	spf.record = "v=spf1 \xff \xc3\xa9 \xc3";
	assert_true(spf_passes(&spf, &back));
	assert_string_equal(back.record, "v=spf1 \xef\xbf\xbd \xc3\xa9 \xef\xbf\xbd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_spf_result_arrives_as_it_was_sent),
		TEST(a_dkim_result_arrives_as_it_was_sent),
		TEST(the_largest_results_fit_in_a_frame),
		TEST(a_truncated_result_is_refused),
		TEST(nothing_may_follow_a_result),
		TEST(codes_out_of_range_are_refused),
		TEST(a_pass_without_a_domain_or_a_record_is_refused),
		TEST(a_valid_signature_has_a_domain_and_matching_hashes),
		TEST(more_signatures_than_the_total_is_refused),
		TEST(text_that_is_not_utf8_is_repaired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
