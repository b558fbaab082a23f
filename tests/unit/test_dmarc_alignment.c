/* Alignment of identifiers with From's domain, and its effect on the result (RFC 9989 section
 * 4.4). */
#include "functions/lib/dmarc/evaluate.h"
#include "tests/support/dns-table.h"
#include "tests/unit/dmarc_fixture.h"

static void identical_and_subordinate_domains_align(void **state)
{
	static const struct {
		struct message m;
		bool spf, dkim;
	} cases[] = {
		{{"example.com", "example.com", NULL, EXAMPLE}, true, false},
		{{"example.com", NULL, "example.com", EXAMPLE}, false, true},
		{{"example.com", "example.com", "example.com", EXAMPLE}, true, true},
		{{"example.com", "bounce.example.com", NULL, EXAMPLE}, true, false},
		{{"example.com", NULL, "a.b.example.com", EXAMPLE}, false, true},
		{{"mail.example.com", "example.com", NULL, EXAMPLE}, true, false},
		{{"a.example.com", NULL, "b.example.com", EXAMPLE}, false, true},
		{{"EXAMPLE.com", NULL, "Example.COM", EXAMPLE}, false, true},
		{{"example.com", "esp.example", "example.com", EXAMPLE}, false, true},
		{{"b\xc3\xbc"
		  "cher.example",
			 NULL, "xn--bcher-kva.example",
			 "_dmarc.xn--bcher-kva.example TXT v=DMARC1; p=none\n"},
			false, true},
		/* each domain on the path has its own record: the topmost is the organizational
		 * domain */
		{{"a.b.example.com", NULL, "c.example.com",
			 EXAMPLE "_dmarc.b.example.com TXT v=DMARC1; p=none\n"
				 "_dmarc.a.b.example.com TXT v=DMARC1; p=none\n"
				 "_dmarc.c.example.com TXT v=DMARC1; p=none\n"},
			false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_result result = judge(&cases[i].m);

		if (result.code != EDS_DMARC_PASS || result.spf_aligned != cases[i].spf ||
			result.dkim_aligned != cases[i].dkim)
			fail_msg("case %zu: %s (%s)", i, eds_dmarc_code_name(result.code),
				result.reason);
	}
}

static void foreign_domains_do_not_align(void **state)
{
	static const struct message cases[] = {
		{"example.com", NULL, NULL, EXAMPLE},
		{"example.com", "example.org", "example.org", EXAMPLE},
		{"example.com", "com", "com", EXAMPLE},
		{"example.com", "notexample.com", "notexample.com", EXAMPLE},
		{"example.com", "example.com.evil.example", "xexample.com", EXAMPLE},
		{"example.com", "", "", EXAMPLE},
		{"example.com", "[192.0.2.1]", "exa mple.com", EXAMPLE},
		/* strict */
		{"example.com", "mail.example.com", "mail.example.com",
			"_dmarc.example.com TXT v=DMARC1; p=none; adkim=s; aspf=s\n"},
		{"mail.example.com", "example.com", "example.com",
			"_dmarc.example.com TXT v=DMARC1; p=none; adkim=s; aspf=s\n"},
		/* only the From domain has a record, not its parent, so the two have different
		 * organizational domains */
		{"mail.example.com", NULL, "example.com",
			"_dmarc.mail.example.com TXT v=DMARC1; p=none\n"},
		/* psd=n makes a subdomain an organizational domain of its own */
		{"dept.example.com", "example.com", "example.com",
			EXAMPLE "_dmarc.dept.example.com TXT v=DMARC1; p=none; psd=n\n"},
		{"example.com", "dept.example.com", "a.dept.example.com",
			EXAMPLE "_dmarc.dept.example.com TXT v=DMARC1; p=none; psd=n\n"},
		/* domains directly under a public suffix (psd=y) */
		{"one.bank", "two.bank", "two.bank", "_dmarc.bank TXT v=DMARC1; p=reject; psd=y\n"},
		{"a.one.bank", "bank", "two.bank", "_dmarc.bank TXT v=DMARC1; p=reject; psd=y\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_result result = judge(&cases[i]);

		if (result.code != EDS_DMARC_FAIL || result.spf_aligned || result.dkim_aligned)
			fail_msg("case %zu: %s (%s)", i, eds_dmarc_code_name(result.code),
				result.reason);
	}
}

static void one_mode_may_be_strict_alone(void **state)
{
	struct message m = {"example.com", "b.example.com", NULL,
		"_dmarc.example.com TXT v=DMARC1; p=none; adkim=s\n"};

	(void)state;
	assert_int_equal(judge(&m).code, EDS_DMARC_PASS);
	m = (struct message){"example.com", NULL, "b.example.com", m.zone};
	assert_int_equal(judge(&m).code, EDS_DMARC_FAIL);
	m.zone = "_dmarc.example.com TXT v=DMARC1; p=none; aspf=s\n";
	assert_int_equal(judge(&m).code, EDS_DMARC_PASS);
}

static void spf_that_did_not_pass_is_not_aligned(void **state)
{
	static const struct {
		enum eds_spf_code spf;
		const char *domain;
		enum eds_dmarc_code code;
	} cases[] = {
		{EDS_SPF_PASS, "example.com", EDS_DMARC_PASS},
		{EDS_SPF_NONE, "example.com", EDS_DMARC_FAIL},
		{EDS_SPF_NEUTRAL, "example.com", EDS_DMARC_FAIL},
		{EDS_SPF_FAIL, "example.com", EDS_DMARC_FAIL},
		{EDS_SPF_SOFTFAIL, "example.com", EDS_DMARC_FAIL},
		{EDS_SPF_PERMERROR, "example.com", EDS_DMARC_FAIL},
		{EDS_SPF_TEMPERROR, "example.com", EDS_DMARC_TEMPERROR},
		{EDS_SPF_TEMPERROR, "mail.example.com", EDS_DMARC_TEMPERROR},
		{EDS_SPF_TEMPERROR, "example.org", EDS_DMARC_FAIL},
		{EDS_SPF_TEMPERROR, "", EDS_DMARC_FAIL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_spf_result spf = spf_of(cases[i].spf, cases[i].domain);
		struct eds_dkim_result dkim = {.failure = ""};
		struct eds_dmarc_result result = evaluate(EXAMPLE, "a@example.com", &spf, &dkim);

		if (result.code != cases[i].code)
			fail_msg("case %zu: %s", i, eds_dmarc_code_name(result.code));
	}
}

static void signatures_that_are_not_valid_are_not_aligned(void **state)
{
	static const struct {
		enum eds_dkim_state dkim;
		const char *domain;
		enum eds_dmarc_code code;
	} cases[] = {
		{EDS_DKIM_VALID, "example.com", EDS_DMARC_PASS},
		{EDS_DKIM_INVALID, "example.com", EDS_DMARC_FAIL},
		{EDS_DKIM_TESTING, "example.com", EDS_DMARC_FAIL},
		{EDS_DKIM_TEMPORARY, "example.com", EDS_DMARC_TEMPERROR},
		{EDS_DKIM_TEMPORARY, "example.org", EDS_DMARC_FAIL},
		{EDS_DKIM_UNCHECKED, "mail.example.com", EDS_DMARC_TEMPERROR},
		{EDS_DKIM_UNCHECKED, "example.org", EDS_DMARC_FAIL},
	};
	struct eds_spf_result spf = spf_of(EDS_SPF_NONE, "");

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dkim_result dkim = signed_by(cases[i].dkim, cases[i].domain);
		struct eds_dmarc_result result = evaluate(EXAMPLE, "a@example.com", &spf, &dkim);

		if (result.code != cases[i].code)
			fail_msg("case %zu: %s", i, eds_dmarc_code_name(result.code));
	}
}

static void one_aligned_pass_outweighs_all_failures(void **state)
{
	struct eds_spf_result spf = spf_of(EDS_SPF_TEMPERROR, "example.com");
	struct eds_dkim_result dkim = {.failure = "", .count = 3, .total = 3};
	struct eds_dmarc_result result;

	(void)state;
	dkim.signatures[0] = signed_by(EDS_DKIM_INVALID, "example.com").signatures[0];
	dkim.signatures[1] = signed_by(EDS_DKIM_TEMPORARY, "example.com").signatures[0];
	dkim.signatures[2] = signed_by(EDS_DKIM_VALID, "mail.example.com").signatures[0];
	result = evaluate(EXAMPLE, "a@example.com", &spf, &dkim);
	assert_int_equal(result.code, EDS_DMARC_PASS);
	assert_true(result.dkim_aligned);
	assert_false(result.spf_aligned);
}

static void signatures_that_could_not_be_checked_leave_the_result_open(void **state)
{
	struct eds_spf_result spf = spf_of(EDS_SPF_NONE, "");
	struct eds_dkim_result dkim = {.failure = "The child died.", .count = 0, .total = 2};

	(void)state;
	assert_int_equal(evaluate(EXAMPLE, "a@example.com", &spf, &dkim).code, EDS_DMARC_TEMPERROR);
	dkim.total = 0;
	assert_int_equal(evaluate(EXAMPLE, "a@example.com", &spf, &dkim).code, EDS_DMARC_FAIL);
}

static void a_failed_lookup_awaits_dns_if_its_answer_could_align_something(void **state)
{
#define LOST "_dmarc.example.com FAIL SERVFAIL\n"
	static const struct {
		const char *zone;
		struct eds_spf_result spf;
		enum eds_dkim_state dkim;
		const char *signer; /* NULL: no signature */
		bool awaits;
	} cases[] = {
		{EXAMPLE, {EDS_SPF_TEMPERROR, .domain = "mail.example.com"}, 0, NULL, true},
		{EXAMPLE, {EDS_SPF_TEMPERROR, .domain = "example.org"}, 0, NULL, false},
		{EXAMPLE, {EDS_SPF_FAIL, .domain = "example.com"}, 0, NULL, false},
		{EXAMPLE, {.unjudged = true, .domain = "example.com"}, 0, NULL, false},
		{EXAMPLE, {EDS_SPF_NONE, .domain = ""}, EDS_DKIM_TEMPORARY, "mail.example.com",
			true},
		{EXAMPLE, {EDS_SPF_NONE, .domain = ""}, EDS_DKIM_TEMPORARY, "example.org", false},
		{EXAMPLE, {EDS_SPF_NONE, .domain = ""}, EDS_DKIM_UNCHECKED, "example.com", false},
		{EXAMPLE, {.unjudged = true, .domain = "example.com"}, EDS_DKIM_TEMPORARY,
			"example.com", true},
		/* what passes already is enough */
		{EXAMPLE, {EDS_SPF_TEMPERROR, .domain = "example.com"}, EDS_DKIM_VALID,
			"example.com", false},
		{EXAMPLE, {EDS_SPF_PASS, .domain = "example.com"}, EDS_DKIM_TEMPORARY,
			"example.com", false},
		/* no record */
		{"", {EDS_SPF_NONE, .domain = ""}, EDS_DKIM_TEMPORARY, "example.com", true},
		{"", {EDS_SPF_PASS, .domain = "bounce.example.com"}, 0, NULL, false},
		/* the record that tells the organizational domain */
		{LOST, {EDS_SPF_PASS, .domain = "example.com"}, 0, NULL, true},
		{LOST, {EDS_SPF_PASS, .domain = "bounce.example.com"}, 0, NULL, true},
		{LOST, {EDS_SPF_FAIL, .domain = "example.com"}, EDS_DKIM_INVALID, "example.com",
			false},
		{EXAMPLE "_dmarc.com FAIL SERVFAIL\n", {EDS_SPF_PASS, .domain = "example.com"}, 0,
			NULL, false},
		{EXAMPLE "_dmarc.b.example.com FAIL SERVFAIL\n", {EDS_SPF_NONE, .domain = ""},
			EDS_DKIM_VALID, "b.example.com", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dkim_result dkim = signed_by(cases[i].dkim, cases[i].signer);

		dkim.count = dkim.total = cases[i].signer != NULL;
		if (evaluate(cases[i].zone, "a@example.com", &cases[i].spf, &dkim).awaits_dns !=
			cases[i].awaits)
			fail_msg("case %zu", i);
	}
}

static void identical_and_foreign_domains_cost_no_questions(void **state)
{
	struct message m = {"example.com", "example.org", "b.example.com", EXAMPLE};

	(void)state;
	judge(&m);
	assert_false(dns_table_asked("_dmarc.example.org", EDS_DNS_TXT));
	assert_true(dns_table_asked("_dmarc.b.example.com", EDS_DNS_TXT));
	m.spf = "example.net.com"; /* under the same top */
	judge(&m);
	assert_false(dns_table_asked("_dmarc.example.net.com", EDS_DNS_TXT));
	assert_false(dns_table_asked("_dmarc.net.com", EDS_DNS_TXT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(identical_and_subordinate_domains_align),
		TEST(foreign_domains_do_not_align),
		TEST(one_mode_may_be_strict_alone),
		TEST(spf_that_did_not_pass_is_not_aligned),
		TEST(signatures_that_are_not_valid_are_not_aligned),
		TEST(one_aligned_pass_outweighs_all_failures),
		TEST(signatures_that_could_not_be_checked_leave_the_result_open),
		TEST(a_failed_lookup_awaits_dns_if_its_answer_could_align_something),
		TEST(identical_and_foreign_domains_cost_no_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
