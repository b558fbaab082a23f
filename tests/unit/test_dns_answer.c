/* DNS messages: replies that do not answer the question, and the meaning of each response code. */
#include "tests/unit/dns_answer_fixture.h"

static void a_plain_answer_is_read(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_int_equal(answer.count, 1);
	assert_int_equal(answer.ttl_s, 300);
}

static void an_answer_that_ends_with_its_question_has_no_records(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_DATA);
	assert_int_equal(answer.count, 0);
}

static void an_answer_cut_at_any_octet_is_malformed(void **state)
{
	size_t whole;

	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	whole = length;
	for (length = 0; length < whole; length++)
		expect_malformed("example.com", EDS_DNS_A);
}

static void names_compare_without_regard_to_case(void **state)
{
	(void)state;
	begin("ExAmPlE.com", EDS_DNS_A);
	put_address("EXAMPLE.COM", 1);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
}

static void an_answer_to_another_question_is_refused(void **state)
{
	(void)state;
	begin("example.net", EDS_DNS_A);
	put_address("example.net", 1);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
	assert_string_equal(answer.reason, "answer to another question");
	begin("example.com", EDS_DNS_MX);
	put_address("example.com", 1);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
	begin("example.com", EDS_DNS_A);
	set16(length - 2, 3); /* class CH */
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
}

static void an_answer_without_a_question_or_with_two_is_malformed(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	set16(4, 0);
	expect_malformed("example.com", EDS_DNS_A);
	set16(4, 2);
	expect_malformed("example.com", EDS_DNS_A);
}

static void a_query_or_another_opcode_is_not_an_answer(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	set16(OFFSET_FLAGS, 0x0100);
	expect_malformed("example.com", EDS_DNS_A);
	set16(OFFSET_FLAGS, 0xa980);
	expect_malformed("example.com", EDS_DNS_A);
}

static void without_the_bit_of_an_answer_no_other_bit_makes_one(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	for (unsigned bit = 0; bit < 15; bit++) {
		set16(OFFSET_FLAGS, 1U << bit);
		expect_malformed("example.com", EDS_DNS_A);
	}
}

/* Beside the bit of an answer. */
static void each_bit_of_the_flags_has_one_meaning(void **state)
{
	static const struct {
		const char *reason; /* NULL: the address is read */
		bool authoritative;
	} bits[] = {{"FORMERR", false}, {"SERVFAIL", false}, {"NOTIMP", false},
		{"unexpected response code", false}, {NULL, false}, {NULL, false}, {NULL, false},
		{NULL, false}, {NULL, false}, {"truncated answer", false}, {NULL, true},
		{"malformed answer", false}, {"malformed answer", false},
		{"malformed answer", false}, {"malformed answer", false}};

	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
		set16(OFFSET_FLAGS, 0x8000U | 1U << i);
		read_as("example.com", EDS_DNS_A);
		assert_int_equal(answer.count, bits[i].reason == NULL ? 1 : 0);
		assert_int_equal(answer.authoritative, bits[i].authoritative);
		if (bits[i].reason != NULL)
			assert_string_equal(answer.reason, bits[i].reason);
	}
}

static void a_truncated_answer_is_not_used(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	set16(OFFSET_FLAGS, 0x8380);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
	assert_int_equal(answer.count, 0);
}

static void an_answer_over_the_limit_is_malformed(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.com", 1);
	length = EDS_DNS_ANSWER_BYTES_MAX + 1;
	expect_malformed("example.com", EDS_DNS_A);
}

static void records_beside_nxdomain_are_not_believed(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	put_address("a.test", 1);
	set16(OFFSET_FLAGS, 0x8183);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_NAME);
	assert_int_equal(answer.count, 0);
}

static void a_referral_is_not_an_answer(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	put_record(OFFSET_AUTHORITY, "test", EDS_DNS_NS, 300, "\1n\0", 3);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
	assert_string_equal(answer.reason, "referral");
}

static void response_codes_are_named(void **state)
{
	static const struct {
		unsigned code;
		const char *reason;
	} rows[] = {{1, "FORMERR"}, {2, "SERVFAIL"}, {4, "NOTIMP"}, {5, "REFUSED"},
		{9, "unexpected response code"}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin("a.test", EDS_DNS_A);
		put_address("a.test", 1);
		set16(OFFSET_FLAGS, 0x8180 | rows[i].code);
		read_as("a.test", EDS_DNS_A);
		assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
		assert_string_equal(answer.reason, rows[i].reason);
	}
}

