/* The record that applies to a message, its policy, and the result (RFC 9989). */
#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/evaluate.h"
#include "tests/support/dns-table.h"
#include "tests/unit/dmarc_fixture.h"

static const struct {
	struct message m;
	const char *record_domain, *org_domain, *applied, *policy;
} published[] = {
	{{"example.com", NULL, NULL, EXAMPLE}, "example.com", "example.com", "p", "reject"},
	{{"mail.example.com", NULL, NULL, EXAMPLE}, "example.com", "example.com", "sp",
		"quarantine"},
	{{"mail.example.com", NULL, NULL, "_dmarc.example.com TXT v=DMARC1; p=reject\n"},
		"example.com", "example.com", "p", "reject"},
	{{"mail.example.com", NULL, NULL,
		 EXAMPLE "_dmarc.mail.example.com TXT v=DMARC1; p=none; sp=reject\n"},
		"mail.example.com", "example.com", "p", "none"},
	{{"mail.example.com", "esp.example", "example.com",
		 "_dmarc.mail.example.com TXT v=DMARC1; p=quarantine\n"},
		"mail.example.com", "mail.example.com", "p", "quarantine"},
	/* the organizational domain's record applies, not one in between */
	{{"a.mail.example.com", NULL, NULL,
		 EXAMPLE "_dmarc.mail.example.com TXT v=DMARC1; p=none\n"},
		"example.com", "example.com", "sp", "quarantine"},
	{{"a.mail.example.com", NULL, NULL,
		 EXAMPLE "_dmarc.mail.example.com TXT v=DMARC1; p=none; psd=n\n"},
		"mail.example.com", "mail.example.com", "p", "none"},
	/* the public suffix's record applies if the organizational domain has none */
	{{"one.bank", NULL, NULL, "_dmarc.bank TXT v=DMARC1; p=none; sp=reject; psd=y\n"}, "bank",
		"one.bank", "sp", "reject"},
	{{"a.b.one.bank", NULL, NULL, "_dmarc.bank TXT v=DMARC1; p=none; sp=reject; psd=y\n"},
		"bank", "one.bank", "sp", "reject"},
	{{"a.one.bank", NULL, NULL,
		 "_dmarc.bank TXT v=DMARC1; p=reject; psd=y\n"
		 "_dmarc.one.bank TXT v=DMARC1; p=quarantine\n"},
		"one.bank", "one.bank", "p", "quarantine"},
	{{"bank", NULL, NULL, "_dmarc.bank TXT v=DMARC1; p=reject; psd=y\n"}, "bank", "bank", "p",
		"reject"},
	/* deep names: the first one is asked, then those of seven labels and fewer */
	{{"a.b.c.d.e.f.g.h.i.example.com", NULL, NULL, EXAMPLE}, "example.com", "example.com", "sp",
		"quarantine"},
	{{"a.b.c.d.e.f.g.h.i.example.com", NULL, NULL,
		 "_dmarc.a.b.c.d.e.f.g.h.i.example.com TXT v=DMARC1; p=none\n" EXAMPLE},
		"a.b.c.d.e.f.g.h.i.example.com", "example.com", "p", "none"},
	{{"a.b.c.d.e.f.g.h.i.example.com", NULL, NULL,
		 "_dmarc.e.f.g.h.i.example.com TXT v=DMARC1; p=reject; psd=y\n"},
		"e.f.g.h.i.example.com", "d.e.f.g.h.i.example.com", "p", "reject"},
	/* t=y */
	{{"example.com", NULL, NULL, "_dmarc.example.com TXT v=DMARC1; p=reject; t=y\n"},
		"example.com", "example.com", "p", "quarantine"},
	{{"example.com", NULL, NULL, "_dmarc.example.com TXT v=DMARC1; p=quarantine; t=y\n"},
		"example.com", "example.com", "p", "none"},
	{{"example.com", NULL, NULL, "_dmarc.example.com TXT v=DMARC1; p=none; t=y\n"},
		"example.com", "example.com", "p", "none"},
	/* TXT records that are not DMARC records are ignored */
	{{"example.com", NULL, NULL,
		 "_dmarc.example.com TXT hello\n" EXAMPLE "_dmarc.example.com TXT v=DMARC2; p=x\n"},
		"example.com", "example.com", "p", "reject"},
	/* an invalid policy counts as p=none if there is a valid rua */
	{{"example.com", NULL, NULL,
		 "_dmarc.example.com TXT v=DMARC1; p=x; rua=mailto:a@example.com\n"},
		"example.com", "example.com", "p", "none"},
};

