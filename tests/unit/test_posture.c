#include "tests/support/test-event.h"

#include "functions/lib/posture/names.h"
#include "functions/lib/posture/posture-json.h"
#include "functions/lib/posture/posture.h"
#include "runtime/config/config.h"
#include "tests/support/dns-table.h"

/* A domain with which nothing is wrong. */
#define ZONE                                                                                       \
	"example.com NS ns1.example.com\nexample.com NS ns2.example.com\n"                         \
	"ns1.example.com A 1.1.1.53\nns2.example.com AAAA 2a00::53\n"
#define MX "example.com MX 10 mx.example.com\nmx.example.com A 1.1.1.1\n"
#define SPF "example.com TXT v=spf1 mx -all\n"
#define DMARC "_dmarc.example.com TXT v=DMARC1; p=reject; rua=mailto:d@example.com\n"
#define STS "_mta-sts.example.com TXT v=STSv1; id=a1\nmta-sts.example.com A 1.1.1.2\n"
#define RPT "_smtp._tls.example.com TXT v=TLSRPTv1; rua=mailto:t@example.com\n"

static struct eds_posture *posture;

static void ask(const struct eds_posture_question *question, const char *zone)
{
	struct eds_dns *dns;

	dns_table(zone);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	posture = rt_alloc(&test_event, sizeof *posture);
	eds_posture_look(&test_event, dns, question, posture);
	assert_true(eds_dns_query_count(dns) <= 200);
}

static void look(const char *zone)
{
	struct eds_posture_question question = {.domain = "example.com", .authority = "ca.example"};

	ask(&question, zone);
}

/* As of a domain that is registered here. */
static void look_as_own(const char *zone)
{
	struct eds_posture_question question = {.domain = "example.com",
		.authority = "ca.example",
		.report_address = "r@reports.example",
		.hosted = true};

	ask(&question, zone);
}

static const struct eds_posture_finding *find(enum eds_posture_subject subject, const char *code)
{
	const struct eds_posture_item *item = &posture->items[subject];

	for (size_t i = 0; i < item->count; i++)
		if (strcmp(item->findings[i].code, code) == 0)
			return &item->findings[i];
	return NULL;
}

static void assert_found(
	enum eds_posture_subject subject, const char *code, enum eds_posture_state state)
{
	const struct eds_posture_finding *finding = find(subject, code);

	if (finding == NULL)
		fail_msg("%s has no %s", eds_posture_subject_name(subject), code);
	assert_string_equal(eds_posture_state_name(finding->state), eds_posture_state_name(state));
	assert_true(finding->message[0] != '\0');
	assert_true(posture->items[subject].state >= state);
	assert_true(posture->state >= state);
}

static void assert_record(enum eds_posture_subject subject, const char *code, const char *name,
	const char *old, const char *value)
{
	const struct eds_posture_finding *finding = find(subject, code);

	assert_non_null(finding);
	assert_string_equal(finding->record.name, name);
	assert_string_equal(finding->record.value, value);
	if (old != NULL)
		assert_string_equal(finding->record.old, old);
	else
		assert_null(finding->record.old);
}

static void a_domain_in_order_has_nothing_to_say(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC STS RPT);
	for (size_t i = 0; i < EDS_POSTURE_SUBJECTS; i++)
		if (posture->items[i].count > 0)
			fail_msg("%s", posture->items[i].findings[0].message);
	assert_int_equal(posture->state, EDS_POSTURE_OK);
	assert_string_equal(posture->items[EDS_POSTURE_SPF].record, "v=spf1 mx -all");
	assert_string_equal(posture->items[EDS_POSTURE_MX].record, "10 mx.example.com.");
	assert_null(posture->items[EDS_POSTURE_BIMI].record);
}

static void a_domain_that_is_not_there_is_said_once(void **state)
{
	(void)state;
	look("example.org A 1.1.1.1\n");
	assert_found(EDS_POSTURE_ZONE, "domain-missing", EDS_POSTURE_ERROR);
	for (size_t i = EDS_POSTURE_ZONE + 1; i < EDS_POSTURE_SUBJECTS; i++) {
		if (i == EDS_POSTURE_DNSSEC)
			continue; /* nobody asked about it */
		assert_int_equal(posture->items[i].count, 0);
		assert_int_equal(posture->items[i].state, EDS_POSTURE_UNKNOWN);
	}
}

