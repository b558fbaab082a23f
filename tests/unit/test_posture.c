/* The findings of a look at a domain: its zone, mail servers, SPF, MTA-STS, DANE, CAA and BIMI. */
#include "functions/lib/mta-sts/seen.h"
#include "tests/unit/posture_fixture.h"

static void a_domain_in_order_has_no_findings(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC STS RPT);
	for (size_t i = 0; i < EDS_POSTURE_SUBJECTS; i++)
		if (posture->items[i].count > 0 && i != EDS_POSTURE_MTA_STS)
			fail_msg("%s", posture->items[i].findings[0].message);
	assert_int_equal(posture->state, EDS_POSTURE_OK);
	assert_string_equal(posture->items[EDS_POSTURE_SPF].record, "v=spf1 mx -all");
	assert_string_equal(posture->items[EDS_POSTURE_MX].record, "10 mx.example.com.");
	assert_null(posture->items[EDS_POSTURE_BIMI].record);
}

static void a_policy_of_mta_sts_is_seen_only_by_a_check_that_fetches_it(void **state)
{
	struct eds_mta_sts_seen seen = {.policy_fetched = true};
	struct eds_posture_question question = {
		.domain = "example.com", .authority = "ca.example", .servers = &seen};

	(void)state;
	look(ZONE MX SPF DMARC STS RPT);
	assert_non_null(find(EDS_POSTURE_MTA_STS, "mta-sts-policy-unseen"));
	assert_int_equal(posture->items[EDS_POSTURE_MTA_STS].state, EDS_POSTURE_UNKNOWN);
	assert_int_equal(posture->state, EDS_POSTURE_OK);
	ask(&question, ZONE MX SPF DMARC STS RPT);
	assert_int_equal(posture->items[EDS_POSTURE_MTA_STS].state, EDS_POSTURE_OK);
}

static void a_domain_that_does_not_exist_has_a_single_finding(void **state)
{
	(void)state;
	look("example.org A 1.1.1.1\n");
	assert_found(EDS_POSTURE_ZONE, "domain-missing", EDS_POSTURE_ERROR);
	for (size_t i = EDS_POSTURE_ZONE + 1; i < EDS_POSTURE_SUBJECTS; i++) {
		if (i == EDS_POSTURE_DNSSEC)
			/* DNSSEC has no finding because this test does not ask about it */
			continue;
		assert_int_equal(posture->items[i].count, 0);
		assert_int_equal(posture->items[i].state, EDS_POSTURE_UNKNOWN);
	}
}

static void a_zone_that_does_not_answer_is_unknown_and_never_wrong(void **state)
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
	assert_found(EDS_POSTURE_DANE, "dane-temporary", EDS_POSTURE_UNKNOWN);
	assert_int_equal(posture->state, EDS_POSTURE_UNKNOWN);
}

static bool blames_the_domain(void)
{
	const struct eds_posture_finding *finding = &posture->items[EDS_POSTURE_ZONE].findings[0];

	assert_string_equal(finding->code, "zone-unanswered");
	return strstr(finding->advice, "the name servers do not know the zone") != NULL;
}

static void a_resolver_that_fails_for_the_top_level_domain_too_is_to_blame(void **state)
{
	(void)state;
	look("example.com FAIL SERVFAIL\n");
	assert_true(blames_the_domain());
	look("example.com FAIL SERVFAIL\n_dmarc.com FAIL SERVFAIL\n");
	assert_false(blames_the_domain());
	look("example.com FAIL silence\n_dmarc.com FAIL silence\n");
	assert_false(blames_the_domain());
	look("example.com FAIL REFUSED\n_dmarc.com TXT v=DMARC1; p=none; psd=y\n");
	assert_true(blames_the_domain());
}

