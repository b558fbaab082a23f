#include "functions/lib/dnsbl/dnsbl.h"
#include "runtime/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/support/dnsd-process.h"

/* The combined list counts 2 to 11 and 30 and takes IPv6, the relay list counts all codes, the
 * reputation list is switched off, the reported list counts only 2. */
static const char zone[] = "2.0.0.127.secretkey.zen.test A 0 127.0.0.2\n"
			   "4.2.0.192.secretkey.zen.test A 60 127.0.0.10\n"
			   "4.2.0.192.secretkey.zen.test A 60 127.0.0.4\n"
			   "5.2.0.192.secretkey.zen.test A 60 127.0.0.12\n"
			   "6.2.0.192.secretkey.zen.test A 60 127.255.255.254\n"
			   "7.2.0.192.secretkey.zen.test A 60 127.0.0.1\n"
			   "8.2.0.192.secretkey.zen.test A 60 203.0.113.1\n"
			   "9.2.0.192.secretkey.zen.test !servfail\n"
			   "10.2.0.192.secretkey.zen.test A 60 127.0.1.4\n"
			   "11.2.0.192.secretkey.zen.test A 60 127.0.0.4\n"
			   "11.2.0.192.secretkey.zen.test A 60 127.0.0.99\n"
			   "12.2.0.192.secretkey.zen.test A 60 127.0.0.4\n"
			   "12.2.0.192.secretkey.zen.test A 60 127.255.255.252\n"
			   "13.2.0.192.secretkey.zen.test A 60 127.0.0.4\n"
			   "13.2.0.192.secretkey.zen.test A 60 203.0.113.1\n"
			   "14.2.0.192.secretkey.zen.test !drop\n"
			   "15.2.0.192.secretkey.zen.test TXT 60 \"no address\"\n"
			   "16.2.0.192.secretkey.zen.test A 60 127.0.0.30\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.1\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.2\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.3\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.4\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.5\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.6\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.7\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.8\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.9\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.10\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.11\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.12\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.13\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.14\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.15\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.16\n"
			   "17.2.0.192.secretkey.zen.test A 60 127.0.1.17\n"
			   "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2."
			   "secretkey.zen.test A 60 127.0.0.3\n"
			   "2.0.0.127.relay.test A 0 127.0.0.2\n"
			   "2.0.0.127.reported.test A 0 127.0.0.2\n"
			   "4.2.0.192.relay.test A 60 127.0.0.255\n"
			   "7.2.0.192.relay.test A 60 127.0.0.1\n"
			   "4.2.0.192.reported.test A 60 127.0.0.3\n"
			   "5.2.0.192.reported.test A 60 127.0.0.2\n"
			   "works.test SOA 60 ns.test. root.test. 1 60 60 60 60\n"
			   "2.0.0.127.works.test A 60 127.0.0.2\n"
			   "brief.test SOA 1 ns.test. root.test. 1 60 60 60 1\n"
			   "2.0.0.127.brief.test A 1 127.0.0.2\n"
			   "dead.test SOA 60 ns.test. root.test. 1 60 60 60 60\n"
			   "everybody.test SOA 60 ns.test. root.test. 1 60 60 60 60\n"
			   "*.everybody.test A 60 127.0.0.2\n";

static struct dnsd dnsd;
static struct rt_ctx context;
static struct eds_dns *dns;
static struct eds_dnsbl_result results[RT_DNSBL_KINDS];

static int start(void **state)
{
	(void)state;
	memset(&context, 0, sizeof context);
	context.arena = rt_arena_new();
	context.deadline_ms = rt_monotonic_ms() + 5000;
	assert_int_equal(eds_dns_open(&context, &dns), RT_OK);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	rt_arena_free(context.arena);
	return 0;
}

static const struct eds_dnsbl_result *check(const char *address)
{
	struct rt_ip ip;

	assert_true(rt_ip_parse(address, &ip));
	eds_dnsbl_check(&context, dns, &ip, results);
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++) {
		assert_string_not_equal(results[i].reason, "");
		assert_null(strstr(results[i].reason, "secretkey"));
		assert_null(strstr(results[i].reason, ".test"));
	}
	return &results[RT_DNSBL_COMBINED];
}