static void a_dead_zone_is_unknown_and_never_wrong(void **state)
{
	(void)state;
	look("example.com FAIL SERVFAIL\n_dmarc.example.com FAIL SERVFAIL\n"
	     "_dmarc.com FAIL SERVFAIL\nmta-sts.example.com FAIL SERVFAIL\n"
	     "_mta-sts.example.com FAIL SERVFAIL\n_smtp._tls.example.com FAIL SERVFAIL\n"
	     "default._bimi.example.com FAIL SERVFAIL\n");
	assert_found(EDS_POSTURE_ZONE, "zone-unanswered", EDS_POSTURE_UNKNOWN);
	assert_found(EDS_POSTURE_SPF, "spf-temporary", EDS_POSTURE_UNKNOWN);
	assert_found(EDS_POSTURE_DMARC, "dmarc-temporary", EDS_POSTURE_UNKNOWN);
	assert_found(EDS_POSTURE_CAA, "caa-temporary", EDS_POSTURE_UNKNOWN);
	assert_int_equal(posture->state, EDS_POSTURE_UNKNOWN);
}

static void name_servers_must_have_addresses_of_their_own(void **state)
{
	(void)state;
	look("example.com NS gone.example.com\n" MX SPF DMARC STS RPT);
	assert_found(EDS_POSTURE_ZONE, "name-server-unresolvable", EDS_POSTURE_WARNING);
	assert_found(EDS_POSTURE_ZONE, "name-server-single", EDS_POSTURE_WARNING);
	look("example.com NS ns1.example.com\nexample.com NS ns2.example.com\n"
	     "ns1.example.com CNAME mx.example.com\nns2.example.com A 1.1.1.2\n" MX SPF);
	assert_found(EDS_POSTURE_ZONE, "name-server-alias", EDS_POSTURE_WARNING);
}

#define THIRD_SERVER "example.com NS ns3.example.com\nns3.example.com A 1.1.1.54\n"
#define IN_ORDER ZONE MX SPF DMARC STS RPT

static void a_name_server_that_does_not_serve_the_zone_is_named(void **state)
{
	static const char *const answers[] = {
		"example.com@1.1.1.54 FAIL REFUSED\n",
		"example.com@1.1.1.54 FAIL SERVFAIL\n",
		"example.com@1.1.1.54 FAIL referral\n",
		"example.com@1.1.1.54 TXT without authority\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		look(rt_printf(&test_event, IN_ORDER THIRD_SERVER "%s", answers[i]));
		assert_found(EDS_POSTURE_ZONE, "name-server-lame", EDS_POSTURE_WARNING);
		assert_non_null(strstr(find(EDS_POSTURE_ZONE, "name-server-lame")->message,
			"ns3.example.com (1.1.1.54) does not serve example.com"));
		assert_int_equal(posture->items[EDS_POSTURE_ZONE].count, 1);
	}
}

static void a_silent_name_server_is_named_beside_one_that_answers(void **state)
{
	(void)state;
	look(IN_ORDER THIRD_SERVER "example.com@1.1.1.54 FAIL silence\n");
	assert_found(EDS_POSTURE_ZONE, "name-server-silent", EDS_POSTURE_WARNING);
	assert_non_null(strstr(find(EDS_POSTURE_ZONE, "name-server-silent")->message,
		"ns3.example.com (1.1.1.54) does not answer, while ns1.example.com does"));
}

static void name_servers_that_nobody_answers_for_may_be_our_own_fault(void **state)
{
	(void)state;
	look(IN_ORDER THIRD_SERVER "example.com@1.1.1.53 FAIL silence\n"
				   "example.com@1.1.1.54 FAIL silence\n"
				   "example.com@2a00::53 FAIL silence\n");
	assert_int_equal(posture->state, EDS_POSTURE_OK);
	look(IN_ORDER THIRD_SERVER "example.com@1.1.1.53 TXT without authority\n"
				   "example.com@1.1.1.54 TXT without authority\n");
	assert_int_equal(posture->state, EDS_POSTURE_OK);
}

static void without_a_way_to_ipv6_its_servers_are_not_called_silent(void **state)
{
	(void)state;
	look(IN_ORDER THIRD_SERVER "example.com@2a00::53 FAIL silence\n");
	assert_int_equal(posture->state, EDS_POSTURE_OK);
}