static void the_record_and_its_policy_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
		struct eds_dmarc_result r = judge(&published[i].m);

		if (r.code != EDS_DMARC_FAIL || !r.has_record ||
			strcmp(r.record_domain, published[i].record_domain) ||
			strcmp(r.org_domain, published[i].org_domain) ||
			strcmp(eds_dmarc_tag_name(r.applied), published[i].applied) ||
			strcmp(eds_dmarc_policy_name(r.policy), published[i].policy))
			fail_msg("case %zu: %s at %s, org %s, %s=%s", i,
				eds_dmarc_code_name(r.code), r.record_domain, r.org_domain,
				eds_dmarc_tag_name(r.applied), eds_dmarc_policy_name(r.policy));
	}
}

static void np_applies_where_the_from_domain_does_not_exist(void **state)
{
#define NP "_dmarc.example.com TXT v=DMARC1; p=none; sp=quarantine; np=reject\n"
	static const struct {
		const char *zone;
		enum eds_dmarc_code code;
		const char *applied, *policy;
	} cases[] = {
		{NP, EDS_DMARC_FAIL, "np", "reject"},
		{NP "mail.example.com A 192.0.2.1\n", EDS_DMARC_FAIL, "sp", "quarantine"},
		{NP "mail.example.com AAAA 2001:db8::1\n", EDS_DMARC_FAIL, "sp", "quarantine"},
		{NP "mail.example.com MX 10 mx.example.com\n", EDS_DMARC_FAIL, "sp", "quarantine"},
		{NP "mail.example.com TXT x\n", EDS_DMARC_FAIL, "sp", "quarantine"},
		{NP "mail.example.com FAIL SERVFAIL\n", EDS_DMARC_TEMPERROR, "sp", "quarantine"},
		{"_dmarc.example.com TXT v=DMARC1; p=none; np=none\nmail.example.com FAIL "
		 "SERVFAIL\n",
			EDS_DMARC_FAIL, "p", "none"},
		{"_dmarc.example.com TXT v=DMARC1; p=none; sp=reject\n", EDS_DMARC_FAIL, "sp",
			"reject"},
		{"_dmarc.example.com TXT v=DMARC1; p=reject\n", EDS_DMARC_FAIL, "p", "reject"},
		{"_dmarc.example.com TXT v=DMARC1; p=none; np=reject; t=y\n", EDS_DMARC_FAIL, "np",
			"quarantine"},
		{"_dmarc.com TXT v=DMARC1; p=none; np=reject; psd=y\n", EDS_DMARC_FAIL, "np",
			"reject"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct message m = {"mail.example.com", NULL, NULL, cases[i].zone};
		struct eds_dmarc_result r = judge(&m);

		if (r.code != cases[i].code ||
			strcmp(eds_dmarc_tag_name(r.applied), cases[i].applied) ||
			strcmp(eds_dmarc_policy_name(r.policy), cases[i].policy))
			fail_msg("case %zu: %s, %s=%s", i, eds_dmarc_code_name(r.code),
				eds_dmarc_tag_name(r.applied), eds_dmarc_policy_name(r.policy));
	}
}

static void a_pass_says_what_passed(void **state)
{
	static const struct message spf = {"example.com", "example.com", NULL, EXAMPLE};
	static const struct message dkim = {"example.com", NULL, "example.com", EXAMPLE};
	static const struct message both = {"example.com", "example.com", "example.com", EXAMPLE};

	(void)state;
	assert_non_null(strstr(judge(&spf).reason, "SPF passed for a domain aligned with"));
	assert_non_null(strstr(judge(&dkim).reason, "A valid DKIM signature is aligned with"));
	assert_non_null(strstr(judge(&both).reason, "SPF and DKIM passed for domains aligned"));
}

static void the_verdict_asks_nothing_about_the_existence_of_the_from_domain(void **state)
{
	const struct eds_spf_result spf = spf_of(EDS_SPF_NONE, "");
	const struct eds_dkim_result dkim = {.failure = ""};
	struct eds_dmarc_result result;
	struct eds_from from;
	struct eds_dns *dns;

	(void)state;
	dns_table(EXAMPLE);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	eds_from_parse(&test_event, "a@example.com", 13, &from);
	eds_dmarc_evaluate(&test_event, dns, &from, &spf, &dkim, &result);
	assert_int_equal(result.code, EDS_DMARC_FAIL);
	assert_false(dns_table_asked("example.com", EDS_DNS_A));
	eds_dmarc_look_for_author(dns, &from, &result);
	assert_true(dns_table_asked("example.com", EDS_DNS_A));
}

static void the_existence_of_the_from_domain_is_asked_unless_dmarc_passes(void **state)
{
	struct message m = {"mail.example.com", NULL, "mail.example.com", EXAMPLE};

	(void)state;
	assert_false(judge(&m).no_such_domain);
	assert_false(dns_table_asked("mail.example.com", EDS_DNS_A));
	m.dkim = NULL;
	assert_true(judge(&m).no_such_domain);
	assert_true(dns_table_asked("mail.example.com", EDS_DNS_A));
	m.zone = EXAMPLE "mail.example.com MX 10 mx.example.com\n";
	assert_false(judge(&m).no_such_domain);
	m.zone = "mail.example.com FAIL SERVFAIL\n" EXAMPLE;
	assert_false(judge(&m).no_such_domain);
	/* after DNS has failed no further question is asked */
	m.zone = "_dmarc.mail.example.com FAIL SERVFAIL\n";
	assert_int_equal(judge(&m).code, EDS_DMARC_TEMPERROR);
	assert_false(dns_table_asked("mail.example.com", EDS_DNS_A));
}

static void the_compared_domains_are_shown_with_the_mode(void **state)
{
	struct message m = {"example.com", "bounce.example.com", "mail.example.com",
		"_dmarc.example.com TXT v=DMARC1; p=reject; aspf=s; adkim=s; pct=20\n"};
	struct eds_dmarc_result r = judge(&m);

	(void)state;
	assert_int_equal(r.code, EDS_DMARC_FAIL);
	assert_string_equal(r.spf.domain, "bounce.example.com");
	assert_true(r.spf.strict && r.spf.passed && r.spf.strict_alone);
	assert_string_equal(r.dkim.domain, "mail.example.com");
	assert_true(r.dkim.strict && r.dkim.passed && r.dkim.strict_alone);
	assert_int_equal(r.tags.percent, 20);
	m.zone = "_dmarc.example.com TXT v=DMARC1; p=reject; t=y\n";
	r = judge(&m);
	assert_int_equal(r.code, EDS_DMARC_PASS);
	assert_int_equal(r.spf.names, EDS_DMARC_ALIGNED);
	assert_false(r.spf.strict || r.spf.strict_alone);
	assert_int_equal(r.tags.percent, -1);
	assert_int_equal(r.published, EDS_DMARC_P_REJECT);
	assert_int_equal(r.policy, EDS_DMARC_P_QUARANTINE);
	m.spf = m.dkim = "example.net";
	r = judge(&m);
	assert_int_equal(r.spf.names, EDS_DMARC_UNALIGNED);
	assert_false(r.spf.strict_alone);
}

static void without_a_record_the_organizational_domain_is_unknown(void **state)
{
	struct message m = {"example.com", "bounce.example.com", "example.com", ""};
	struct eds_dmarc_result r = judge(&m);

	(void)state;
	assert_int_equal(r.code, EDS_DMARC_NONE);
	assert_int_equal(r.spf.names, EDS_DMARC_UNDECIDED);
	assert_int_equal(r.dkim.names, EDS_DMARC_ALIGNED);
	m.spf = "example.net";
	assert_int_equal(judge(&m).spf.names, EDS_DMARC_UNALIGNED);
}

static void without_a_record_there_is_no_dmarc(void **state)
{
	static const struct message cases[] = {
		{"example.com", "example.com", "example.com", ""},
		{"example.com", "example.com", "example.com", "_dmarc.example.com TXT hello\n"},
		{"example.com", "example.com", "example.com",
			"_dmarc.example.com TXT v=DMARC1; p=reject\n"
			"_dmarc.example.com TXT v=DMARC1; p=none\n"},
		{"example.com", "example.com", "example.com",
			"example.com TXT v=DMARC1; p=reject\n"},
		{"example.com", "example.com", "example.com",
			"_dmarc.example.com TXT v=DMARC1; p=x\n"},
		/* an unusable record at the author's domain hides the record of its parent (section
		 * 4.10.1) */
		{"mail.example.com", "mail.example.com", NULL,
			EXAMPLE "_dmarc.mail.example.com TXT v=DMARC1; p=x\n"},
		/* the only record is at a name that the tree walk skips */
		{"a.b.c.d.e.f.g.h.example.com", NULL, NULL,
			"_dmarc.b.c.d.e.f.g.h.example.com TXT v=DMARC1; p=reject\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_result result = judge(&cases[i]);

		if (result.code != EDS_DMARC_NONE || result.has_record)
			fail_msg("case %zu: %s", i, eds_dmarc_code_name(result.code));
		assert_int_equal(result.applied, EDS_DMARC_TAG_NONE);
		assert_string_not_equal(result.reason, "");
	}
}

static void several_records_count_as_none_and_are_reported(void **state)
{
	struct message m = {"mail.example.com", NULL, NULL,
		EXAMPLE "_dmarc.mail.example.com TXT v=DMARC1; p=none\n"
			"_dmarc.mail.example.com TXT v=DMARC1; p=none\n"};
	struct eds_dmarc_result result = judge(&m);

	(void)state;
	assert_int_equal(result.code, EDS_DMARC_FAIL);
	assert_string_equal(result.record_domain, "example.com");
	assert_true(eds_finding_has(&result.warnings, "dmarc-several-records"));
}

static void the_warnings_of_the_record_are_passed_on(void **state)
{
	struct message m = {
		"example.com", NULL, NULL, "_dmarc.example.com TXT v=DMARC1; p=none; pct=50\n"};
	struct eds_dmarc_result result = judge(&m);

	(void)state;
	assert_true(eds_finding_has(&result.warnings, "dmarc-tag-removed"));
	assert_string_equal(result.record, "v=DMARC1; p=none; pct=50");
}

static const struct {
	struct message m;
	enum eds_dmarc_code code;
} failed_lookups[] = {
	/* the lookup that fails: the author's own record */
	{{"example.com", "example.com", "example.com", "_dmarc.example.com FAIL SERVFAIL\n"},
		EDS_DMARC_TEMPERROR},
	/* the lookup that fails: a name on the way to the organizational domain */
	{{"a.mail.example.com", "a.mail.example.com", NULL,
		 EXAMPLE "_dmarc.mail.example.com FAIL SERVFAIL\n"},
		EDS_DMARC_TEMPERROR},
	/* the author's own record was found, so identical domains need no further lookup */
	{{"example.com", "example.com", NULL, EXAMPLE "_dmarc.com FAIL SERVFAIL\n"},
		EDS_DMARC_PASS},
	/* both walks find the same record, so a failure above it affects both in the same way */
	{{"example.com", "mail.example.com", NULL, EXAMPLE "_dmarc.com FAIL SERVFAIL\n"},
		EDS_DMARC_PASS},
	{{"example.com", "mail.example.com", NULL,
		 EXAMPLE "_dmarc.mail.example.com TXT v=DMARC1; p=none; psd=n\n"
			 "_dmarc.com FAIL SERVFAIL\n"},
		EDS_DMARC_TEMPERROR},
	{{"mail.example.com", NULL, "example.com",
		 "_dmarc.mail.example.com TXT v=DMARC1; p=none\n_dmarc.com FAIL "
		 "SERVFAIL\n"},
		EDS_DMARC_TEMPERROR},
	{{"example.com", "other.com", NULL, EXAMPLE "_dmarc.com FAIL SERVFAIL\n"},
		EDS_DMARC_TEMPERROR},
	/* the domains have nothing in common, so nothing needs to be looked up */
	{{"example.com", "example.org", NULL, EXAMPLE "_dmarc.com FAIL SERVFAIL\n"},
		EDS_DMARC_FAIL},
	/* strict alignment needs no organizational domain */
	{{"example.com", "mail.example.com", NULL,
		 "_dmarc.example.com TXT v=DMARC1; p=none; aspf=s\n_dmarc.com FAIL "
		 "SERVFAIL\n"},
		EDS_DMARC_FAIL},
	/* the lookup that fails: a name on the walk from the signing domain */
	{{"example.com", NULL, "b.example.com", EXAMPLE "_dmarc.b.example.com FAIL SERVFAIL\n"},
		EDS_DMARC_TEMPERROR},
	{{"example.com", "example.com", "b.example.com",
		 EXAMPLE "_dmarc.b.example.com FAIL SERVFAIL\n"},
		EDS_DMARC_PASS},
	/* the lookup that fails would not have been needed */
	{{"example.com", NULL, "example.org", EXAMPLE "_dmarc.example.org FAIL SERVFAIL\n"},
		EDS_DMARC_FAIL},
	{{"dept.example.com", NULL, "example.org",
		 "_dmarc.dept.example.com TXT v=DMARC1; p=none; psd=n\n"
		 "_dmarc.example.com FAIL SERVFAIL\n"},
		EDS_DMARC_FAIL},
};

static void without_a_public_client_address_only_an_aligned_signature_decides(void **state)
{
	struct eds_spf_result spf = spf_of(EDS_SPF_NONE, "example.com");
	struct eds_dkim_result none = {.failure = ""};
	struct eds_dkim_result own = signed_by(EDS_DKIM_VALID, "example.com");
	struct eds_dkim_result foreign = signed_by(EDS_DKIM_VALID, "example.net");

	(void)state;
	spf.unjudged = true;
	assert_int_equal(evaluate(EXAMPLE, "a@example.com", &spf, &none).code, EDS_DMARC_TEMPERROR);
	assert_int_equal(
		evaluate(EXAMPLE, "a@example.com", &spf, &foreign).code, EDS_DMARC_TEMPERROR);
	assert_int_equal(evaluate(EXAMPLE, "a@example.com", &spf, &own).code, EDS_DMARC_PASS);
	assert_int_equal(evaluate("", "a@example.com", &spf, &none).code, EDS_DMARC_NONE);
	spf.unjudged = false;
	assert_int_equal(evaluate(EXAMPLE, "a@example.com", &spf, &none).code, EDS_DMARC_FAIL);
}

static void a_failed_lookup_gives_neither_pass_nor_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof failed_lookups / sizeof failed_lookups[0]; i++) {
		struct eds_dmarc_result result = judge(&failed_lookups[i].m);

		if (result.code != failed_lookups[i].code)
			fail_msg("case %zu: %s (%s)", i, eds_dmarc_code_name(result.code),
				result.reason);
	}
}

