/* The records within a DNS answer: owners, aliases, lengths, compressed names, TTLs. */
#include "tests/unit/dns_answer_fixture.h"

static void put_target(const char *owner, unsigned type, const char *target)
{
	uint8_t wire[EDS_DNS_WIRE_MAX];

	eds_dns_name_to_wire(target, wire);
	put_record(OFFSET_ANSWERS, owner, type, 300, wire, strlen((const char *)wire) + 1);
}

static void records_of_other_owners_types_and_classes_are_ignored(void **state)
{
	static const uint8_t data[4] = {192, 0, 2, 9};

	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("evil.example.com", 1);
	put_address("com", 2);
	put_record(OFFSET_ANSWERS, "example.com", EDS_DNS_TXT, 5, "\3abc", 4);
	put_record(OFFSET_ANSWERS, "example.com", EDS_DNS_A, 5, data, sizeof data);
	set16(length - 12, 3); /* class CH */
	put_address("example.com", 7);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_int_equal(answer.count, 1);
	assert_int_equal(answer.records[0].ip.bytes[3], 7);
	assert_int_equal(answer.ttl_s, 300);
}

static void an_answer_with_only_foreign_records_has_no_data(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_address("example.net", 1);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_DATA);
}

static void an_alias_of_another_name_is_not_followed(void **state)
{
	(void)state;
	begin("example.com", EDS_DNS_A);
	put_target("example.net", EDS_DNS_CNAME, "target.example.org");
	put_address("target.example.org", 1);
	read_as("example.com", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_DATA);
	assert_false(answer.aliased);
}

static void a_chain_of_aliases_is_followed_in_any_order(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	put_address("c.test", 3);
	put_target("b.test", EDS_DNS_CNAME, "c.test");
	put_target("a.test", EDS_DNS_CNAME, "b.test");
	put_address("a.test", 1);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_int_equal(answer.count, 1);
	assert_int_equal(answer.records[0].ip.bytes[3], 3);
	assert_string_equal(answer.canonical, "c.test");
}

static void put_chain(int links)
{
	char from[32];
	char to[32];

	begin("n0.test", EDS_DNS_A);
	for (int i = 0; i < links; i++) {
		snprintf(from, sizeof from, "n%d.test", i);
		snprintf(to, sizeof to, "n%d.test", i + 1);
		put_target(from, EDS_DNS_CNAME, to);
	}
	put_address(links > 0 ? to : "n0.test", 1);
}

static void a_chain_of_sixteen_aliases_is_followed_but_not_of_seventeen(void **state)
{
	(void)state;
	put_chain(16);
	read_as("n0.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_string_equal(answer.canonical, "n16.test");
	put_chain(17);
	read_as("n0.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
	assert_string_equal(answer.reason, "CNAME chain too long");
}

static void an_alias_of_itself_is_a_temporary_failure(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	put_target("a.test", EDS_DNS_CNAME, "a.test");
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_TEMPORARY);
}

static void a_dangling_alias_is_a_missing_name(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	put_target("a.test", EDS_DNS_CNAME, "b.test");
	set16(OFFSET_FLAGS, 0x8183);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_NAME);
	assert_true(answer.aliased);
	assert_string_equal(answer.canonical, "b.test");
}

static void an_alias_record_is_found_even_if_its_target_does_not_exist(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_CNAME);
	put_target("a.test", EDS_DNS_CNAME, "b.test");
	set16(OFFSET_FLAGS, 0x8183);
	read_as("a.test", EDS_DNS_CNAME);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_string_equal(answer.records[0].name, "b.test");
}

static void data_of_a_wrong_length_is_malformed(void **state)
{
	static const struct {
		enum eds_dns_type type;
		size_t length;
		const char *data;
	} rows[] = {
		{EDS_DNS_A, 3, "\300\0\2"},
		{EDS_DNS_A, 5, "\300\0\2\1\1"},
		{EDS_DNS_A, 0, ""},
		{EDS_DNS_AAAA, 4, "\300\0\2\1"},
		{EDS_DNS_TXT, 0, ""},
		{EDS_DNS_TXT, 1, "\1"},
		{EDS_DNS_TXT, 4, "\4abc"},
		{EDS_DNS_TXT, 5, "\1a\3bc"},
		{EDS_DNS_MX, 0, ""},
		{EDS_DNS_MX, 2, "\0\12"},
		{EDS_DNS_MX, 5, "\0\12\1a\1"},
		{EDS_DNS_MX, 6, "\0\12\1a\0x"},
		{EDS_DNS_PTR, 0, ""},
		{EDS_DNS_PTR, 3, "\1a\1"},
		{EDS_DNS_NS, 4, "\1a\0\0"},
		{EDS_DNS_CNAME, 2, "\1a"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin("a.test", rows[i].type);
		put_record(
			OFFSET_ANSWERS, "a.test", rows[i].type, 300, rows[i].data, rows[i].length);
		expect_malformed("a.test", rows[i].type);
	}
}

static void loops_in_compressed_names_are_malformed(void **state)
{
	uint8_t pointer[2];

	(void)state;
	begin("a.test", EDS_DNS_PTR);
	put_record(OFFSET_ANSWERS, "a.test", EDS_DNS_PTR, 300, "\300\0", 2);
	set16(length - 2, 0xc000U | (unsigned)(length - 2)); /* a pointer to itself */
	expect_malformed("a.test", EDS_DNS_PTR);

	begin("a.test", EDS_DNS_PTR);
	put_record(OFFSET_ANSWERS, "a.test", EDS_DNS_PTR, 300, "\1b\300\0", 4);
	set16(length - 2, 0xc000U | (unsigned)(length - 4)); /* a label, and a pointer back to it */
	expect_malformed("a.test", EDS_DNS_PTR);

	begin("a.test", EDS_DNS_PTR);
	memset(pointer, 0xff, sizeof pointer); /* a pointer behind the end of the message */
	put_record(OFFSET_ANSWERS, "a.test", EDS_DNS_PTR, 300, pointer, sizeof pointer);
	expect_malformed("a.test", EDS_DNS_PTR);
}

static void a_record_whose_owner_cannot_be_read_is_ignored(void **state)
{
	static const uint8_t record[] = {0xff, 0xff, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1};

	(void)state;
	begin("a.test", EDS_DNS_A);
	put(record, sizeof record);
	count_up(OFFSET_ANSWERS);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_DATA);
}

