/* The search for the selectors of a domain's providers. */
#include "tests/support/test-event.h"

#include "functions/lib/posture/posture.h"
#include "tests/support/dns-table.h"

/* A domain with mail at Google and SendGrid. */
#define PROVIDERS                                                                                  \
	"example.com NS ns1.example.com\nns1.example.com A 1.1.1.53\n"                             \
	"example.com MX 10 smtp.google.com\nsmtp.google.com A 1.1.1.1\n"                           \
	"example.com TXT v=spf1 include:sendgrid.net -all\n"                                       \
	"sendgrid.net TXT v=spf1 ip4:1.1.2.0/24 ~all\n"
#define GOOGLE "google._domainkey.example.com TXT v=DKIM1; p=MFkw\n"
#define SENDGRID "s2._domainkey.example.com TXT v=DKIM1; p=MFkw\n"

static struct eds_posture *posture;

static void search(const char *zone)
{
	struct eds_posture_question question = {
		.domain = "example.com", .authority = "ca.example", .finds_selectors = true};
	struct eds_dns *dns;

	dns_table(zone);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	posture = rt_alloc(&test_event, sizeof *posture);
	eds_posture_look(&test_event, dns, &question, posture);
}

static void selectors_with_a_key_are_found_and_the_search_is_over(void **state)
{
	(void)state;
	search(PROVIDERS GOOGLE SENDGRID);
	assert_int_equal(posture->selector_count, 2);
	assert_string_equal(posture->selectors[0], "google");
	assert_string_equal(posture->selectors[1], "s2");
	assert_false(posture->selectors_open);
}

static void a_selector_that_several_servers_may_have_is_found_once(void **state)
{
	(void)state;
	search("example.com MX 10 smtp.google.com\nexample.com MX 20 aspmx.l.google.com\n"
	       "example.com MX 30 mx1.example.com\nexample.com MX 40 mx2.example.com\n"
	       "smtp.google.com A 1.1.1.1\naspmx.l.google.com A 1.1.1.2\n"
	       "mx1.example.com A 1.1.1.3\nmx2.example.com A 1.1.1.4\n"
	       "default._domainkey.example.com TXT v=DKIM1; p=MFkw\n"
	       "mail._domainkey.example.com TXT v=DKIM1; p=MFkw\n" GOOGLE);
	assert_int_equal(posture->selector_count, 3);
	assert_string_equal(posture->selectors[0], "google");
	assert_string_equal(posture->selectors[1], "default");
	assert_string_equal(posture->selectors[2], "mail");
}

static void a_name_without_an_answer_leaves_the_search_open(void **state)
{
	(void)state;
	search(PROVIDERS SENDGRID "google._domainkey.example.com FAIL SERVFAIL\n");
	assert_int_equal(posture->selector_count, 1);
	assert_string_equal(posture->selectors[0], "s2");
	assert_true(posture->selectors_open);
}

static void providers_without_an_answer_leave_the_search_open(void **state)
{
	(void)state;
	search("example.com FAIL SERVFAIL\nexample.com TXT v=spf1 -all\n");
	assert_true(posture->selectors_open);
	search("example.com MX 10 smtp.google.com\nsmtp.google.com A 1.1.1.1\n"
	       "example.com FAIL SERVFAIL\n" GOOGLE);
	assert_int_equal(posture->selector_count, 1);
	assert_true(posture->selectors_open);
}

static void no_selector_is_found_while_a_wildcard_may_have_answered(void **state)
{
	(void)state;
	search(PROVIDERS GOOGLE "_eds-no-such-name._domainkey.example.com FAIL SERVFAIL\n");
	assert_int_equal(posture->selector_count, 0);
	assert_true(posture->selectors_open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(selectors_with_a_key_are_found_and_the_search_is_over),
		TEST(a_selector_that_several_servers_may_have_is_found_once),
		TEST(a_name_without_an_answer_leaves_the_search_open),
		TEST(providers_without_an_answer_leave_the_search_open),
		TEST(no_selector_is_found_while_a_wildcard_may_have_answered),
	};

	return cmocka_run_group_tests_name("posture-selectors", tests, NULL, NULL);
}
