/* The sandbox with honest children: their input, their questions and their results. */
#include "functions/lib/sandbox/ahead.h"
#include "runtime/config/config.h"
#include "runtime/time.h"
#include "tests/unit/sandbox_fixture.h"

static void an_honest_child_is_believed(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("honest", &output), RT_OK);
	assert_honest(&output);
}

static void the_child_reads_the_message_from_its_descriptor(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("show-message", &output), RT_OK);
	assert_string_equal(output.dkim.signatures[0].identity, message);
}

static void an_empty_message_is_verified_too(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("show-message");

	(void)state;
	assert_int_equal(ftruncate(message_fd, 0), 0);
	input.message_bytes = 0;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_string_equal(output.dkim.signatures[0].identity, "");
}

static void without_a_client_address_spf_is_none(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("honest");

	(void)state;
	input.client.family = 0;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_NONE);
	assert_string_equal(output.spf.domain, "sender.example");
	assert_int_equal(output.spf_helo.code, EDS_SPF_NONE);
	assert_int_equal(output.dkim.count, 1);
}

static void the_null_sender_has_one_identity(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("honest");

	(void)state;
	input.mail_from = "";
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_FAIL);
}

static void a_question_is_answered(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	input.receiver = "Key.Sender.Example.";
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_string_equal(output.dkim.failure, "answered");
	assert_string_equal(dns.last_name, "key.sender.example");
	assert_int_equal(dns.asked, 1);
}

static void a_question_with_a_known_answer_is_not_asked(void **state)
{
	struct eds_dns_record record = {.txt = "known", .txt_length = 5};
	const struct eds_dns_answer known[] = {
		{.name = "other.example", .type = EDS_DNS_TXT, .state = EDS_DNS_NO_NAME},
		{.name = "key.example", .type = EDS_DNS_A, .state = EDS_DNS_NO_DATA},
		{.name = "key.example", .type = EDS_DNS_TXT, .records = &record, .count = 1},
	};
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	dns.known = known;
	dns.known_count = 3;
	input.receiver = "KEY.example";
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_string_equal(output.dkim.failure, "known");
	assert_int_equal(dns.asked, 0);
}

static void more_answers_than_the_socket_holds_are_handed_over(void **state)
{
	static struct eds_dns_answer known[EDS_DNS_QUERIES_MAX];
	struct eds_dns_record record = {.txt = message, .txt_length = 26};
	static char text[4000];
	struct eds_verify_output output;

	(void)state;
	memset(text, 'x', sizeof text);
	record.txt = text;
	record.txt_length = sizeof text;
	for (size_t i = 0; i < EDS_DNS_QUERIES_MAX; i++)
		known[i] = (struct eds_dns_answer){.name = rt_printf(&ctx, "n%zu.example", i),
			.type = EDS_DNS_TXT,
			.records = &record,
			.count = 1};
	dns.known = known;
	dns.known_count = EDS_DNS_QUERIES_MAX;
	assert_int_equal(verify("honest", &output), RT_OK);
	assert_honest(&output);
}

static uint32_t length_of_frame(const char *at)
{
	struct eds_wire wire = {.at = at, .end = at + EDS_FRAME_HEADER_BYTES};

	return eds_get_u32(&wire);
}

/* An answer for which there is no room is left out completely, and smaller ones after it may still
 * fit.
 */