static void name_servers_with_different_records_are_told_apart_once(void **state)
{
	(void)state;
	look(IN_ORDER THIRD_SERVER
		"example.com NS ns4.example.com\nns4.example.com A 1.1.1.55\n"
		"example.com@1.1.1.54 TXT v=spf1 -all\nexample.com@1.1.1.55 TXT v=spf1 -all\n");
	assert_found(EDS_POSTURE_ZONE, "name-servers-differ", EDS_POSTURE_WARNING);
	assert_non_null(strstr(find(EDS_POSTURE_ZONE, "name-servers-differ")->message,
		"ns1.example.com and ns3.example.com have different TXT records"));
	assert_int_equal(posture->items[EDS_POSTURE_ZONE].count, 1);
}

static void the_order_in_which_a_name_server_gives_its_records_does_not_count(void **state)
{
	(void)state;
	look(IN_ORDER THIRD_SERVER
		"example.com@1.1.1.53 TXT v=spf1 mx -all\nexample.com@1.1.1.53 TXT b\n"
		"example.com@1.1.1.54 TXT b\nexample.com@1.1.1.54 TXT v=spf1 mx -all\n");
	assert_int_equal(posture->state, EDS_POSTURE_OK);
}

static void a_name_server_at_a_private_address_is_not_asked(void **state)
{
	(void)state;
	look(IN_ORDER "example.com NS ns3.example.com\nns3.example.com A 10.0.0.53\n"
		      "example.com@10.0.0.53 FAIL REFUSED\n");
	assert_false(dns_table_asked("example.com@10.0.0.53", EDS_DNS_TXT));
	assert_true(dns_table_asked("example.com@1.1.1.53", EDS_DNS_TXT));
}

static void where_only_the_resolver_may_be_asked_no_name_server_is(void **state)
{
	struct rt_config *config = (struct rt_config *)rt_config();

	(void)state;
	config->name_server_port = 0;
	look(IN_ORDER THIRD_SERVER "example.com@1.1.1.54 FAIL REFUSED\n");
	config->name_server_port = 53;
	assert_false(dns_table_asked("example.com@1.1.1.54", EDS_DNS_TXT));
	assert_int_equal(posture->state, EDS_POSTURE_OK);
}

static void a_wildcard_that_answers_everywhere_is_found(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC STS RPT "_eds-no-such-name.example.com TXT v=spf1 -all\n"
				       "_eds-no-such-name.example.com MX 10 mx.example.com\n");
	assert_found(EDS_POSTURE_ZONE, "wildcard-txt", EDS_POSTURE_WARNING);
	assert_found(EDS_POSTURE_ZONE, "wildcard-mx", EDS_POSTURE_OK);
}

static void each_mail_server_is_judged_by_itself(void **state)
{
	(void)state;
	look(ZONE SPF DMARC "example.com MX 10 mx.example.com\nmx.example.com A 1.1.1.1\n"
			    "example.com MX 20 alias.example.com\n"
			    "alias.example.com CNAME mx.example.com\n"
			    "example.com MX 30 gone.example.com\n"
			    "example.com MX 40 inside.example.com\ninside.example.com A 10.0.0.1\n"
			    "example.com MX 50 dead.example.com\n"
			    "dead.example.com FAIL SERVFAIL\n");
	assert_found(EDS_POSTURE_MX, "mx-alias", EDS_POSTURE_ERROR);
	assert_found(EDS_POSTURE_MX, "mx-unresolvable", EDS_POSTURE_ERROR);
	assert_found(EDS_POSTURE_MX, "mx-private", EDS_POSTURE_ERROR);
	assert_found(EDS_POSTURE_MX, "mx-unanswered", EDS_POSTURE_UNKNOWN);
	assert_int_equal(posture->items[EDS_POSTURE_MX].count, 4);
}

static void a_domain_may_say_that_it_takes_no_mail(void **state)
{
	(void)state;
	look(ZONE "example.com MX 0 .\n"
		  "example.com TXT v=spf1 -all\n" DMARC);
	assert_found(EDS_POSTURE_MX, "mx-null", EDS_POSTURE_OK);
	assert_int_equal(posture->state, EDS_POSTURE_OK); /* neither MTA-STS nor reports needed */
	look(ZONE SPF DMARC);
	assert_found(EDS_POSTURE_MX, "mx-missing", EDS_POSTURE_WARNING);
}

