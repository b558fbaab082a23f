/* DNS answers in the form that callers get: records, aliases and names, from a real name server. */
#include "functions/lib/dns/name.h"
#include "tests/support/dnsd-process.h"
#include <ares.h>

#include "tests/unit/dns_fixture.h"

static void expect_ip(const struct eds_dns_record *record, const char *text)
{
	char shown[RT_IP_TEXT_MAX];

	rt_ip_format(&record->ip, shown);
	assert_string_equal(shown, text);
}

static void addresses_are_found_with_the_least_ttl(void **state)
{
	const struct eds_dns_answer *answer = expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->count, 2);
	expect_ip(&answer->records[0], "192.0.2.1");
	expect_ip(&answer->records[1], "192.0.2.2");
	assert_int_equal(answer->ttl_s, 200);
	assert_false(answer->aliased);
	assert_string_equal(answer->canonical, "example.com");
	answer = expect("example.com", EDS_DNS_AAAA, EDS_DNS_FOUND);
	expect_ip(&answer->records[0], "2001:db8::1");
}

static void a_mapped_ipv4_address_is_read_as_ipv4(void **state)
{
	(void)state;
	expect_ip(&expect("mapped.example.com", EDS_DNS_AAAA, EDS_DNS_FOUND)->records[0],
		"127.0.0.1");
}

static void exchanges_have_preference_and_lower_case_names(void **state)
{
	const struct eds_dns_answer *answer = expect("example.com", EDS_DNS_MX, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->count, 2);
	assert_int_equal(answer->records[0].preference, 20);
	assert_string_equal(answer->records[0].name, "mx2.example.com");
	assert_int_equal(answer->records[1].preference, 10);
	assert_string_equal(answer->records[1].name, "mx1.example.com");
}

static void a_null_mx_has_an_empty_name(void **state)
{
	(void)state;
	assert_string_equal(
		expect("nullmx.example.com", EDS_DNS_MX, EDS_DNS_FOUND)->records[0].name, "");
}

static void strings_of_a_txt_record_are_joined(void **state)
{
	const struct eds_dns_answer *answer = expect("example.com", EDS_DNS_TXT, EDS_DNS_FOUND);

	(void)state;
	assert_string_equal(answer->records[0].txt, "v=spf1 -all");
	assert_int_equal(answer->records[0].txt_length, 11);
}

static void a_txt_record_may_hold_any_octet(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"octets.example.com", EDS_DNS_TXT, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->records[0].txt_length, 4);
	assert_memory_equal(answer->records[0].txt, "a\0b\377", 5);
}

static void names_behind_addresses_and_servers_are_found(void **state)
{
	struct rt_ip ip;

	(void)state;
	assert_true(rt_ip_parse("192.0.2.1", &ip));
	assert_string_equal(expect(eds_dns_ptr_name(&context, &ip), EDS_DNS_PTR, EDS_DNS_FOUND)
				    ->records[0]
				    .name,
		"example.com");
	assert_string_equal(expect("example.com", EDS_DNS_NS, EDS_DNS_FOUND)->records[0].name,
		"ns.example.com");
}

static void octets_that_belong_in_no_host_name_are_shown_as_question_marks(void **state)
{
	(void)state;
	assert_string_equal(expect("odd.example.com", EDS_DNS_PTR, EDS_DNS_FOUND)->records[0].name,
		"a?b?.example.com");
}

static void case_and_final_dot_make_no_difference(void **state)
{
	const struct eds_dns_answer *answer = expect("EXAMPLE.com.", EDS_DNS_A, EDS_DNS_FOUND);

	(void)state;
	assert_string_equal(answer->name, "example.com");
	assert_ptr_equal(answer, eds_dns_get(dns, "example.com", EDS_DNS_A));
}

/* Since version 1.28 c-ares refuses names with octets like a backslash or a space. The result is
 * then "unknown", never "does not exist". */
static const enum eds_dns_state ODD_NAME = ARES_VERSION < 0x011c00 ? EDS_DNS_FOUND
								   : EDS_DNS_TEMPORARY;

static void a_backslash_in_a_name_is_an_ordinary_character(void **state)
{
	(void)state;
	expect("slash\\name.example.com", EDS_DNS_A, ODD_NAME);
	expect("slashname.example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
}

/* A name may have any octet, because SPF macros put the sender's address into names (RFC 7208
 * section 7). */
static void a_name_may_have_characters_that_hosts_do_not_have(void **state)
{
	(void)state;
	expect("bounce+id=a%b#c.example.com", EDS_DNS_A, ODD_NAME);
}

static void negative_answers_have_the_ttl_of_the_soa(void **state)
{
	(void)state;
	assert_int_equal(expect("none.example.com", EDS_DNS_A, EDS_DNS_NO_NAME)->ttl_s, 60);
	assert_int_equal(expect("nullmx.example.com", EDS_DNS_A, EDS_DNS_NO_DATA)->ttl_s, 60);
	assert_int_equal(expect("empty.example.com", EDS_DNS_A, EDS_DNS_NO_DATA)->ttl_s, 60);
}

static void negative_answers_without_soa_have_no_ttl(void **state)
{
	(void)state;
	assert_int_equal(expect("no-soa.test", EDS_DNS_MX, EDS_DNS_NO_DATA)->ttl_s, 0);
}

static void aliases_are_followed(void **state)
{
	const struct eds_dns_answer *answer = expect("alias.example.com", EDS_DNS_A, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->count, 2);
	assert_true(answer->aliased);
	assert_string_equal(answer->canonical, "example.com");
	assert_int_equal(answer->ttl_s, 50);
}

static void the_alias_record_itself_can_be_asked_for(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"alias.example.com", EDS_DNS_CNAME, EDS_DNS_FOUND);

	(void)state;
	assert_string_equal(answer->records[0].name, "middle.example.com");
	assert_false(answer->aliased);
}