/* Makes a SERVFAIL reply with one EDNS option: the code of the option, and the code of the extended
 * error in it. */
static void read_failed(unsigned option, unsigned error, const char *text)
{
	uint8_t data[64] = {(uint8_t)(option >> 8), (uint8_t)option, 0, (uint8_t)(2 + strlen(text)),
		(uint8_t)(error >> 8), (uint8_t)error};

	memcpy(data + 6, text, strlen(text));
	begin("a.test", EDS_DNS_A);
	put_record(OFFSET_ADDITIONAL, "", TYPE_OPT, 0, data, 6 + strlen(text));
	set16(OFFSET_FLAGS, 0x8182);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
	assert_string_equal(answer.reason, "SERVFAIL");
}

static void the_resolvers_report_of_failed_validation_is_read(void **state)
{
	static const unsigned bogus[] = {6, 7, 8, 9, 10, 11, 12};
	static const unsigned others[] = {0, 3, 5, 13, 22, 23, 262};

	(void)state;
	for (size_t i = 0; i < sizeof bogus / sizeof bogus[0]; i++) {
		read_failed(15, bogus[i], "no signature");
		assert_true(answer.bogus);
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		read_failed(15, others[i], "");
		assert_false(answer.bogus);
	}
	read_failed(10, 6, ""); /* a cookie */
	assert_false(answer.bogus);
	begin("a.test", EDS_DNS_A); /* behind another record */
	put_record(OFFSET_ADDITIONAL, "other.test", EDS_DNS_A, 300, "\300\0\2\1", 4);
	put_record(OFFSET_ADDITIONAL, "", TYPE_OPT, 0, "\0\17\0\2\0\6", 6);
	set16(OFFSET_FLAGS, 0x8182);
	read_as("a.test", EDS_DNS_A);
	assert_true(answer.bogus);
	read_failed(10, 6, "");
	set16(length - 4, 200); /* an option longer than its record */
	read_as("a.test", EDS_DNS_A);
	assert_false(answer.bogus);
	set16(OFFSET_FLAGS, 0x8180); /* the extended error is only believed with a failure */
	read_failed(15, 6, "");
	set16(OFFSET_FLAGS, 0x8185);
	read_as("a.test", EDS_DNS_A);
	assert_false(answer.bogus);
}

static void an_extended_response_code_is_not_read_as_an_empty_answer(void **state)
{
	static const uint8_t opt[] = {0, 0, TYPE_OPT, 4, 208, 1, 0, 0, 0, 0, 0};

	(void)state;
	begin("a.test", EDS_DNS_A);
	put(opt, sizeof opt);
	count_up(OFFSET_ADDITIONAL);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ANSWER_TEST(a_plain_answer_is_read),
		ANSWER_TEST(an_answer_that_ends_with_its_question_has_no_records),
		ANSWER_TEST(an_answer_cut_at_any_octet_is_malformed),
		ANSWER_TEST(names_compare_without_regard_to_case),
		ANSWER_TEST(an_answer_to_another_question_is_refused),
		ANSWER_TEST(an_answer_without_a_question_or_with_two_is_malformed),
		ANSWER_TEST(a_query_or_another_opcode_is_not_an_answer),
		ANSWER_TEST(without_the_bit_of_an_answer_no_other_bit_makes_one),
		ANSWER_TEST(each_bit_of_the_flags_has_one_meaning),
		ANSWER_TEST(a_truncated_answer_is_not_used),
		ANSWER_TEST(an_answer_over_the_limit_is_malformed),
		ANSWER_TEST(records_beside_nxdomain_are_not_believed),
		ANSWER_TEST(a_referral_is_not_an_answer),
		ANSWER_TEST(response_codes_are_named),
		ANSWER_TEST(the_resolvers_report_of_failed_validation_is_read),
		ANSWER_TEST(an_extended_response_code_is_not_read_as_an_empty_answer),
	};

	return cmocka_run_group_tests_name("dns_answer", tests, NULL, NULL);
}