static void spf_that_does_harm_is_an_error(void **state)
{
	(void)state;
	look(ZONE MX "example.com TXT v=spf1 +all\n");
	assert_found(EDS_POSTURE_SPF, "spf-allows-all", EDS_POSTURE_ERROR);
	assert_null(find(EDS_POSTURE_SPF, "spf-allows-all")->record.type);
	look(ZONE MX);
	assert_found(EDS_POSTURE_SPF, "spf-missing", EDS_POSTURE_ERROR);
	assert_null(find(EDS_POSTURE_SPF, "spf-missing")->record.type);
	look(ZONE MX "example.com TXT v=spf1 a:a.a a:b.a a:c.a -all\n");
	assert_found(EDS_POSTURE_SPF, "spf-void-lookup", EDS_POSTURE_WARNING);
	assert_found(EDS_POSTURE_SPF, "spf-too-many-void-lookups", EDS_POSTURE_ERROR);
}

static void spf_past_the_lookups_says_how_many_it_needs(void **state)
{
	(void)state;
	look(ZONE MX "example.com TXT v=spf1 mx mx mx mx mx mx mx mx mx mx mx -all\n");
	assert_found(EDS_POSTURE_SPF, "spf-too-many-lookups", EDS_POSTURE_ERROR);
	assert_non_null(strstr(find(EDS_POSTURE_SPF, "spf-too-many-lookups")->message,
		"needs 11 DNS lookups; receivers allow 10"));
	look(ZONE MX "example.com TXT v=spf1 mx mx mx mx mx mx mx mx mx mx -all\n");
	assert_null(find(EDS_POSTURE_SPF, "spf-too-many-lookups"));
}

static void a_weak_spf_record_comes_back_with_a_better_end(void **state)
{
	(void)state;
	look(ZONE MX "example.com TXT v=spf1 mx ?all\n");
	assert_record(EDS_POSTURE_SPF, "spf-neutral-all", "example.com", "v=spf1 mx ?all",
		"v=spf1 mx ~all");
	look(ZONE MX "example.com TXT v=spf1 mx ~all\nexample.com TXT v=spf1 a ~all\n");
	assert_record(EDS_POSTURE_SPF, "spf-several-records", "example.com",
		"v=spf1 mx ~all\nv=spf1 a ~all", "v=spf1 mx a ~all");
}

static void what_an_included_record_lacks_is_not_put_into_ours(void **state)
{
	(void)state;
	look(ZONE MX "example.com TXT v=spf1 redirect=a.example\na.example TXT v=spf1 ?all\n");
	assert_found(EDS_POSTURE_SPF, "spf-neutral-all", EDS_POSTURE_WARNING);
	assert_null(find(EDS_POSTURE_SPF, "spf-neutral-all")->record.type);
}

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

static void a_policy_from_above_is_kept_in_a_record_of_the_domain_s_own(void **state)
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

static void reports_that_come_here_need_no_change(void **state)
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

static void over_https_reports_come_here_too(void **state)
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

static void without_an_account_no_mailbox_is_invented(void **state)
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

static void several_dmarc_records_get_no_third(void **state)
{
	(void)state;
	look_as_own(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=none\n"
				"_dmarc.example.com TXT v=DMARC1; p=reject\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-several-records", EDS_POSTURE_ERROR);
	for (size_t i = 0; i < posture->items[EDS_POSTURE_DMARC].count; i++)
		assert_null(posture->items[EDS_POSTURE_DMARC].findings[i].record.type);
}

static void strangers_must_agree_to_be_sent_reports(void **state)
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
	/* b and e; a agrees, c is of the same organisation, d is not known */
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
	assert_found(EDS_POSTURE_DMARC, "dmarc-subdomains-weaker", EDS_POSTURE_WARNING);
	look(ZONE MX SPF "_dmarc.example.com TXT v=DMARC1; p=rejct\n");
	assert_found(EDS_POSTURE_DMARC, "dmarc-unusable", EDS_POSTURE_ERROR);
}