static void a_wildcard_that_answers_for_every_name_is_found(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC STS RPT "_eds-no-such-name.example.com TXT a note\n"
				       "_eds-no-such-name.example.com TXT v=spf1 -all\n"
				       "_eds-no-such-name.example.com MX 10 mx.example.com\n");
	assert_found(EDS_POSTURE_ZONE, "wildcard-txt", EDS_POSTURE_WARNING);
	assert_found(EDS_POSTURE_ZONE, "wildcard-mx", EDS_POSTURE_OK);
	look(ZONE MX SPF DMARC STS RPT "_eds-no-such-name.example.com TXT v=spf1 -all\n");
	assert_found(EDS_POSTURE_ZONE, "wildcard-txt", EDS_POSTURE_OK);
	assert_int_equal(posture->state, EDS_POSTURE_OK);
}

static void each_mail_server_is_judged_separately(void **state)
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

static void a_mail_server_beyond_repair_by_an_address_record_gets_other_advice(void **state)
{
	(void)state;
	look(ZONE SPF DMARC "example.com MX 10 192.0.2.1\n");
	assert_found(EDS_POSTURE_MX, "mx-unresolvable", EDS_POSTURE_ERROR);
	assert_string_equal(find(EDS_POSTURE_MX, "mx-unresolvable")->advice,
		"Give the mail server a name with an A or AAAA record, and put that name in the MX "
		"record.");
	look(ZONE SPF DMARC "example.com MX 10 localhost\nlocalhost A 127.0.0.1\n");
	assert_found(EDS_POSTURE_MX, "mx-private", EDS_POSTURE_ERROR);
	assert_non_null(
		strstr(find(EDS_POSTURE_MX, "mx-private")->advice, "publish a null MX instead"));
	assert_int_equal(posture->items[EDS_POSTURE_MX].count, 1);
}

