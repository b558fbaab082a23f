/* The findings of a look at a domain about its DMARC policy and the destinations of its reports. */
#include "tests/unit/posture_fixture.h"

static void a_published_dmarc_policy_is_never_weakened(void **state)
{
	(void)state;
	look_as_own(ZONE MX SPF
		"_dmarc.example.com TXT v=DMARC1; p=reject; sp=reject; rua=mailto:d@example.com\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-reports-elsewhere", EDS_POSTURE_WARNING);
	assert_record(EDS_POSTURE_DMARC, "dmarc-reports-elsewhere", "_dmarc.example.com",
		"v=DMARC1; p=reject; sp=reject; rua=mailto:d@example.com",
		"v=DMARC1; p=reject; sp=reject; rua=mailto:d@example.com,mailto:r@reports.example");
	look_as_own(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=quarantine\n");
	assert_record(EDS_POSTURE_DMARC, "dmarc-reports-elsewhere", "_dmarc.example.com",
		"v=DMARC1; p=quarantine", "v=DMARC1; p=quarantine; rua=mailto:r@reports.example");
}

static void a_policy_of_the_parent_domain_is_kept_in_the_domains_own_record(void **state)
{
	struct eds_posture_question question = {.domain = "mail.example.com",
		.authority = "ca.example",
		.report_address = "r@reports.example"};

	(void)state;
	ask(&question,
		"mail.example.com MX 10 mx.example.com\nmx.example.com A 1.1.1.1\n"
		"_dmarc.example.com TXT v=DMARC1; p=none; sp=reject; adkim=s; "
		"rua=mailto:d@example.com\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-inherited", EDS_POSTURE_OK);
	assert_record(EDS_POSTURE_DMARC, "dmarc-reports-elsewhere", "_dmarc.mail.example.com", NULL,
		"v=DMARC1; p=reject; adkim=s; rua=mailto:d@example.com,mailto:r@reports.example");
}

static void a_record_of_its_own_keeps_all_but_the_policy_of_subdomains(void **state)
{
	struct eds_posture_question question = {.domain = "mail.example.com",
		.authority = "ca.example",
		.report_address = "r@reports.example"};

	(void)state;
	ask(&question,
		"mail.example.com MX 10 mx.example.com\nmx.example.com A 1.1.1.1\n"
		"_dmarc.example.com TXT v=DMARC1;p=reject; sp=quarantine; np=reject; fo=1:d; "
		"pct=50; t=y; rua=mailto:d@example.com!10m; ruf=mailto:f@example.com;\n");
	assert_record(EDS_POSTURE_DMARC, "dmarc-reports-elsewhere", "_dmarc.mail.example.com", NULL,
		"v=DMARC1; p=quarantine; fo=1:d; pct=50; t=y; "
		"rua=mailto:d@example.com!10m,mailto:r@reports.example; ruf=mailto:f@example.com");
}

static void tags_of_the_older_rfc_that_change_nothing_are_no_fault(void **state)
{
	(void)state;
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=reject; pct=100; rf=afrf; ri=86400; "
			 "rua=mailto:d@example.com\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-tag-historic", EDS_POSTURE_OK);
	assert_int_equal(posture->items[EDS_POSTURE_DMARC].state, EDS_POSTURE_OK);
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=reject; pct=50; "
			 "rua=mailto:d@example.com\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-tag-removed", EDS_POSTURE_WARNING);
}

/* Report addresses and faults in the record of a public suffix concern its registry, not the
 * domain. */
static void a_record_below_a_public_suffix_takes_only_the_policy(void **state)
{
	struct eds_posture_question question = {.domain = "shop.example.com",
		.authority = "ca.example",
		.report_address = "r@reports.example"};

	(void)state;
	ask(&question,
		"shop.example.com MX 10 mx.example.com\nmx.example.com A 1.1.1.1\n"
		"_dmarc.example.com TXT v=DMARC1; p=reject; psd=y; t=y; ri=1; fo=1; "
		"rua=mailto:d@example.com; ruf=mailto:f@example.com\n");
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-testing"));
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-tag-historic"));
	assert_record(EDS_POSTURE_DMARC, "dmarc-reports-elsewhere", "_dmarc.shop.example.com", NULL,
		"v=DMARC1; p=reject; t=y; ri=1; rua=mailto:r@reports.example");
}

static void a_record_that_already_sends_reports_here_needs_no_change(void **state)
{
	(void)state;
	look_as_own(ZONE MX SPF STS
		"_dmarc.example.com TXT v=DMARC1; p=reject; rua=mailto:R@Reports.example!10m\n"
		"example.com._report._dmarc.reports.example TXT v=DMARC1;\n"
		"_smtp._tls.example.com TXT v=TLSRPTv1;rua=mailto:t@example.com, "
		"mailto:r@reports.example\n");
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-reports-elsewhere"));
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-destination-unauthorized"));
	assert_int_equal(posture->items[EDS_POSTURE_TLS_RPT].state, EDS_POSTURE_OK);
}

