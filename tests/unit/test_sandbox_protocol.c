#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "functions/lib/sandbox/protocol-result.h"
#include "functions/lib/sandbox/protocol.h"

static struct rt_ctx ctx;
static struct rt_buffer out;

static int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	ctx.arena = rt_arena_new();
	rt_buffer_init(&out, &ctx, 4 * EDS_FRAME_BYTES_MAX);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

/* The payload of the one frame in out. */
static struct eds_wire payload(void)
{
	return (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
}

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

static void a_task_arrives_as_it_was_sent(void **state)
{
	const struct eds_verify_task task = {.stages = EDS_STAGES,
		.answers = 7,
		.message_bytes = 123456,
		.received_at_ms = 1767225600000,
		.deadline_ms = 42,
		.client = {.family = AF_INET6, .bytes = {0x20, 1, 0xd, 0xb8, [15] = 1}},
		.helo = "mail.example",
		.mail_from = "",
		.receiver = "mx.example"};
	struct eds_verify_task back;
	struct eds_wire wire;

	(void)state;
	eds_put_task(&out, &task);
	wire = payload();
	assert_true(eds_get_task(&ctx, &wire, &back));
	assert_int_equal(back.stages, EDS_STAGES);
	assert_int_equal(back.answers, 7);
	assert_int_equal(back.message_bytes, 123456);
	assert_int_equal(back.received_at_ms, 1767225600000);
	assert_int_equal(back.deadline_ms, 42);
	assert_true(rt_ip_equal(&back.client, &task.client));
	assert_string_equal(back.helo, "mail.example");
	assert_string_equal(back.mail_from, "");
	assert_string_equal(back.receiver, "mx.example");
}

/* The length of the 4-octet address becomes 5, and one octet is added. */
static void an_address_of_five_octets_is_refused(void **state)
{
	const struct eds_verify_task task = {.client = {.family = AF_INET, .bytes = {192, 0, 2, 1}},
		.helo = "mail.example",
		.mail_from = "",
		.receiver = "mx.example"};
	const uint8_t address[] = {4, 192, 0, 2, 1};
	struct eds_verify_task back;
	struct eds_wire wire;
	char *found;

	(void)state;
	eds_put_task(&out, &task);
	wire = payload();
	assert_true(eds_get_task(&ctx, &wire, &back));
	found = memmem(out.bytes, out.length, address, sizeof address);
	assert_non_null(found);
	rt_buffer_add(&out, "x", 1);
	memmove(found + 2, found + 1, (size_t)(out.bytes + out.length - found) - 2);
	*found = 5;
	wire = payload();
	assert_false(eds_get_task(&ctx, &wire, &back));
}

static void an_answer_arrives_as_it_was_sent(void **state)
{
	struct eds_dns_record records[] = {
		{.ip = {.family = AF_INET, .bytes = {192, 0, 2, 1}}},
		{.name = "mx.example", .preference = 10},
		{.txt = "a\0b", .txt_length = 3},
	};
	const struct eds_dns_answer answer = {.name = "a.example",
		.type = EDS_DNS_MX,
		.state = EDS_DNS_TEMPORARY,
		.reason = "SERVFAIL",
		.ttl_s = 300,
		.canonical = "b.example",
		.aliased = true,
		.records = records,
		.count = 3};
	struct eds_dns_answer back;
	struct eds_wire wire;

	(void)state;
	eds_put_answer(&out, &answer);
	wire = payload();
	assert_true(eds_get_answer(&ctx, &wire, &back));
	assert_string_equal(back.name, "a.example");
	assert_int_equal(back.type, EDS_DNS_MX);
	assert_int_equal(back.state, EDS_DNS_TEMPORARY);
	assert_string_equal(back.reason, "SERVFAIL");
	assert_int_equal(back.ttl_s, 300);
	assert_string_equal(back.canonical, "b.example");
	assert_true(back.aliased);
	assert_int_equal(back.count, 3);
	assert_true(rt_ip_equal(&back.records[0].ip, &records[0].ip));
	assert_string_equal(back.records[1].name, "mx.example");
	assert_int_equal(back.records[1].preference, 10);
	assert_int_equal(back.records[2].txt_length, 3);
	assert_memory_equal(back.records[2].txt, "a\0b", 4);
}

static void a_question_has_a_known_type(void **state)
{
	struct eds_question question;
	struct eds_wire wire;

	(void)state;
	eds_put_question(&out, "a.example", EDS_DNS_AAAA);
	wire = payload();
	assert_true(eds_get_question(&ctx, &wire, &question));
	assert_string_equal(question.name, "a.example");
	assert_int_equal(question.type, EDS_DNS_AAAA);
	out.length = 0;
	eds_put_question(&out, "a.example", (enum eds_dns_type)255);
	wire = payload();
	assert_false(eds_get_question(&ctx, &wire, &question));
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
static void no_part_of_a_result_is_taken_for_the_whole(void **state)
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

static void a_valid_signature_must_deserve_it(void **state)
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

static void more_signatures_than_there_are_is_refused(void **state)
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

static void text_with_a_nul_is_refused(void **state)
{
	struct eds_wire wire;

	(void)state;
	eds_put_bytes(&out, "a\0b", 3);
	wire = (struct eds_wire){.at = out.bytes, .end = out.bytes + out.length};
	assert_string_equal(eds_get_text(&ctx, &wire, 10), "");
	assert_false(eds_wire_finished(&wire));
}

static void frames_are_cut_out_of_what_arrives(void **state)
{
	struct eds_frame_reader reader;
	struct eds_wire wire;
	uint32_t kind;
	int pair[2];

	(void)state;
	eds_put_done(&out);
	eds_put_question(&out, "a.example", EDS_DNS_TXT);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	eds_frame_reader_init(&reader, &ctx, pair[0]);
	for (size_t i = 0; i < out.length; i++) {
		assert_int_equal(eds_frame_read(&reader, &kind, &wire) == EDS_FRAME_WHOLE, i == 8);
		assert_int_equal(write(pair[1], out.bytes + i, 1), 1);
	}
	assert_int_equal(eds_frame_read(&reader, &kind, &wire), EDS_FRAME_WHOLE);
	assert_int_equal(kind, EDS_FRAME_QUESTION);
	close(pair[1]);
	assert_int_equal(eds_frame_read(&reader, &kind, &wire), EDS_FRAME_ENDED);
	close(pair[0]);
}

static void a_frame_that_claims_too_much_is_bad_at_once(void **state)
{
	const uint32_t header[2] = {EDS_FRAME_BYTES_MAX + 1, EDS_FRAME_SPF};
	struct eds_frame_reader reader;
	struct eds_wire wire;
	uint32_t kind;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	eds_frame_reader_init(&reader, &ctx, pair[0]);
	assert_int_equal(write(pair[1], header, sizeof header), sizeof header);
	assert_int_equal(eds_frame_read(&reader, &kind, &wire), EDS_FRAME_BAD);
	close(pair[0]);
	close(pair[1]);
}

static void a_number_over_its_most_is_none_and_the_frame_is_bad(void **state)
{
	static const uint8_t bytes[] = {2, 0, 0, 0, 3, 0, 0, 0, 2, 3};
	struct eds_wire wire = {.at = (const char *)bytes, .end = (const char *)bytes + 10};

	(void)state;
	assert_int_equal(eds_get_count(&wire, 2), 2);
	assert_false(wire.bad);
	assert_int_equal(eds_get_count(&wire, 2), 0);
	assert_true(wire.bad);
	wire.bad = false;
	assert_int_equal(eds_get_enum(&wire, 2), 2);
	assert_false(wire.bad);
	assert_int_equal(eds_get_enum(&wire, 2), 0);
	assert_true(wire.bad);
	assert_false(eds_wire_finished(&wire));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_task_arrives_as_it_was_sent),
		TEST(an_address_of_five_octets_is_refused),
		TEST(an_answer_arrives_as_it_was_sent),
		TEST(a_question_has_a_known_type),
		TEST(an_spf_result_arrives_as_it_was_sent),
		TEST(a_dkim_result_arrives_as_it_was_sent),
		TEST(the_largest_results_fit_in_a_frame),
		TEST(no_part_of_a_result_is_taken_for_the_whole),
		TEST(nothing_may_follow_a_result),
		TEST(codes_out_of_range_are_refused),
		TEST(a_pass_without_a_domain_or_a_record_is_refused),
		TEST(a_valid_signature_must_deserve_it),
		TEST(more_signatures_than_there_are_is_refused),
		TEST(text_that_is_not_utf8_is_repaired),
		TEST(text_with_a_nul_is_refused),
		TEST(frames_are_cut_out_of_what_arrives),
		TEST(a_number_over_its_most_is_none_and_the_frame_is_bad),
		TEST(a_frame_that_claims_too_much_is_bad_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