static void no_from_domain_or_several_are_a_permanent_error(void **state)
{
	static const char *const cases[] = {
		"",
		"a@example.com, b@example.org",
		"a@[192.0.2.1]",
		"G:;",
		"a@example.com (",
	};
	struct eds_spf_result spf = spf_of(EDS_SPF_PASS, "example.com");
	struct eds_dkim_result dkim = signed_by(EDS_DKIM_VALID, "example.com");

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_result result = evaluate(EXAMPLE, cases[i], &spf, &dkim);

		assert_int_equal(result.code, EDS_DMARC_PERMERROR);
		assert_false(result.has_record);
		assert_string_not_equal(result.reason, "");
	}
}

static void a_group_with_one_domain_is_judged(void **state)
{
	struct eds_spf_result spf = spf_of(EDS_SPF_PASS, "example.com");
	struct eds_dkim_result dkim = {.failure = ""};

	(void)state;
	assert_int_equal(evaluate(EXAMPLE, "G: a@example.com;", &spf, &dkim).code, EDS_DMARC_PASS);
}

static void the_prefetch_asks_every_name_of_the_tree_walk_and_no_other(void **state)
{
	static const char *const asked[] = {"_dmarc.a.b.c.d.e.f.g.h.i.j.mail.example.com",
		"_dmarc.g.h.i.j.mail.example.com", "_dmarc.h.i.j.mail.example.com",
		"_dmarc.i.j.mail.example.com", "_dmarc.j.mail.example.com",
		"_dmarc.mail.example.com", "_dmarc.example.com", "_dmarc.com"};
	struct eds_dns *dns;

	(void)state;
	dns_table("");
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	eds_dmarc_prefetch(&test_event, dns, "a.b.c.d.e.f.g.h.i.j.mail.example.com");
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
		assert_true(dns_table_asked(asked[i], EDS_DNS_TXT));
	assert_int_equal(eds_dns_query_count(dns), 8);
}