static void a_record_with_our_https_address_needs_no_change(void **state)
{
	struct eds_posture_question question = {.domain = "example.com",
		.authority = "ca.example",
		.report_address = "r@reports.example",
		.report_url = "https://eds.example/tls-reports/r"};

	(void)state;
	ask(&question, ZONE MX SPF);
	assert_record(EDS_POSTURE_TLS_RPT, "tlsrpt-missing", "_smtp._tls.example.com", NULL,
		"v=TLSRPTv1; rua=mailto:r@reports.example,https://eds.example/tls-reports/r");
	ask(&question, ZONE MX SPF RPT);
	assert_record(EDS_POSTURE_TLS_RPT, "tlsrpt-reports-elsewhere", "_smtp._tls.example.com",
		"v=TLSRPTv1; rua=mailto:t@example.com",
		"v=TLSRPTv1; rua=mailto:t@example.com,mailto:r@reports.example,"
		"https://eds.example/tls-reports/r");
	ask(&question,
		ZONE MX SPF "_smtp._tls.example.com TXT v=TLSRPTv1; "
			    "rua=https://eds.example/tls-reports/r\n");
	assert_null(find(EDS_POSTURE_TLS_RPT, "tlsrpt-reports-elsewhere"));
	ask(&question,
		ZONE MX SPF "_smtp._tls.example.com TXT v=TLSRPTv1; "
			    "rua=https://eds.example/tls-reports/rest\n");
	assert_found(EDS_POSTURE_TLS_RPT, "tlsrpt-reports-elsewhere", EDS_POSTURE_WARNING);
}

static void without_an_account_no_report_address_is_proposed(void **state)
{
	(void)state;
	look(ZONE MX SPF);
	assert_record(
		EDS_POSTURE_DMARC, "dmarc-missing", "_dmarc.example.com", NULL, "v=DMARC1; p=none");
	assert_found(EDS_POSTURE_TLS_RPT, "tlsrpt-missing", EDS_POSTURE_WARNING);
	assert_null(find(EDS_POSTURE_TLS_RPT, "tlsrpt-missing")->record.type);
	look_as_own(ZONE MX SPF);
	assert_record(EDS_POSTURE_DMARC, "dmarc-missing", "_dmarc.example.com", NULL,
		"v=DMARC1; p=none; rua=mailto:r@reports.example");
	assert_record(EDS_POSTURE_TLS_RPT, "tlsrpt-missing", "_smtp._tls.example.com", NULL,
		"v=TLSRPTv1; rua=mailto:r@reports.example");
}

#define PARKED "example.com MX 0 .\nexample.com TXT v=spf1 -all\n"

static void a_domain_without_mail_gets_p_reject_as_its_first_record(void **state)
{
	(void)state;
	look(ZONE PARKED);
	assert_record(EDS_POSTURE_DMARC, "dmarc-missing", "_dmarc.example.com", NULL,
		"v=DMARC1; p=reject");
	look_as_own(ZONE PARKED);
	assert_record(EDS_POSTURE_DMARC, "dmarc-missing", "_dmarc.example.com", NULL,
		"v=DMARC1; p=reject; rua=mailto:r@reports.example");
	assert_null(find(EDS_POSTURE_TLS_RPT, "tlsrpt-missing"));
	look(ZONE PARKED "_dmarc.example.com TXT v=DMARC1; p=none; rua=mailto:a@example.com\n");
	assert_string_equal(find(EDS_POSTURE_DMARC, "dmarc-policy-none")->advice,
		"The domain's SPF record says that the domain sends no mail: publish p=reject.");
	/* a domain with mail servers may still send mail, with envelope senders in its
	 * subdomains */
	look(ZONE MX "example.com TXT v=spf1 -all\n");
	assert_record(
		EDS_POSTURE_DMARC, "dmarc-missing", "_dmarc.example.com", NULL, "v=DMARC1; p=none");
	look(ZONE "example.com MX 0 .\nexample.com TXT v=spf1 ip4:192.0.2.1 -all\n");
	assert_record(
		EDS_POSTURE_DMARC, "dmarc-missing", "_dmarc.example.com", NULL, "v=DMARC1; p=none");
}

static void no_further_record_is_proposed_beside_several_dmarc_records(void **state)
{
	(void)state;
	look_as_own(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=none\n"
				"_dmarc.example.com TXT v=DMARC1; p=reject\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-several-records", EDS_POSTURE_ERROR);
	for (size_t i = 0; i < posture->items[EDS_POSTURE_DMARC].count; i++)
		assert_null(posture->items[EDS_POSTURE_DMARC].findings[i].record.type);
}

