/* The frames between a function and its helper: tasks, DNS questions and answers. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/protocol_fixture.h"

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

static void text_with_a_nul_is_refused(void **state)
{
	struct eds_wire wire;

	(void)state;
	eds_put_bytes(&out, "a\0b", 3);
	wire = (struct eds_wire){.at = out.bytes, .end = out.bytes + out.length};
	assert_string_equal(eds_get_text(&ctx, &wire, 10), "");
	assert_false(eds_wire_finished(&wire));
}

static void frames_are_read_from_a_stream_in_any_pieces(void **state)
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

static void a_number_over_its_maximum_makes_the_frame_bad(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_task_arrives_as_it_was_sent),
		TEST(an_address_of_five_octets_is_refused),
		TEST(an_answer_arrives_as_it_was_sent),
		TEST(a_question_has_a_known_type),
		TEST(text_with_a_nul_is_refused),
		TEST(frames_are_read_from_a_stream_in_any_pieces),
		TEST(a_number_over_its_maximum_makes_the_frame_bad),
		TEST(a_frame_that_claims_too_much_is_bad_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