static void a_tree_walk_of_eight_labels_or_fewer_skips_none(void **state)
{
	struct eds_dns *dns;

	(void)state;
	dns_table("");
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	eds_dmarc_prefetch(&test_event, dns, "a.b.c.d.e.f.example.com");
	assert_int_equal(eds_dns_query_count(dns), 8);
	assert_true(dns_table_asked("_dmarc.b.c.d.e.f.example.com", EDS_DNS_TXT));
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	eds_dmarc_prefetch(&test_event, dns, "com");
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void codes_and_policies_have_their_names(void **state)
{
	(void)state;
	assert_string_equal(eds_dmarc_code_name(EDS_DMARC_NONE), "none");
	assert_string_equal(eds_dmarc_code_name(EDS_DMARC_PASS), "pass");
	assert_string_equal(eds_dmarc_code_name(EDS_DMARC_FAIL), "fail");
	assert_string_equal(eds_dmarc_code_name(EDS_DMARC_TEMPERROR), "temperror");
	assert_string_equal(eds_dmarc_code_name(EDS_DMARC_PERMERROR), "permerror");
	assert_string_equal(eds_dmarc_policy_name(EDS_DMARC_P_NONE), "none");
	assert_string_equal(eds_dmarc_policy_name(EDS_DMARC_P_QUARANTINE), "quarantine");
	assert_string_equal(eds_dmarc_policy_name(EDS_DMARC_P_REJECT), "reject");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_record_and_its_policy_are_found),
		TEST(np_applies_where_the_from_domain_does_not_exist),
		TEST(the_verdict_asks_nothing_about_the_existence_of_the_from_domain),
		TEST(a_pass_says_what_passed),
		TEST(the_existence_of_the_from_domain_is_asked_unless_dmarc_passes),
		TEST(the_compared_domains_are_shown_with_the_mode),
		TEST(without_a_record_the_organizational_domain_is_unknown),
		TEST(without_a_record_there_is_no_dmarc),
		TEST(several_records_count_as_none_and_are_reported),
		TEST(the_warnings_of_the_record_are_passed_on),
		TEST(a_failed_lookup_gives_neither_pass_nor_fail),
		TEST(without_a_public_client_address_only_an_aligned_signature_decides),
		TEST(no_from_domain_or_several_are_a_permanent_error),
		TEST(a_group_with_one_domain_is_judged),
		TEST(the_prefetch_asks_every_name_of_the_tree_walk_and_no_other),
		TEST(a_tree_walk_of_eight_labels_or_fewer_skips_none),
		TEST(codes_and_policies_have_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