static void compressed_names_are_expanded(void **state)
{
	static const uint8_t record[] = {
		0xc0, 12, 0, 15, 0, 1, 0, 0, 0, 9, 0, 7, 0, 10, 2, 'm', 'x', 0xc0, 12};

	(void)state;
	begin("a.test", EDS_DNS_MX);
	put(record, sizeof record);
	count_up(OFFSET_ANSWERS);
	read_as("a.test", EDS_DNS_MX);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_string_equal(answer.records[0].name, "mx.a.test");
	assert_int_equal(answer.records[0].preference, 10);
}

static void more_records_announced_than_present_is_malformed(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	put_address("a.test", 1);
	set16(OFFSET_ANSWERS, 65535);
	expect_malformed("a.test", EDS_DNS_A);
}

static void records_past_the_limit_are_dropped(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	for (int i = 0; i < EDS_DNS_RECORDS_MAX + 10; i++)
		put_address("a.test", (uint8_t)i);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_int_equal(answer.count, 512);
}

static void put_soa(uint32_t ttl_s, uint8_t minimum)
{
	uint8_t data[22] = {[21] = minimum};

	put_record(OFFSET_AUTHORITY, "test", TYPE_SOA, ttl_s, data, sizeof data);
}

static void a_negative_ttl_is_the_lesser_of_the_soas_ttl_and_minimum(void **state)
{
	(void)state;
	begin("a.test", EDS_DNS_A);
	put_soa(300, 60);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_DATA);
	assert_int_equal(answer.ttl_s, 60);
	begin("a.test", EDS_DNS_A);
	put_soa(30, 60);
	set16(OFFSET_FLAGS, 0x8183);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_NO_NAME);
	assert_int_equal(answer.ttl_s, 30);
}

static void a_ttl_with_the_top_bit_counts_as_zero(void **state)
{
	static const uint8_t data[4] = {192, 0, 2, 1};

	(void)state;
	begin("a.test", EDS_DNS_A);
	put_record(OFFSET_ANSWERS, "a.test", EDS_DNS_A, 0x80000001U, data, sizeof data);
	read_as("a.test", EDS_DNS_A);
	assert_int_equal(answer.state, EDS_DNS_FOUND);
	assert_int_equal(answer.ttl_s, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ANSWER_TEST(records_of_other_owners_types_and_classes_are_ignored),
		ANSWER_TEST(an_answer_with_only_foreign_records_has_no_data),
		ANSWER_TEST(an_alias_of_another_name_is_not_followed),
		ANSWER_TEST(a_chain_of_aliases_is_followed_in_any_order),
		ANSWER_TEST(a_chain_of_sixteen_aliases_is_followed_but_not_of_seventeen),
		ANSWER_TEST(an_alias_of_itself_is_a_temporary_failure),
		ANSWER_TEST(a_dangling_alias_is_a_missing_name),
		ANSWER_TEST(an_alias_record_is_found_even_if_its_target_does_not_exist),
		ANSWER_TEST(data_of_a_wrong_length_is_malformed),
		ANSWER_TEST(loops_in_compressed_names_are_malformed),
		ANSWER_TEST(a_record_whose_owner_cannot_be_read_is_ignored),
		ANSWER_TEST(compressed_names_are_expanded),
		ANSWER_TEST(more_records_announced_than_present_is_malformed),
		ANSWER_TEST(records_past_the_limit_are_dropped),
		ANSWER_TEST(a_negative_ttl_is_the_lesser_of_the_soas_ttl_and_minimum),
		ANSWER_TEST(a_ttl_with_the_top_bit_counts_as_zero),
	};

	return cmocka_run_group_tests_name("dns_answer", tests, NULL, NULL);
}
