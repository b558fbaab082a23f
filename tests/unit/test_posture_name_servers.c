/* The findings of a look at a domain about its name servers, each of which is asked separately. */
#include "functions/lib/address-hour.h"
#include "tests/unit/posture_fixture.h"

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

static void a_name_server_that_does_not_serve_the_zone_is_named(void **state)
{
	static const char *const answers[][2] = {
		{"FAIL REFUSED", "refuses to answer"},
		{"FAIL SERVFAIL", "fails (SERVFAIL)"},
		{"FAIL referral", "refers to other name servers"},
		{"TXT without authority", "answers without authority"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		look(rt_printf(&test_event, IN_ORDER THIRD_SERVER "example.com@1.1.1.54 %s\n",
			answers[i][0]));
		assert_found(EDS_POSTURE_ZONE, "name-server-lame", EDS_POSTURE_WARNING);
		assert_non_null(strstr(find(EDS_POSTURE_ZONE, "name-server-lame")->message,
			rt_printf(&test_event,
				"ns3.example.com (1.1.1.54) does not serve example.com: it %s.",
				answers[i][1])));
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

static void trouble_with_every_name_server_is_not_blamed_on_them(void **state)
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

static void ipv6_name_servers_are_not_called_silent_without_ipv6_here(void **state)
{
	(void)state;
	look(IN_ORDER THIRD_SERVER "example.com@2a00::53 FAIL silence\n");
	assert_int_equal(posture->state, EDS_POSTURE_OK);
}

static void different_records_of_name_servers_are_reported_once(void **state)
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

static void eight_of_nine_name_servers_are_examined(void **state)
{
	const char *lines = "";

	(void)state;
	for (int i = 1; i <= 9; i++)
		lines = rt_printf(&test_event,
			"%sexample.com NS ns%d.example.com\nns%d.example.com A 1.1.1.%d\n", lines,
			i, i, i);
	look(rt_printf(&test_event, "%s" MX SPF DMARC STS RPT, lines));
	assert_true(dns_table_asked("ns8.example.com", EDS_DNS_A));
	assert_true(dns_table_asked("example.com@1.1.1.8", EDS_DNS_TXT));
	assert_false(dns_table_asked("ns9.example.com", EDS_DNS_A));
	assert_false(dns_table_asked("example.com@1.1.1.9", EDS_DNS_TXT));
}

static void a_setting_keeps_name_servers_from_being_asked(void **state)
{
	struct rt_config *config = (struct rt_config *)rt_config();

	(void)state;
	config->name_server_port = 0;
	look(IN_ORDER THIRD_SERVER "example.com@1.1.1.54 FAIL REFUSED\n");
	config->name_server_port = 53;
	assert_false(dns_table_asked("example.com@1.1.1.54", EDS_DNS_TXT));
	assert_int_equal(posture->state, EDS_POSTURE_OK);
}

static bool deny(void *arg, const char *account, const char *what, int count, int max)
{
	assert_string_equal(account, "a1");
	assert_string_equal(what, "names 1.1.1.70");
	assert_int_equal(count, 128);
	assert_int_equal(max, 4096);
	(*(int *)arg)++;
	return false;
}

/* A process makes the first 64 uses of an address without asking the database. */
static void an_account_that_used_up_its_hour_at_an_address_does_not_have_the_server_asked(
	void **state)
{
	static const char zone[] = IN_ORDER "example.com NS ns3.example.com\n"
					    "ns3.example.com A 1.1.1.70\n"
					    "example.com@1.1.1.70 FAIL REFUSED\n";
	int denied = 0;
	const struct eds_address_hours hours = {.take = deny, .arg = &denied};
	struct eds_posture_question question = {
		.domain = "example.com", .authority = "ca.example", .account = "a1"};

	(void)state;
	question.hours = &hours;
	for (int i = 0; i < 64; i++) {
		test_event_end(NULL);
		test_event_begin(state);
		ask(&question, "example.com NS ns3.example.com\nns3.example.com A 1.1.1.70\n");
		assert_true(dns_table_asked("example.com@1.1.1.70", EDS_DNS_TXT));
	}
	ask(&question, zone);
	assert_false(dns_table_asked("example.com@1.1.1.70", EDS_DNS_TXT));
	assert_true(dns_table_asked("example.com@1.1.1.53", EDS_DNS_TXT));
	assert_found(EDS_POSTURE_ZONE, "name-server-not-asked", EDS_POSTURE_OK);
	assert_null(find(EDS_POSTURE_ZONE, "name-server-lame"));
	assert_true(posture->items[EDS_POSTURE_ZONE].postponed);
	assert_int_equal(posture->state, EDS_POSTURE_OK);
	assert_int_equal(denied, 1);
	question.account = "a2";
	ask(&question, zone);
	assert_found(EDS_POSTURE_ZONE, "name-server-lame", EDS_POSTURE_WARNING);
	assert_false(posture->items[EDS_POSTURE_ZONE].postponed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(name_servers_must_have_addresses_of_their_own),
		TEST(a_name_server_that_does_not_serve_the_zone_is_named),
		TEST(a_silent_name_server_is_named_beside_one_that_answers),
		TEST(trouble_with_every_name_server_is_not_blamed_on_them),
		TEST(ipv6_name_servers_are_not_called_silent_without_ipv6_here),
		TEST(different_records_of_name_servers_are_reported_once),
		TEST(the_order_in_which_a_name_server_gives_its_records_does_not_count),
		TEST(a_name_server_at_a_private_address_is_not_asked),
		TEST(eight_of_nine_name_servers_are_examined),
		TEST(an_account_that_used_up_its_hour_at_an_address_does_not_have_the_server_asked),
		TEST(a_setting_keeps_name_servers_from_being_asked),
	};

	return cmocka_run_group_tests_name("posture name servers", tests, NULL, NULL);
}