static void expect_unknown(const char *address, const char *code)
{
	const struct eds_dnsbl_result *combined = check(address);

	assert_int_equal(combined->state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(combined->code_count, 1);
	assert_string_equal(combined->codes[0], code);
	assert_non_null(strstr(combined->reason, code));
}

static void an_operator_is_found_by_the_end_of_its_zone(void **state)
{
	static const struct {
		const char *zone;
		const char *name;
	} cases[] = {
		{"zen.spamhaus.org", "Spamhaus ZEN"},
		{"secretkey.zen.dq.spamhaus.net", "Spamhaus ZEN"},
		{"psbl.surriel.com", "PSBL"},
		{"bl.mailspike.net", "Mailspike"},
		{"bl.spamcop.net", "SpamCop"},
		{"zen.notspamhaus.org", NULL},
		{"surriel.com", NULL},
		{"combined.lists.example", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct eds_dnsbl_operator *known = eds_dnsbl_operator(cases[i].zone);

		if (cases[i].name == NULL)
			assert_null(known);
		else
			assert_string_equal(known->name, cases[i].name);
	}
}

static void a_code_has_the_meaning_that_its_operator_gives_it(void **state)
{
	const struct eds_dnsbl_operator *zen = eds_dnsbl_operator("zen.spamhaus.org");
	static const struct {
		unsigned code;
		const char *list;
		const char *action;
	} cases[] = {
		{2, "SBL", "the cause first"},
		{3, "CSS", "expires by itself"},
		{4, "XBL", "clean the machine"},
		{7, "XBL", "clean the machine"},
		{9, "DROP", "another network"},
		{10, "PBL", "This listing is not a complaint"},
		{11, "PBL", "This listing is not a complaint"},
		{30, "BCL", "the cause first"},
		{8, "page explains", "the cause first"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dnsbl_meaning meaning = eds_dnsbl_meaning(zen, cases[i].code);

		assert_non_null(strstr(meaning.meaning, cases[i].list));
		assert_non_null(strstr(meaning.action, cases[i].action));
	}
	assert_non_null(strstr(eds_dnsbl_meaning(eds_dnsbl_operator("bl.spamcop.net"), 2).action,
		"expires about a day"));
	assert_non_null(strstr(
		eds_dnsbl_meaning(eds_dnsbl_operator("psbl.surriel.com"), 2).action, "yourself"));
	assert_non_null(
		strstr(eds_dnsbl_meaning(eds_dnsbl_operator("bl.mailspike.net"), 12).meaning,
			"bad reputation"));
}

static void the_four_lists_have_their_labels(void **state)
{
	(void)state;
	check("192.0.2.1");
	assert_string_equal(results[0].label, "combined");
	assert_string_equal(results[1].label, "relay");
	assert_string_equal(results[2].label, "reputation");
	assert_string_equal(results[3].label, "reported");
}

static void an_address_that_the_list_does_not_name_is_clean(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.1")->state, EDS_DNSBL_CLEAN);
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_CLEAN);
	assert_int_equal(check("192.0.2.15")->state, EDS_DNSBL_CLEAN);
	assert_int_equal(results[0].code_count, 0);
}

static void codes_of_the_configured_set_mean_listed_and_are_sorted(void **state)
{
	const struct eds_dnsbl_result *combined = check("192.0.2.4");

	(void)state;
	assert_int_equal(combined->state, EDS_DNSBL_LISTED);
	assert_int_equal(combined->code_count, 2);
	assert_string_equal(combined->codes[0], "127.0.0.4");
	assert_string_equal(combined->codes[1], "127.0.0.10");
	assert_int_equal(check("192.0.2.16")->state, EDS_DNSBL_LISTED);
}

static void without_a_configured_set_every_code_from_2_to_255_means_listed(void **state)
{
	(void)state;
	check("192.0.2.4");
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_LISTED);
	check("192.0.2.7");
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_UNKNOWN);
}

static void each_list_has_its_own_codes(void **state)
{
	(void)state;
	check("192.0.2.4");
	assert_int_equal(results[RT_DNSBL_REPORTED].state, EDS_DNSBL_UNKNOWN);
	check("192.0.2.5");
	assert_int_equal(results[RT_DNSBL_REPORTED].state, EDS_DNSBL_LISTED);
}

static void a_code_outside_the_set_is_unknown(void **state)
{
	(void)state;
	expect_unknown("192.0.2.5", "127.0.0.12");
	expect_unknown("192.0.2.10", "127.0.1.4");
}

