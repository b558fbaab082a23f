/* check_host() with a table of DNS records: its results. */
#include "tests/unit/spf_fixture.h"

static void each_qualifier_gives_its_result_and_names_the_term(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ip4:192.0.2.0/24 -all"), EDS_SPF_PASS);
	assert_string_equal(result.mechanism, "ip4:192.0.2.0/24");
	assert_string_equal(result.domain, "example.com");
	assert_string_equal(result.record, "v=spf1 ip4:192.0.2.0/24 -all");
	assert_string_equal(result.reason_code, "");
	assert_int_equal(evaluate_in("example.com TXT v=spf1 -all"), EDS_SPF_FAIL);
	assert_string_equal(result.mechanism, "-all");
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 a:example.org ~all"), EDS_SPF_SOFTFAIL);
	assert_string_equal(result.mechanism, "~all");
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ?all"), EDS_SPF_NEUTRAL);
	assert_string_equal(result.mechanism, "?all");
}

static void a_record_in_which_nothing_matches_is_neutral_and_names_no_term(void **state)
{
	(void)state;
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 a:example.org ip4:192.0.2.2"), EDS_SPF_NEUTRAL);
	assert_string_equal(result.mechanism, "");
	assert_int_equal(evaluate_in("example.com TXT v=spf1"), EDS_SPF_NEUTRAL);
}

static void a_domain_without_a_record_gives_none(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT something else"), EDS_SPF_NONE);
	assert_string_equal(result.reason_code, "no-record");
	assert_string_equal(result.record, "");
	assert_int_equal(result.tree_count, 1);
	assert_int_equal(evaluate_in("example.org A 192.0.2.1"), EDS_SPF_NONE);
}

static void several_records_are_an_error(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 +all\nexample.com TXT v=spf1 -all"),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "several-records");
}

static void an_error_after_the_matching_term_is_still_found_and_named(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 +all a:%{x}"), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "syntax");
	assert_non_null(strstr(result.reason, "\"a:%{x}\""));
	assert_non_null(strstr(result.reason, "example.com"));
}

static void the_domain_is_that_of_mail_from_or_of_helo_if_mail_from_is_empty(void **state)
{
	static const char lines[] = "example.com TXT v=spf1 +all\n"
				    "mail.example.com TXT v=spf1 -all exp=why.example.com\n"
				    "why.example.com TXT %{s} %{l} %{o}";

	(void)state;
	input.mail_from = "user@EXAMPLE.com.";
	assert_int_equal(evaluate_in(lines), EDS_SPF_PASS);
	assert_string_equal(result.domain, "example.com");
	input.helo_identity = true;
	assert_int_equal(evaluate_in(lines), EDS_SPF_FAIL);
	assert_string_equal(result.domain, "mail.example.com");
	assert_string_equal(
		result.explanation, "postmaster@mail.example.com postmaster mail.example.com");
	input.helo_identity = false;
	input.mail_from = "";
	assert_int_equal(evaluate_in(lines), EDS_SPF_FAIL);
	assert_string_equal(result.domain, "mail.example.com");
}

static void a_sender_without_a_local_part_counts_as_postmaster(void **state)
{
	static const char *const senders[] = {"@example.com", "example.com"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		input.mail_from = senders[i];
		assert_int_equal(evaluate_in("example.com TXT v=spf1 exists:%{l}.example.com -all\n"
					     "postmaster.example.com A 127.0.0.1"),
			EDS_SPF_PASS);
	}
	input.mail_from = "\"a@b\"@example.com";
	assert_int_equal(evaluate_in("example.com TXT v=spf1 -all"), EDS_SPF_FAIL);
}

static void names_that_cannot_have_a_record_give_none_without_a_question(void **state)
{
	static const char *const names[] = {"localhost", "[192.0.2.1]", "192.0.2.1", "a..b.example",
		"", "A2345678", "a b.example",
		"a1234567890123456789012345678901234567890123456789012345678901234.example"};

	(void)state;
	input.mail_from = "";
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		input.helo = names[i];
		assert_int_equal(evaluate_in("localhost TXT v=spf1 +all"), EDS_SPF_NONE);
		assert_string_equal(result.reason_code, "domain-malformed");
		assert_int_equal(zone.asked, 0);
	}
}

static void a_temporary_failure_of_any_needed_lookup_is_a_temperror(void **state)
{
	static const char *const records[] = {
		"example.com FAIL SERVFAIL",
		"example.com TXT v=spf1 include:down.example -all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 redirect=down.example\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 a:down.example +all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 mx:down.example +all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 mx +all\nexample.com MX 1 down.example\n"
		"down.example FAIL SERVFAIL",
		"example.com TXT v=spf1 exists:down.example +all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 mx/0 +all\nexample.com MX 1 down.example\n"
		"down.example FAIL SERVFAIL",
		"example.com TXT v=spf1 include:b.example +all\n"
		"b.example TXT v=spf1 a:down.example -all\ndown.example FAIL SERVFAIL",
	};

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
		if (evaluate_in(records[i]) != EDS_SPF_TEMPERROR)
			fail_msg("%s: %s", eds_spf_code_name(result.code), records[i]);
		assert_string_equal(result.reason_code, "dns-failure");
		assert_non_null(strstr(result.reason, "SERVFAIL"));
		assert_string_equal(result.mechanism, "");
	}
}