static void a_dmarc_record_with_a_wrong_beginning_is_shown_and_gets_no_second(void **state)
{
	static const char *const wrong[] = {"v=DMARC1 p=reject", "v=dmarc1; p=reject",
		"\"v=DMARC1; p=reject\"", " v=DMARC1; p=reject", "v=DMARC2; p=reject"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		look_as_own(rt_printf(
			&test_event, "%s_dmarc.example.com TXT %s\n", ZONE MX SPF, wrong[i]));
		assert_found(EDS_POSTURE_DMARC, "dmarc-version", EDS_POSTURE_ERROR);
		assert_non_null(strstr(find(EDS_POSTURE_DMARC, "dmarc-version")->message,
			rt_printf(&test_event, "It is: %s", wrong[i])));
		assert_null(find(EDS_POSTURE_DMARC, "dmarc-missing"));
	}
	look_as_own(ZONE MX SPF DMARC "_dmarc.example.com TXT v=DMARC1 p=none\n");
	/* the valid record counts, and the malformed one beside it causes no finding */
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-version"));
	look_as_own(ZONE MX SPF "_dmarc.example.com TXT some note\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-missing", EDS_POSTURE_ERROR);
}

static void a_foreign_report_destination_must_agree(void **state)
{
	(void)state;
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=reject; rua=mailto:a@yes.example,"
			 "mailto:b@no.example,mailto:c@sub.example.com,mailto:d@dead.example; "
			 "ruf=mailto:e@no.example\n"
			 "example.com._report._dmarc.yes.example TXT v=DMARC1\n"
			 "example.com._report._dmarc.dead.example FAIL SERVFAIL\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-destination-unauthorized", EDS_POSTURE_WARNING);
	assert_record(EDS_POSTURE_DMARC, "dmarc-destination-unauthorized",
		"example.com._report._dmarc.no.example", NULL, "v=DMARC1;");
	assert_found(EDS_POSTURE_DMARC, "dmarc-destination-temporary", EDS_POSTURE_UNKNOWN);
	/* findings for b and e, which do not consent, and for d, which could not be asked; a
	 * consents, and c is of the same organization */
	assert_int_equal(posture->items[EDS_POSTURE_DMARC].count, 3);
}

static void a_dmarc_policy_that_stops_nothing_is_a_warning(void **state)
{
	(void)state;
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=none\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-policy-none", EDS_POSTURE_WARNING);
	assert_found(EDS_POSTURE_DMARC, "dmarc-no-reports", EDS_POSTURE_WARNING);
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=reject; sp=none; t=y\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-testing", EDS_POSTURE_WARNING);
	assert_non_null(strstr(
		find(EDS_POSTURE_DMARC, "dmarc-testing")->message, "apply the policy in full"));
	assert_found(EDS_POSTURE_DMARC, "dmarc-subdomains-weaker", EDS_POSTURE_WARNING);
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-nonexistent-weaker"));
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=reject; np=none; psd=y\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-nonexistent-weaker", EDS_POSTURE_WARNING);
	assert_found(EDS_POSTURE_DMARC, "dmarc-public-suffix", EDS_POSTURE_WARNING);
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-subdomains-weaker"));
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=none; np=reject; psd=n\n");
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-nonexistent-weaker"));
	assert_null(find(EDS_POSTURE_DMARC, "dmarc-public-suffix"));
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=rejct\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-unusable", EDS_POSTURE_ERROR);
}

static void the_address_is_added_to_the_tls_report_record(void **state)
{
	(void)state;
	look_as_own(ZONE MX SPF
		"_smtp._tls.example.com TXT v=TLSRPTv1; rua=mailto:t@example.com ; x=y\n");
	assert_record(EDS_POSTURE_TLS_RPT, "tlsrpt-reports-elsewhere", "_smtp._tls.example.com",
		"v=TLSRPTv1; rua=mailto:t@example.com ; x=y",
		"v=TLSRPTv1; rua=mailto:t@example.com,mailto:r@reports.example ; x=y");
	look_as_own(ZONE MX SPF "_smtp._tls.example.com TXT v=TLSRPTv1; rua=nobody\n");
	assert_found(EDS_POSTURE_TLS_RPT, "tlsrpt-invalid", EDS_POSTURE_ERROR);
	assert_null(find(EDS_POSTURE_TLS_RPT, "tlsrpt-invalid")->record.type);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_published_dmarc_policy_is_never_weakened),
		TEST(a_policy_of_the_parent_domain_is_kept_in_the_domains_own_record),
		TEST(a_record_of_its_own_keeps_all_but_the_policy_of_subdomains),
		TEST(tags_of_the_older_rfc_that_change_nothing_are_no_fault),
		TEST(a_record_below_a_public_suffix_takes_only_the_policy),
		TEST(a_record_that_already_sends_reports_here_needs_no_change),
		TEST(a_record_with_our_https_address_needs_no_change),
		TEST(without_an_account_no_report_address_is_proposed),
		TEST(a_domain_without_mail_gets_p_reject_as_its_first_record),
		TEST(no_further_record_is_proposed_beside_several_dmarc_records),
		TEST(a_dmarc_record_with_a_wrong_beginning_is_shown_and_gets_no_second),
		TEST(a_foreign_report_destination_must_agree),
		TEST(a_dmarc_policy_that_stops_nothing_is_a_warning),
		TEST(the_address_is_added_to_the_tls_report_record),
	};

	return cmocka_run_group_tests_name("posture reports", tests, NULL, NULL);
}