static void a_known_answer_without_room_in_the_task_is_left_out_whole(void **state)
{
	/* eight of the large answers fit in the task */
	enum { SMALL = 100, LARGE = 30 * 1000, COUNT = 12 };
	static char text[LARGE];
	struct eds_dns_record records[] = {
		{.txt = text, .txt_length = LARGE}, {.txt = text, .txt_length = SMALL}};
	struct eds_dns_answer known[COUNT];
	struct eds_verify_input input = input_for("honest");
	struct eds_verify_task task;
	struct eds_dns_answer answer;
	struct rt_buffer out;
	struct eds_wire wire;

	(void)state;
	memset(text, 'x', sizeof text);
	for (size_t i = 0; i < COUNT; i++)
		known[i] = (struct eds_dns_answer){.name = rt_printf(&ctx, "n%zu.example", i),
			.type = EDS_DNS_TXT,
			.records = &records[i / (COUNT - 1)],
			.count = 1};
	dns.known = known;
	dns.known_count = COUNT;
	eds_put_ahead(&ctx, &dns, &input, EDS_STAGES, &out);
	wire = (struct eds_wire){.at = out.bytes + EDS_FRAME_HEADER_BYTES};
	wire.end = wire.at + length_of_frame(out.bytes);
	assert_true(eds_get_task(&ctx, &wire, &task));
	assert_int_equal(task.answers, 9);
	for (uint32_t i = 0; i < task.answers; i++) {
		const char *frame = wire.end;

		wire.at = frame + EDS_FRAME_HEADER_BYTES;
		wire.end = wire.at + length_of_frame(frame);
		assert_true(eds_get_answer(&ctx, &wire, &answer));
		assert_string_equal(answer.name, known[i < 8 ? i : COUNT - 1].name);
	}
	assert_ptr_equal(wire.end, out.bytes + out.length);
}

/* The zone of a list may contain a customer's key, which a child that was taken over could show. */
static void answers_of_blocklists_are_not_handed_over(void **state)
{
	static const char *const names[] = {"2.0.0.127.key.combined.example", "other.example",
		"2.0.0.127.key.relay.example", "2.0.0.127.key.reputation.example",
		"2.0.0.127.key.reported.example"};
	struct eds_dns_answer known[sizeof names / sizeof names[0]];
	struct eds_verify_input input = input_for("honest");
	struct rt_buffer out;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		known[i] = (struct eds_dns_answer){.name = names[i], .type = EDS_DNS_A};
	dns.known = known;
	dns.known_count = sizeof names / sizeof names[0];
	eds_put_ahead(&ctx, &dns, &input, EDS_STAGES, &out);
	assert_non_null(memmem(out.bytes, out.length, "other.example", 13));
	assert_null(memmem(out.bytes, out.length, "key", 3));
}

/* Answers slowly with SPF records: each includes the next one, and the last one passes. */
static const struct eds_dns_answer *answer_slowly(
	void *arg, const char *name, enum eds_dns_type type)
{
	struct timespec pause = {1, 0};
	struct eds_dns_record *record = rt_alloc(&ctx, sizeof *record);
	struct eds_dns_answer *answer = rt_alloc(&ctx, sizeof *answer);
	int number = atoi(name + 1);

	(void)arg;
	nanosleep(&pause, NULL);
	record->txt = number < 8 ? rt_printf(&ctx, "v=spf1 include:h%d.example -all", number + 1)
				 : "v=spf1 +all";
	record->txt_length = strlen(record->txt);
	*answer = (struct eds_dns_answer){.name = rt_strdup(&ctx, name),
		.type = type,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.canonical = rt_strdup(&ctx, name),
		.records = record,
		.count = 1};
	return answer;
}

static void keep_spf(void *arg, enum eds_frame_kind kind, const struct eds_spf_result *result)
{
	assert_int_equal(kind, EDS_FRAME_SPF_HELO);
	*(struct eds_spf_result *)arg = *result;
}

static void lookups_for_helo_do_not_use_up_the_time_of_signatures(void **state)
{
	const struct eds_lookup lookup = {.get = answer_slowly};
	struct eds_spf_result result = {.code = EDS_SPF_NONE};
	const struct eds_verifier_report report = {.spf = keep_spf, .arg = &result};
	struct eds_verify_task task = {.stages = EDS_STAGE_SPF_HELO,
		.deadline_ms = rt_monotonic_ms() + 25000,
		.helo = "h0.example",
		.mail_from = "a@b.example",
		.receiver = "r.example"};

	(void)state;
	ctx.deadline_ms = task.deadline_ms;
	assert_true(rt_ip_parse("192.0.2.1", &task.client));
	eds_verifier_run(&ctx, &lookup, &task, message, strlen(message), &report);
	assert_int_equal(result.code, EDS_SPF_TEMPERROR);
}