static void a_refusal_of_the_list_is_unknown(void **state)
{
	(void)state;
	expect_unknown("192.0.2.6", "127.255.255.254");
}

static void the_test_code_127_0_0_1_is_unknown(void **state)
{
	(void)state;
	expect_unknown("192.0.2.7", "127.0.0.1");
	/* the code is unknown even if the set of codes contains it; a setting cannot name it, so
	 * the test adds it */
	((struct rt_dnsbl *)&rt_config()->dnsbl[RT_DNSBL_RELAY])->codes[1] = true;
	check("192.0.2.7");
	assert_int_equal(results[1].state, EDS_DNSBL_UNKNOWN);
	assert_string_equal(results[1].codes[0], "127.0.0.1");
}

static void an_answer_outside_127_is_unknown(void **state)
{
	(void)state;
	expect_unknown("192.0.2.8", "203.0.113.1");
}

static void one_code_of_the_configured_set_is_enough(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.11")->state, EDS_DNSBL_LISTED);
	assert_int_equal(results[0].code_count, 2);
}

static void a_refusal_or_a_foreign_address_among_the_codes_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.12")->state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(check("192.0.2.13")->state, EDS_DNSBL_UNKNOWN);
}

static void sixteen_of_seventeen_codes_are_shown(void **state)
{
	const struct eds_dnsbl_result *combined = check("192.0.2.17");

	(void)state;
	assert_int_equal(combined->state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(combined->code_count, 16);
	assert_string_equal(combined->codes[15], "127.0.1.16");
	assert_string_equal(combined[1].label, "relay");
}

static void a_failing_list_is_unknown_and_the_failure_is_shown(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.9")->state, EDS_DNSBL_UNKNOWN);
	assert_non_null(strstr(results[0].reason, "SERVFAIL"));
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_CLEAN);
}

static void a_silent_list_is_unknown_and_the_others_keep_their_results(void **state)
{
	(void)state;
	context.deadline_ms = rt_monotonic_ms() + 300;
	assert_int_equal(check("192.0.2.14")->state, EDS_DNSBL_UNKNOWN);
	assert_non_null(strstr(results[0].reason, "no answer"));
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_CLEAN);
	assert_int_equal(results[RT_DNSBL_REPORTED].state, EDS_DNSBL_CLEAN);
}

static void a_list_switched_off_is_unknown_and_not_asked(void **state)
{
	(void)state;
	check("192.0.2.1");
	assert_int_equal(results[RT_DNSBL_REPUTATION].state, EDS_DNSBL_UNKNOWN);
	assert_string_equal(results[RT_DNSBL_REPUTATION].reason, "not configured");
	assert_int_equal(eds_dns_query_count(dns), 9);
}