static void mta_sts_needs_its_record_and_its_host(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC RPT "_mta-sts.example.com TXT v=STSv1; id=a1\n");
	assert_found(EDS_POSTURE_MTA_STS, "host-no-address", EDS_POSTURE_ERROR);
	look(ZONE MX SPF DMARC RPT "_mta-sts.example.com TXT v=STSv1; id=a-b\n");
	assert_found(EDS_POSTURE_MTA_STS, "txt-id-invalid", EDS_POSTURE_ERROR);
	look(ZONE MX SPF DMARC RPT);
	assert_found(EDS_POSTURE_MTA_STS, "mta-sts-missing", EDS_POSTURE_WARNING);
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

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void dane_counts_for_every_mail_server_or_protects_none(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC STS RPT "_25._tcp.mx.example.com TLSA 3 1 1 " DIGEST "\n");
	assert_int_equal(posture->items[EDS_POSTURE_DANE].state, EDS_POSTURE_OK);
	assert_string_equal(
		posture->items[EDS_POSTURE_DANE].record, "_25._tcp.mx.example.com 3 1 1 " DIGEST);
	look(ZONE MX SPF "example.com MX 20 b.example.com\nb.example.com A 1.1.1.3\n"
			 "_25._tcp.mx.example.com TLSA 3 1 1 " DIGEST "\n");
	assert_found(EDS_POSTURE_DANE, "dane-partial", EDS_POSTURE_WARNING);
	look(ZONE MX SPF "_25._tcp.mx.example.com TLSA 1 1 1 " DIGEST "\n");
	assert_found(EDS_POSTURE_DANE, "dane-unusable", EDS_POSTURE_ERROR);
	look(ZONE MX SPF "_25._tcp.mx.example.com TLSA 3 1 1 " DIGEST
			 "\n_25._tcp.mx.example.com TLSA 3 1 2 " DIGEST "\n");
	assert_found(EDS_POSTURE_DANE, "tlsa-unusable", EDS_POSTURE_WARNING);
	assert_null(find(EDS_POSTURE_DANE, "dane-unusable"));
	look(ZONE MX SPF "_25._tcp.mx.example.com FAIL SERVFAIL\n");
	assert_found(EDS_POSTURE_DANE, "dane-lookup-fails", EDS_POSTURE_WARNING);
	look(ZONE MX SPF "_25._tcp.mx.example.com FAIL no answer\n");
	assert_found(EDS_POSTURE_DANE, "dane-temporary", EDS_POSTURE_UNKNOWN);
}

static void caa_matters_where_the_policy_is_hosted(void **state)
{
	(void)state;
	look_as_own(ZONE MX SPF "example.com CAA 0 issue other.example\n");
	assert_found(EDS_POSTURE_CAA, "caa-forbids", EDS_POSTURE_ERROR);
	assert_record(
		EDS_POSTURE_CAA, "caa-forbids", "example.com", NULL, "0 issue \"ca.example\"");
	look(ZONE MX SPF "example.com CAA 0 issue other.example\n");
	assert_found(EDS_POSTURE_CAA, "caa-forbids", EDS_POSTURE_OK);
	/* the nearest record set is the one that counts (RFC 8659 section 3) */
	look_as_own(ZONE MX SPF "example.com CAA 0 issue other.example\n"
				"mta-sts.example.com CAA 0 issue ca.example\n");
	assert_null(find(EDS_POSTURE_CAA, "caa-forbids"));
	/* what stands above the domain, and at another's name, is not its owner's to change */
	look_as_own(ZONE MX SPF "com CAA 0 issue other.example\n");
	assert_found(EDS_POSTURE_CAA, "caa-forbids", EDS_POSTURE_ERROR);
	assert_null(find(EDS_POSTURE_CAA, "caa-forbids")->record.type);
	look_as_own(ZONE MX SPF "mta-sts.example.com CNAME policy.example\n"
				"policy.example CAA 0 issue other.example\n");
	assert_found(EDS_POSTURE_CAA, "caa-forbids", EDS_POSTURE_ERROR);
	assert_null(find(EDS_POSTURE_CAA, "caa-forbids")->record.type);
}

static void a_broken_bimi_record_is_a_warning(void **state)
{
	(void)state;
	look(ZONE MX SPF "default._bimi.example.com TXT v=BIMI1; l=http://example.com/l.svg\n");
	assert_found(EDS_POSTURE_BIMI, "bimi-location", EDS_POSTURE_WARNING);
	assert_string_equal(
		posture->items[EDS_POSTURE_BIMI].record, "v=BIMI1; l=http://example.com/l.svg");
}