static void a_failure_after_the_match_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a a:down.example -all\n"
				     "example.com A 192.0.2.1\ndown.example FAIL SERVFAIL"),
		EDS_SPF_PASS);
	assert_string_equal(result.mechanism, "a");
}

static void a_failing_reverse_lookup_is_neither_a_match_nor_an_error(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr ~all\n"
				     "1.2.0.192.in-addr.arpa FAIL SERVFAIL"),
		EDS_SPF_SOFTFAIL);
	assert_int_equal(result.void_lookups, 0);
}

static void an_include_matches_only_when_the_other_record_passes(void **state)
{
	static const struct {
		const char *term;
		enum eds_spf_code code;
	} cases[] = {
		{"+all", EDS_SPF_PASS},
		{"-all", EDS_SPF_SOFTFAIL},
		{"~all", EDS_SPF_SOFTFAIL},
		{"?all", EDS_SPF_SOFTFAIL},
		{"a:nowhere.example", EDS_SPF_SOFTFAIL},
		{"redirect=pass.example", EDS_SPF_PASS},
		{"redirect=fail.example", EDS_SPF_SOFTFAIL},
		{"include:pass.example", EDS_SPF_PASS},
		{"-include:pass.example", EDS_SPF_SOFTFAIL},
		{"moo", EDS_SPF_PERMERROR},
		{"include:nowhere.example", EDS_SPF_PERMERROR},
		{"redirect=nowhere.example", EDS_SPF_PERMERROR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(
			evaluate_in(rt_printf(&ctx,
				"example.com TXT v=spf1 include:other.example ~all\n"
				"other.example TXT v=spf1 %s\n"
				"pass.example TXT v=spf1 +all\nfail.example TXT v=spf1 -all",
				cases[i].term)),
			cases[i].code);
		if (cases[i].code == EDS_SPF_PASS)
			assert_string_equal(result.mechanism, "include:other.example");
	}
	assert_string_equal(result.reason_code, "redirect-without-record");
}

static void a_redirect_counts_only_without_a_match_wherever_it_is_written(void **state)
{
	static const char rest[] = "\nother.example TXT v=spf1 ip4:192.0.2.1 ~all";

	(void)state;
	assert_int_equal(evaluate_in(rt_printf(&ctx,
				 "example.com TXT v=spf1 redirect=other.example -all%s", rest)),
		EDS_SPF_FAIL);
	assert_int_equal(result.terms, 0);
	assert_int_equal(
		evaluate_in(rt_printf(&ctx,
			"example.com TXT v=spf1 redirect=other.example -ip4:192.0.2.2%s", rest)),
		EDS_SPF_PASS);
	assert_int_equal(result.terms, 1);
	assert_string_equal(result.mechanism, "ip4:192.0.2.1");
	assert_string_equal(result.record, "v=spf1 redirect=other.example -ip4:192.0.2.2");
	assert_string_equal(result.domain, "example.com");
}

static void the_tree_lists_each_record_in_reading_order(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 include:A.example redirect=d.example\n"
				     "a.example TXT v=spf1 include:b.example -all\n"
				     "b.example TXT v=spf1 ip4:198.51.100.1\n"
				     "d.example TXT v=spf1 include:e.example\n"
				     "e.example TXT unrelated"),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "include-without-record");
	assert_int_equal(result.tree_count, 5);
	assert_string_equal(result.tree[0].domain, "example.com");
	assert_int_equal(result.tree[0].via, EDS_SPF_VIA_NONE);
	assert_int_equal(result.tree[0].depth, 0);
	assert_string_equal(result.tree[1].domain, "a.example");
	assert_int_equal(result.tree[1].via, EDS_SPF_VIA_INCLUDE);
	assert_int_equal(result.tree[1].depth, 1);
	assert_string_equal(result.tree[2].record, "v=spf1 ip4:198.51.100.1");
	assert_int_equal(result.tree[2].depth, 2);
	assert_int_equal(result.tree[3].via, EDS_SPF_VIA_REDIRECT);
	assert_int_equal(result.tree[3].depth, 1);
	assert_string_equal(result.tree[4].domain, "e.example");
	assert_string_equal(result.tree[4].record, "");
	assert_int_equal(result.terms, 4);
}

static void ptr_needs_a_name_in_the_domain_that_resolves_to_the_client(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr:example.org ~all\n"
				     "1.2.0.192.in-addr.arpa PTR Mail.Example.ORG\n"
				     "mail.example.org A 192.0.2.1"),
		EDS_SPF_PASS);
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr:example.org ~all\n"
				     "1.2.0.192.in-addr.arpa PTR example.org\n"
				     "example.org A 192.0.2.1"),
		EDS_SPF_PASS);
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr:example.org ~all\n"
				     "1.2.0.192.in-addr.arpa PTR mail.badexample.org\n"
				     "mail.badexample.org A 192.0.2.1"),
		EDS_SPF_SOFTFAIL);
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr ~all"), EDS_SPF_SOFTFAIL);
	assert_int_equal(result.void_lookups, 1);
}