static void a_dangling_alias_is_a_missing_name_with_the_target_shown(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"dangling.example.com", EDS_DNS_TXT, EDS_DNS_NO_NAME);

	(void)state;
	assert_true(answer->aliased);
	assert_string_equal(answer->canonical, "nowhere.example.com");
}

static void an_alias_to_a_name_without_the_type_gives_no_data(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"halfway.example.com", EDS_DNS_TXT, EDS_DNS_NO_DATA);

	(void)state;
	assert_true(answer->aliased);
	assert_string_equal(answer->canonical, "nullmx.example.com");
}

static void a_loop_of_aliases_is_a_temporary_failure(void **state)
{
	(void)state;
	expect("loop.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
}

static void a_wildcard_answers_for_any_name_below_it(void **state)
{
	(void)state;
	expect("any.wild.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	expect("wild.example.com", EDS_DNS_A, EDS_DNS_NO_DATA);
}

static void names_that_cannot_exist_are_not_asked(void **state)
{
	char label[72];
	char name[300] = "";

	(void)state;
	memset(label, 'a', sizeof label);
	memcpy(label + 64, ".test", 6);
	expect(label, EDS_DNS_A, EDS_DNS_NO_NAME);
	for (int i = 0; i < 52; i++)
		strcat(name, "abcd.");
	expect(name, EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect(".", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("a..example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect(".example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("hidden.onion", EDS_DNS_A, EDS_DNS_NO_NAME);
	assert_int_equal(dnsd_queries(&dnsd, "hidden.onion A"), 0);
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void the_longest_name_is_asked(void **state)
{
	char name[EDS_DNS_NAME_MAX + 2];

	(void)state;
	memset(name, 'a', EDS_DNS_NAME_MAX);
	name[EDS_DNS_NAME_MAX] = '\0';
	for (size_t i = 63; i < EDS_DNS_NAME_MAX; i += 64)
		name[i] = '.';
	expect(name, EDS_DNS_A, EDS_DNS_NO_NAME);
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void an_address_is_reversed_below_any_suffix(void **state)
{
	struct rt_ip ip;

	(void)state;
	assert_true(rt_ip_parse("192.0.2.10", &ip));
	assert_string_equal(
		eds_dns_reverse_name(&context, &ip, "zen.example"), "10.2.0.192.zen.example");
	assert_string_equal(eds_dns_ptr_name(&context, &ip), "10.2.0.192.in-addr.arpa");
	assert_true(rt_ip_parse("2001:db8::12", &ip));
	assert_string_equal(eds_dns_ptr_name(&context, &ip),
		"2.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DNS_TEST(addresses_are_found_with_the_least_ttl),
		DNS_TEST(a_mapped_ipv4_address_is_read_as_ipv4),
		DNS_TEST(exchanges_have_preference_and_lower_case_names),
		DNS_TEST(a_null_mx_has_an_empty_name),
		DNS_TEST(strings_of_a_txt_record_are_joined),
		DNS_TEST(a_txt_record_may_hold_any_octet),
		DNS_TEST(names_behind_addresses_and_servers_are_found),
		DNS_TEST(octets_that_belong_in_no_host_name_are_shown_as_question_marks),
		DNS_TEST(case_and_final_dot_make_no_difference),
		DNS_TEST(a_backslash_in_a_name_is_an_ordinary_character),
		DNS_TEST(a_name_may_have_characters_that_hosts_do_not_have),
		DNS_TEST(negative_answers_have_the_ttl_of_the_soa),
		DNS_TEST(negative_answers_without_soa_have_no_ttl),
		DNS_TEST(aliases_are_followed),
		DNS_TEST(the_alias_record_itself_can_be_asked_for),
		DNS_TEST(a_dangling_alias_is_a_missing_name_with_the_target_shown),
		DNS_TEST(an_alias_to_a_name_without_the_type_gives_no_data),
		DNS_TEST(a_loop_of_aliases_is_a_temporary_failure),
		DNS_TEST(a_wildcard_answers_for_any_name_below_it),
		DNS_TEST(names_that_cannot_exist_are_not_asked),
		DNS_TEST(the_longest_name_is_asked),
		DNS_TEST(an_address_is_reversed_below_any_suffix),
	};
	int failed;

	dnsd_start(&dnsd, zone);
	rt_config_require();
	configured_servers = rt_config()->dns_servers;
	failed = cmocka_run_group_tests_name("dns", tests, NULL, NULL);
	eds_resolver_close();
	dnsd_stop(&dnsd);
	return failed;
}