static void what_is_worst_comes_first(void **state)
{
	json_t *json = json_object();
	json_t *items;

	(void)state;
	look(ZONE MX DMARC STS RPT "example.com NS gone.example.com\n");
	eds_posture_put(&test_event, posture, json);
	items = json_object_get(json, "items");
	assert_string_equal(rt_json_string(json, "state"), "error");
	assert_int_equal(json_array_size(items), 9);
	assert_string_equal(rt_json_string(json_array_get(items, 0), "name"), "spf");
	assert_string_equal(rt_json_string(json_array_get(items, 1), "name"), "zone");
	assert_string_equal(rt_json_string(json_array_get(items, 2), "state"), "ok");
}

/* As much as a hostile zone can make one ask for. */
static void no_zone_makes_more_questions_than_an_event_may_ask(void **state)
{
	const char *zone = ZONE;
	const char *rua = "mailto:a@example.net";
	struct eds_posture_question question = {
		.domain = "a.b.c.d.e.f.g.h.i.example.com", .authority = "ca.example"};

	(void)state;
	for (int i = 0; i < 40; i++) {
		zone = rt_printf(&test_event,
			"%s%s MX %d m%d.example.com\nm%d.example.com A 1.1.1.1\n"
			"%s NS n%d.example.com\n",
			zone, question.domain, i, i, i, question.domain, i);
		rua = rt_printf(&test_event, "%s,mailto:a@a.b.c.d.e.f.g.h.x%d.example", rua, i);
	}
	zone = rt_printf(&test_event,
		"%s%s TXT v=spf1 a:1.example a:2.example a:3.example a:4.example mx "
		"exists:5.example include:example.com -all\n"
		"example.com TXT v=spf1 a:6.example a:7.example a:8.example a:9.example "
		"a:10.example a:11.example a:12.example include:example.com -all\n"
		"_dmarc.%s TXT v=DMARC1; p=none; rua=%s; ruf=%s\n",
		zone, question.domain, question.domain, rua, rua);
	ask(&question, zone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_domain_in_order_has_nothing_to_say),
		TEST(a_domain_that_is_not_there_is_said_once),
		TEST(a_dead_zone_is_unknown_and_never_wrong),
		TEST(name_servers_must_have_addresses_of_their_own),
		TEST(a_name_server_that_does_not_serve_the_zone_is_named),
		TEST(a_silent_name_server_is_named_beside_one_that_answers),
		TEST(name_servers_that_nobody_answers_for_may_be_our_own_fault),
		TEST(without_a_way_to_ipv6_its_servers_are_not_called_silent),
		TEST(name_servers_with_different_records_are_told_apart_once),
		TEST(the_order_in_which_a_name_server_gives_its_records_does_not_count),
		TEST(a_name_server_at_a_private_address_is_not_asked),
		TEST(where_only_the_resolver_may_be_asked_no_name_server_is),
		TEST(a_wildcard_that_answers_everywhere_is_found),
		TEST(each_mail_server_is_judged_by_itself),
		TEST(a_domain_may_say_that_it_takes_no_mail),
		TEST(spf_that_does_harm_is_an_error),
		TEST(spf_past_the_lookups_says_how_many_it_needs),
		TEST(a_weak_spf_record_comes_back_with_a_better_end),
		TEST(what_an_included_record_lacks_is_not_put_into_ours),
		TEST(a_published_dmarc_policy_is_never_weakened),
		TEST(a_policy_from_above_is_kept_in_a_record_of_the_domain_s_own),
		TEST(reports_that_come_here_need_no_change),
		TEST(over_https_reports_come_here_too),
		TEST(without_an_account_no_mailbox_is_invented),
		TEST(several_dmarc_records_get_no_third),
		TEST(strangers_must_agree_to_be_sent_reports),
		TEST(a_dmarc_policy_that_stops_nothing_is_a_warning),
		TEST(mta_sts_needs_its_record_and_its_host),
		TEST(the_address_is_added_to_the_tls_report_record),
		TEST(dane_counts_for_every_mail_server_or_protects_none),
		TEST(caa_matters_where_the_policy_is_hosted),
		TEST(a_broken_bimi_record_is_a_warning),
		TEST(what_is_worst_comes_first),
		TEST(no_zone_makes_more_questions_than_an_event_may_ask),
	};

	return cmocka_run_group_tests_name("posture", tests, NULL, NULL);
}