static const char signed_message[] =
	"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=sender.example; s=s1; h=from;\r\n"
	"\tbh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=YWJjZA==\r\n"
	"From: someone@sender.example\r\n\r\nNot what was signed.\r\n";

static const char public_key[] =
	"v=DKIM1; k=rsa; p="
	"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArjvC+ZuhMGIgHTfxvvjT4NolQip6"
	"OV5UvFKfR1wtc4Qk/uXDTJKwkFQOkGTkCTqhtGxU7UhlGVxsKvLvEgf4wiAj26VTmjE3Go+q"
	"PovjGzMBJD3A5rUBEZlOrHhfs7w9CPOCc71BDaszT09Qa0eoSq1x2rGvw9R6+h2y5eey3awM"
	"ZR5dm+kw7seCu/rv+tZGVsyOhagGuBRnZOeK/RDBd7tdOQev5aN5hBMUnaui2laWi/s6slsY"
	"QeVX2eB0SQcluzogMiXvA0f5GMJaMtaHFKnnTWg31/o5MCdP6Po5xdnkWTDNRzw8uMcXY9jN"
	"kq8+CnU7fyBqtcoPguWETzFbCwIDAQAB";

static void the_program_itself_verifies_under_its_filter(void **state)
{
	struct eds_dns_record spf = {.txt = "v=spf1 ip4:192.0.2.0/24 -all", .txt_length = 28};
	struct eds_dns_record key = {.txt = public_key, .txt_length = sizeof public_key - 1};
	const struct eds_dns_answer known[] = {
		{.name = "sender.example", .type = EDS_DNS_TXT, .records = &spf, .count = 1},
		{.name = "helo.example", .type = EDS_DNS_TXT, .state = EDS_DNS_NO_NAME},
		{.name = "s1._domainkey.sender.example",
			.type = EDS_DNS_TXT,
			.records = &key,
			.count = 1},
	};
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("helo.example");

	(void)state;
	spec.path = verifier_path;
	spec.silence_ms = EVENT_MS;
	dns.known = known;
	dns.known_count = 3;
	input.message_bytes = sizeof signed_message - 1;
	assert_int_equal(pwrite(message_fd, signed_message, input.message_bytes, 0),
		(ssize_t)input.message_bytes);
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_PASS);
	assert_string_equal(output.spf.domain, "sender.example");
	assert_int_equal(output.spf_helo.code, EDS_SPF_NONE);
	assert_string_equal(output.dkim.failure, "");
	assert_int_equal(output.dkim.count, 1);
	assert_int_equal(output.dkim.signatures[0].state, EDS_DKIM_INVALID);
	assert_int_equal(output.dkim.signatures[0].key_state, EDS_KEY_FOUND);
	assert_int_equal(output.dkim.signatures[0].body_hash, EDS_DKIM_HASH_MISMATCH);
	assert_int_equal(dns.asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_honest_child_is_believed),
		TEST(the_child_reads_the_message_from_its_descriptor),
		TEST(an_empty_message_is_verified_too),
		TEST(without_a_client_address_spf_is_none),
		TEST(the_null_sender_has_one_identity),
		TEST(a_question_is_answered),
		TEST(a_question_with_a_known_answer_is_not_asked),
		TEST(more_answers_than_the_socket_holds_are_handed_over),
		TEST(a_known_answer_without_room_in_the_task_is_left_out_whole),
		TEST(answers_of_blocklists_are_not_handed_over),
		TEST(lookups_for_helo_do_not_use_up_the_time_of_signatures),
		TEST(the_program_itself_verifies_under_its_filter),
	};

	setenv("EDS_DNSBL_COMBINED", "key.combined.example=2", 1);
	setenv("EDS_DNSBL_RELAY", "key.relay.example=2", 1);
	setenv("EDS_DNSBL_REPUTATION", "key.reputation.example=2", 1);
	setenv("EDS_DNSBL_REPORTED", "key.reported.example=2", 1);
	rt_config_require();
	find_helpers();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