static void a_null_mx_is_in_order_and_a_missing_mx_is_a_warning(void **state)
{
	(void)state;
	look(ZONE "example.com MX 0 .\n"
		  "example.com TXT v=spf1 -all\n" DMARC);
	assert_found(EDS_POSTURE_MX, "mx-null", EDS_POSTURE_OK);
	/* a domain that takes no mail needs neither MTA-STS nor TLS reports */
	assert_int_equal(posture->state, EDS_POSTURE_OK);
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

static void an_spf_record_with_a_wrong_beginning_is_shown(void **state)
{
	static const char *const wrong[] = {"v=spf1; mx -all", "\"v=spf1 mx -all\"",
		" v=spf1 mx -all", "v=spf1,mx", "v=spf10 mx"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		look(rt_printf(&test_event, "%sexample.com TXT %s\n", ZONE MX, wrong[i]));
		assert_found(EDS_POSTURE_SPF, "spf-version", EDS_POSTURE_ERROR);
		assert_non_null(strstr(find(EDS_POSTURE_SPF, "spf-version")->message,
			rt_printf(&test_event, "It is: %s", wrong[i])));
		assert_null(find(EDS_POSTURE_SPF, "spf-missing"));
	}
	look(ZONE MX SPF "example.com TXT v=spf1; mx -all\n");
	/* the valid record counts, and the malformed one beside it causes no finding */
	assert_int_equal(posture->items[EDS_POSTURE_SPF].count, 0);
}

static void assert_advice(const char *code, const char *begin)
{
	const char *advice = find(EDS_POSTURE_SPF, code)->advice;

	assert_memory_equal(advice, begin, strlen(begin));
}

static void an_spf_record_past_the_lookup_limit_shows_how_many_it_needs(void **state)
{
	(void)state;
	look(ZONE MX "example.com TXT v=spf1 mx mx mx mx mx mx mx mx mx mx mx -all\n");
	assert_found(EDS_POSTURE_SPF, "spf-too-many-lookups", EDS_POSTURE_ERROR);
	assert_non_null(strstr(find(EDS_POSTURE_SPF, "spf-too-many-lookups")->message,
		"needs 11 DNS lookups; receivers allow 10"));
	assert_advice(
		"spf-too-many-lookups", "Remove the includes of services that no longer send");
	look(ZONE MX "example.com TXT v=spf1 mx mx mx mx mx mx mx mx mx mx -all\n");
	assert_null(find(EDS_POSTURE_SPF, "spf-too-many-lookups"));
}

static void too_many_missing_names_in_spf_come_with_advice_to_remove_them(void **state)
{
	(void)state;
	look(ZONE MX "example.com TXT v=spf1 a:n1.example a:n2.example a:n3.example -all\n");
	assert_found(EDS_POSTURE_SPF, "spf-too-many-void-lookups", EDS_POSTURE_ERROR);
	assert_advice("spf-too-many-void-lookups", "Remove the terms whose names no longer exist.");
	look(ZONE MX "example.com TXT v=spf1 a:n1.example a:n2.example -all\n");
	assert_found(EDS_POSTURE_SPF, "spf-void-lookup", EDS_POSTURE_WARNING);
	assert_null(find(EDS_POSTURE_SPF, "spf-too-many-void-lookups"));
}

static void advice_to_remove_a_useless_spf_term_goes_to_the_owner_of_the_record(void **state)
{
	static const char own[] = "Remove the term: it names none of your servers";

	(void)state;
	look(ZONE MX "example.com TXT v=spf1 a mx -all\n");
	assert_advice("spf-void-lookup", own);
	look(ZONE MX "example.com TXT v=spf1 a:old.example.com/24 mx -all\n");
	assert_advice("spf-void-lookup", own);
	look(ZONE MX "example.com TXT v=spf1 a:mx.example.org mx -all\n");
	assert_advice("spf-void-lookup", "Remove the term; anybody who obtains the name");
	look(ZONE MX "example.com TXT v=spf1 include:spf.mailer.example -all\n"
		     "spf.mailer.example TXT v=spf1 a:gone.mailer.example -all\n");
	assert_advice("spf-void-lookup", "Ask the service that publishes the record");
	look(ZONE MX "example.com TXT v=spf1 include:_spf.example.com -all\n"
		     "_spf.example.com TXT v=spf1 a:gone.example.com -all\n");
	assert_advice("spf-void-lookup", own);
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

static void faults_of_an_included_record_do_not_change_the_proposed_record(void **state)
{
	(void)state;
	look(ZONE MX "example.com TXT v=spf1 redirect=a.example\na.example TXT v=spf1 ?all\n");
	assert_found(EDS_POSTURE_SPF, "spf-neutral-all", EDS_POSTURE_WARNING);
	assert_null(find(EDS_POSTURE_SPF, "spf-neutral-all")->record.type);
}

static void mta_sts_needs_its_record_and_its_policy_host(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC RPT "_mta-sts.example.com TXT v=STSv1; id=a1\n");
	assert_found(EDS_POSTURE_MTA_STS, "host-no-address", EDS_POSTURE_ERROR);
	look(ZONE MX SPF DMARC RPT "_mta-sts.example.com TXT v=STSv1; id=a-b\n");
	assert_found(EDS_POSTURE_MTA_STS, "txt-id-invalid", EDS_POSTURE_ERROR);
	look(ZONE MX SPF DMARC RPT);
	assert_found(EDS_POSTURE_MTA_STS, "mta-sts-missing", EDS_POSTURE_WARNING);
}

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void dane_needs_usable_tlsa_records_for_every_mail_server(void **state)
{
	(void)state;
	look(ZONE MX SPF DMARC STS RPT "_25._tcp.mx.example.com TLSA 3 1 1 " DIGEST "\n");
	assert_int_equal(posture->items[EDS_POSTURE_DANE].state, EDS_POSTURE_OK);
	assert_string_equal(
		posture->items[EDS_POSTURE_DANE].record, "_25._tcp.mx.example.com 3 1 1 " DIGEST);
	look(ZONE MX SPF "example.com MX 20 b.example.com\nb.example.com A 1.1.1.3\n"
			 "_25._tcp.mx.example.com TLSA 3 1 1 " DIGEST "\n");
	assert_found(EDS_POSTURE_DANE, "dane-partial", EDS_POSTURE_WARNING);
	assert_string_equal(find(EDS_POSTURE_DANE, "dane-partial")->message,
		"1 of the 2 mail servers have TLSA records.");
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

static void caa_is_judged_only_where_the_policy_is_hosted(void **state)
{
	(void)state;
	look_as_own(ZONE MX SPF "example.com CAA 0 issue other.example\n");
	assert_found(EDS_POSTURE_CAA, "caa-forbids", EDS_POSTURE_ERROR);
	assert_record(
		EDS_POSTURE_CAA, "caa-forbids", "example.com", NULL, "0 issue \"ca.example\"");
	look(ZONE MX SPF "example.com CAA 0 issue other.example\n");
	assert_found(EDS_POSTURE_CAA, "caa-forbids", EDS_POSTURE_OK);
	/* the nearest record set applies (RFC 8659 section 3) */
	look_as_own(ZONE MX SPF "example.com CAA 0 issue other.example\n"
				"mta-sts.example.com CAA 0 issue ca.example\n");
	assert_null(find(EDS_POSTURE_CAA, "caa-forbids"));
	/* the owner of a domain cannot change records above it or at another owner's name */
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

static void a_logo_needs_an_enforced_dmarc_policy(void **state)
{
	static const char *const weak[] = {"p=none", "p=reject; sp=none", "p=reject; t=y"};

	(void)state;
#define LOGO "default._bimi.example.com TXT v=BIMI1; l=https://example.com/l.svg\n"
	look(ZONE MX SPF DMARC LOGO);
	assert_int_equal(posture->items[EDS_POSTURE_BIMI].count, 0);
	look(ZONE MX SPF LOGO);
	assert_found(EDS_POSTURE_BIMI, "bimi-policy", EDS_POSTURE_WARNING);
	for (size_t i = 0; i < sizeof weak / sizeof weak[0]; i++) {
		look(rt_printf(&test_event, "%s_dmarc.example.com TXT v=DMARC1; %s\n",
			ZONE MX SPF LOGO, weak[i]));
		assert_found(EDS_POSTURE_BIMI, "bimi-policy", EDS_POSTURE_WARNING);
	}
	/* a record that declines to take part asks for no logo */
	look(ZONE MX SPF "default._bimi.example.com TXT v=BIMI1; l=; a=\n");
	assert_int_equal(posture->items[EDS_POSTURE_BIMI].count, 0);
}

static void the_worst_finding_comes_first(void **state)
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
	assert_string_equal(rt_json_string(json_array_get(items, 2), "name"), "mta-sts");
	assert_string_equal(rt_json_string(json_array_get(items, 3), "state"), "ok");
}

/* The most questions that a hostile zone can cause. */
static void no_zone_causes_more_questions_than_an_event_may_ask(void **state)
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
		TEST(a_domain_in_order_has_no_findings),
		TEST(a_policy_of_mta_sts_is_seen_only_by_a_check_that_fetches_it),
		TEST(a_domain_that_does_not_exist_has_a_single_finding),
		TEST(a_zone_that_does_not_answer_is_unknown_and_never_wrong),
		TEST(a_resolver_that_fails_for_the_top_level_domain_too_is_to_blame),
		TEST(a_wildcard_that_answers_for_every_name_is_found),
		TEST(each_mail_server_is_judged_separately),
		TEST(a_mail_server_beyond_repair_by_an_address_record_gets_other_advice),
		TEST(a_null_mx_is_in_order_and_a_missing_mx_is_a_warning),
		TEST(spf_that_does_harm_is_an_error),
		TEST(an_spf_record_with_a_wrong_beginning_is_shown),
		TEST(an_spf_record_past_the_lookup_limit_shows_how_many_it_needs),
		TEST(too_many_missing_names_in_spf_come_with_advice_to_remove_them),
		TEST(advice_to_remove_a_useless_spf_term_goes_to_the_owner_of_the_record),
		TEST(a_weak_spf_record_comes_back_with_a_better_end),
		TEST(faults_of_an_included_record_do_not_change_the_proposed_record),
		TEST(mta_sts_needs_its_record_and_its_policy_host),
		TEST(dane_needs_usable_tlsa_records_for_every_mail_server),
		TEST(caa_is_judged_only_where_the_policy_is_hosted),
		TEST(a_broken_bimi_record_is_a_warning),
		TEST(a_logo_needs_an_enforced_dmarc_policy),
		TEST(the_worst_finding_comes_first),
		TEST(no_zone_causes_more_questions_than_an_event_may_ask),
	};

	return cmocka_run_group_tests_name("posture", tests, NULL, NULL);
}
