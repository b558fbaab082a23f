#include "functions/lib/dnsbl/dnsbl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dnsd-process.h"

/* The combined list counts 2 to 11 and 30 and takes IPv6, the relay list counts all codes, the
 * reputation list is switched off, the reported list counts only 2. */
static const char zone[] = "2.0.0.127.secretkey.zen.test A 60 127.0.0.2\n"
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
			   "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2."
			   "secretkey.zen.test A 60 127.0.0.3\n"
			   "4.2.0.192.relay.test A 60 127.0.0.255\n"
			   "7.2.0.192.relay.test A 60 127.0.0.1\n"
			   "4.2.0.192.reported.test A 60 127.0.0.3\n"
			   "5.2.0.192.reported.test A 60 127.0.0.2\n";

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

static void the_four_lists_have_their_labels(void **state)
{
	(void)state;
	check("192.0.2.1");
	assert_string_equal(results[0].label, "combined");
	assert_string_equal(results[1].label, "relay");
	assert_string_equal(results[2].label, "reputation");
	assert_string_equal(results[3].label, "reported");
}

static void an_address_that_is_not_there_is_clean(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.1")->state, EDS_DNSBL_CLEAN);
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_CLEAN);
	assert_int_equal(check("192.0.2.15")->state, EDS_DNSBL_CLEAN);
	assert_int_equal(results[0].code_count, 0);
}

static void codes_of_the_set_mean_listed_and_are_sorted(void **state)
{
	const struct eds_dnsbl_result *combined = check("192.0.2.4");

	(void)state;
	assert_int_equal(combined->state, EDS_DNSBL_LISTED);
	assert_int_equal(combined->code_count, 2);
	assert_string_equal(combined->codes[0], "127.0.0.4");
	assert_string_equal(combined->codes[1], "127.0.0.10");
	assert_int_equal(check("192.0.2.16")->state, EDS_DNSBL_LISTED);
}

static void without_a_set_every_code_from_2_to_255_means_listed(void **state)
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
}

static void an_answer_outside_127_is_unknown(void **state)
{
	(void)state;
	expect_unknown("192.0.2.8", "203.0.113.1");
}

static void one_code_of_the_set_is_enough(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.11")->state, EDS_DNSBL_LISTED);
	assert_int_equal(results[0].code_count, 2);
}

static void a_refusal_or_a_foreign_address_spoils_the_rest(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.12")->state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(check("192.0.2.13")->state, EDS_DNSBL_UNKNOWN);
}

static void a_failing_list_is_unknown_with_the_failure(void **state)
{
	(void)state;
	assert_int_equal(check("192.0.2.9")->state, EDS_DNSBL_UNKNOWN);
	assert_non_null(strstr(results[0].reason, "SERVFAIL"));
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_CLEAN);
}

static void a_silent_list_is_unknown_and_the_others_stand(void **state)
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
	assert_int_equal(eds_dns_query_count(dns), 3);
}

static void ipv6_is_asked_only_where_the_list_takes_it(void **state)
{
	(void)state;
	assert_int_equal(check("2001:db8::1")->state, EDS_DNSBL_LISTED);
	assert_int_equal(results[RT_DNSBL_RELAY].state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(results[RT_DNSBL_REPORTED].state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void without_an_address_every_list_is_unknown(void **state)
{
	(void)state;
	eds_dnsbl_check(&context, dns, NULL, results);
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		assert_int_equal(results[i].state, EDS_DNSBL_UNKNOWN);
	assert_int_equal(eds_dns_query_count(dns), 0);
}

static void asking_ahead_saves_the_wait(void **state)
{
	struct rt_ip ip;

	(void)state;
	assert_true(rt_ip_parse("192.0.2.4", &ip));
	eds_dnsbl_prefetch(&context, dns, &ip);
	assert_int_equal(eds_dns_query_count(dns), 3);
	eds_dns_settle(dns, 2000);
	assert_int_equal(check("192.0.2.4")->state, EDS_DNSBL_LISTED);
	assert_int_equal(eds_dns_query_count(dns), 3);
}

#define DNSBL_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DNSBL_TEST(the_four_lists_have_their_labels),
		DNSBL_TEST(an_address_that_is_not_there_is_clean),
		DNSBL_TEST(codes_of_the_set_mean_listed_and_are_sorted),
		DNSBL_TEST(without_a_set_every_code_from_2_to_255_means_listed),
		DNSBL_TEST(each_list_has_its_own_codes),
		DNSBL_TEST(a_code_outside_the_set_is_unknown),
		DNSBL_TEST(a_refusal_of_the_list_is_unknown),
		DNSBL_TEST(the_test_code_127_0_0_1_is_unknown),
		DNSBL_TEST(an_answer_outside_127_is_unknown),
		DNSBL_TEST(one_code_of_the_set_is_enough),
		DNSBL_TEST(a_refusal_or_a_foreign_address_spoils_the_rest),
		DNSBL_TEST(a_failing_list_is_unknown_with_the_failure),
		DNSBL_TEST(a_silent_list_is_unknown_and_the_others_stand),
		DNSBL_TEST(a_list_switched_off_is_unknown_and_not_asked),
		DNSBL_TEST(ipv6_is_asked_only_where_the_list_takes_it),
		DNSBL_TEST(without_an_address_every_list_is_unknown),
		DNSBL_TEST(asking_ahead_saves_the_wait),
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