static void ipv6_is_asked_only_where_the_list_takes_it(void **state)
{
	(void)state;
	assert_int_equal(check("2001:db8::1")->state, EDS_DNSBL_LISTED);
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(results[RT_DNSBL_REPORTED].state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(eds_dns_query_count(dns), 3);
}

static void without_an_address_every_list_is_unknown(void **state)
{
	(void)state;
	eds_dnsbl_check(&context, dns, NULL, results);
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		assert_int_equal(results[i].state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(eds_dns_query_count(dns), 0);
}

static void asking_in_advance_saves_the_wait(void **state)
{
	struct rt_ip ip;

	(void)state;
	assert_true(rt_ip_parse("192.0.2.4", &ip));
	eds_dnsbl_prefetch(&context, dns, &ip);
	assert_int_equal(eds_dns_query_count(dns), 9);
	eds_dns_settle(dns, 2000);
	assert_int_equal(check("192.0.2.4")->state, EDS_DNSBL_LISTED);
	assert_int_equal(eds_dns_query_count(dns), 9);
}

/* The number of questions that an event sends; all answers have arrived before the first one is
 * judged. */
static size_t questions(enum eds_dnsbl_state expected)
{
	struct rt_ip ip;

	assert_true(rt_ip_parse("192.0.2.1", &ip));
	eds_dnsbl_prefetch(&context, dns, &ip);
	eds_dns_settle(dns, 2000);
	check("192.0.2.1");
	assert_int_equal(results[RT_DNSBL_REPUTATION].state, expected);
	return eds_dns_query_count(dns);
}

/* Checks an address in two events, the second after a pause; first and second are the numbers of
 * questions that the list gets in each. */
static void expect_questions(const char *list, enum eds_dnsbl_state state, size_t first,
	const struct timespec *pause, size_t second)
{
	struct rt_dnsbl *reputation = (struct rt_dnsbl *)&rt_config()->dnsbl[RT_DNSBL_REPUTATION];
	const size_t of_others = 9;
	void *unused = NULL;

	reputation->zone = list;
	reputation->codes[2] = true;
	assert_int_equal(questions(state), of_others + first);
	stop(&unused);
	nanosleep(pause, NULL);
	start(&unused);
	assert_int_equal(questions(state), of_others + second);
	reputation->zone = "";
}

static const struct timespec at_once = {0};
static const struct timespec later = {.tv_sec = 1, .tv_nsec = 100000000};

static void a_list_seen_to_work_is_asked_about_the_address_alone_for_a_while(void **state)
{
	(void)state;
	expect_questions("works.test", EDS_DNSBL_CLEAN, 3, &at_once, 1);
}

static void a_list_is_tested_again_when_its_answers_have_expired(void **state)
{
	(void)state;
	expect_questions("brief.test", EDS_DNSBL_CLEAN, 3, &later, 3);
}

static void a_list_that_does_not_work_is_tested_each_time(void **state)
{
	(void)state;
	expect_questions("dead.test", EDS_DNSBL_UNKNOWN, 3, &at_once, 2);
	assert_non_null(strstr(results[RT_DNSBL_REPUTATION].reason, "dead"));
}

static void a_list_that_lists_every_address_is_never_believed(void **state)
{
	(void)state;
	expect_questions("everybody.test", EDS_DNSBL_UNKNOWN, 3, &at_once, 2);
	assert_non_null(strstr(results[RT_DNSBL_REPUTATION].reason, "every address"));
}

#define DNSBL_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DNSBL_TEST(an_operator_is_found_by_the_end_of_its_zone),
		DNSBL_TEST(a_code_has_the_meaning_that_its_operator_gives_it),
		DNSBL_TEST(the_four_lists_have_their_labels),
		DNSBL_TEST(an_address_that_the_list_does_not_name_is_clean),
		DNSBL_TEST(codes_of_the_configured_set_mean_listed_and_are_sorted),
		DNSBL_TEST(without_a_configured_set_every_code_from_2_to_255_means_listed),
		DNSBL_TEST(each_list_has_its_own_codes),
		DNSBL_TEST(a_code_outside_the_set_is_unknown),
		DNSBL_TEST(a_refusal_of_the_list_is_unknown),
		DNSBL_TEST(the_test_code_127_0_0_1_is_unknown),
		DNSBL_TEST(an_answer_outside_127_is_unknown),
		DNSBL_TEST(one_code_of_the_configured_set_is_enough),
		DNSBL_TEST(a_refusal_or_a_foreign_address_among_the_codes_is_unknown),
		DNSBL_TEST(sixteen_of_seventeen_codes_are_shown),
		DNSBL_TEST(a_failing_list_is_unknown_and_the_failure_is_shown),
		DNSBL_TEST(a_silent_list_is_unknown_and_the_others_keep_their_results),
		DNSBL_TEST(a_list_switched_off_is_unknown_and_not_asked),
		DNSBL_TEST(ipv6_is_asked_only_where_the_list_takes_it),
		DNSBL_TEST(without_an_address_every_list_is_unknown),
		DNSBL_TEST(asking_in_advance_saves_the_wait),
		DNSBL_TEST(a_list_is_tested_again_when_its_answers_have_expired),
		DNSBL_TEST(a_list_that_does_not_work_is_tested_each_time),
		DNSBL_TEST(a_list_that_lists_every_address_is_never_believed),
		DNSBL_TEST(a_list_seen_to_work_is_asked_about_the_address_alone_for_a_while),
	};
	int failed;

	setenv("EDS_DNSBL_COMBINED", "SecretKey.zen.test=2-11,30,v6", 1);
	setenv("EDS_DNSBL_RELAY", "relay.test", 1);
	setenv("EDS_DNSBL_REPUTATION", "", 1);
	setenv("EDS_DNSBL_REPORTED", "reported.test=2", 1);
	dnsd_start(&dnsd, zone);
	rt_config_require();
	failed = cmocka_run_group_tests_name("dnsbl", tests, NULL, NULL);
	dnsd_stop(&dnsd);
	return failed;
}