static void a_null_mx_names_no_host(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 mx mx/0 -all\nexample.com MX 0 ."),
		EDS_SPF_FAIL);
	assert_int_equal(zone.asked, 3);
	assert_int_equal(result.void_lookups, 0);
}

static void a_prefix_applies_to_the_clients_family_and_zero_matches_any_address(void **state)
{
	static const struct {
		const char *client;
		const char *term;
		enum eds_spf_code code;
	} cases[] = {
		{"192.0.2.200", "a/24", EDS_SPF_PASS},
		{"192.0.3.1", "a/24", EDS_SPF_FAIL},
		{"192.0.2.200", "a//24", EDS_SPF_FAIL},
		{"203.0.113.1", "a/0", EDS_SPF_PASS},
		{"203.0.113.1", "a:six.example/0", EDS_SPF_FAIL},
		{"203.0.113.1", "mx/0", EDS_SPF_PASS},
		{"203.0.113.1", "mx:six.example/0", EDS_SPF_FAIL},
		{"203.0.113.1", "mx:none.example/0", EDS_SPF_FAIL},
		{"192.0.2.77", "mx/25//64", EDS_SPF_PASS},
		{"2001:db8::77", "a//64", EDS_SPF_PASS},
		{"2001:db8::77", "a", EDS_SPF_FAIL},
		{"2001:db8:1::77", "a//64", EDS_SPF_FAIL},
		{"2001:db8:1::77", "a//0", EDS_SPF_PASS},
		{"2001:db8:1::77", "a:four.example//0", EDS_SPF_FAIL},
		{"2001:db8::77", "mx//33", EDS_SPF_PASS},
		{"192.0.2.1", "ip4:0.0.0.0/0", EDS_SPF_PASS},
		{"2001:db8::1", "ip4:0.0.0.0/0", EDS_SPF_FAIL},
		{"2001:db8::1", "ip6:::/0", EDS_SPF_PASS},
		{"192.0.2.1", "ip6:::/0", EDS_SPF_FAIL},
		{"::ffff:192.0.2.1", "ip4:192.0.2.1", EDS_SPF_PASS},
		{"192.0.2.1", "ip6:::ffff:192.0.2.1", EDS_SPF_FAIL},
		{"192.0.2.129", "ip4:192.0.2.0/25", EDS_SPF_FAIL},
		{"127.0.0.1", "ip4:192.0.2.0/25", EDS_SPF_FAIL},
		{"::1", "ip4:192.0.2.0/25", EDS_SPF_FAIL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (evaluate_from(cases[i].client,
			    rt_printf(&ctx,
				    "example.com TXT v=spf1 %s -all\n"
				    "example.com A 192.0.2.1\nexample.com AAAA 2001:db8::1\n"
				    "example.com MX 1 example.com\nsix.example AAAA 2001:db8::1\n"
				    "six.example MX 1 six.example\nnone.example MX 0 \n"
				    "four.example A 192.0.2.1",
				    cases[i].term)) != cases[i].code)
			fail_msg("%s %s: %s (%s)", cases[i].client, cases[i].term,
				eds_spf_code_name(result.code), result.reason);
}

static void two_identities_can_be_checked_one_after_the_other(void **state)
{
	struct eds_spf_result first;

	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a -all\nexample.com A 192.0.2.1\n"
				     "mail.example.com TXT v=spf1 -all"),
		EDS_SPF_PASS);
	first = result;
	input.helo_identity = true;
	assert_int_equal(evaluate(), EDS_SPF_FAIL);
	assert_string_equal(first.mechanism, "a");
	assert_string_equal(first.domain, "example.com");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_qualifier_gives_its_result_and_names_the_term),
		TEST(a_record_in_which_nothing_matches_is_neutral_and_names_no_term),
		TEST(a_domain_without_a_record_gives_none),
		TEST(several_records_are_an_error),
		TEST(an_error_after_the_matching_term_is_still_found_and_named),
		TEST(the_domain_is_that_of_mail_from_or_of_helo_if_mail_from_is_empty),
		TEST(a_sender_without_a_local_part_counts_as_postmaster),
		TEST(names_that_cannot_have_a_record_give_none_without_a_question),
		TEST(a_temporary_failure_of_any_needed_lookup_is_a_temperror),
		TEST(a_failure_after_the_match_changes_nothing),
		TEST(a_failing_reverse_lookup_is_neither_a_match_nor_an_error),
		TEST(an_include_matches_only_when_the_other_record_passes),
		TEST(a_redirect_counts_only_without_a_match_wherever_it_is_written),
		TEST(the_tree_lists_each_record_in_reading_order),
		TEST(ptr_needs_a_name_in_the_domain_that_resolves_to_the_client),
		TEST(a_null_mx_names_no_host),
		TEST(a_prefix_applies_to_the_clients_family_and_zero_matches_any_address),
		TEST(two_identities_can_be_checked_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
