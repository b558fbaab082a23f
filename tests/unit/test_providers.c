/* The selectors under which providers publish the keys of their customers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions/lib/posture/providers.h"

static void a_provider_is_known_by_its_mail_servers_and_by_its_spf_records(void **state)
{
	(void)state;
	assert_string_equal(eds_provider_selectors("smtp.google.com"), "google");
	assert_string_equal(eds_provider_selectors("aspmx.l.google.com"), "google");
	assert_string_equal(eds_provider_selectors("_spf.google.com"), "google");
	assert_string_equal(eds_provider_selectors("example-com.mail.protection.outlook.com"),
		"selector1 selector2");
	assert_string_equal(eds_provider_selectors("sendgrid.net"), "s1 s2");
	assert_string_equal(eds_provider_selectors("in1-smtp.messagingengine.com"), "fm1 fm2 fm3");
}

static void the_first_and_the_last_provider_of_the_table_are_found(void **state)
{
	(void)state;
	assert_string_equal(eds_provider_selectors("spf.brevo.com"), "brevo1 brevo2 mail");
	assert_string_equal(eds_provider_selectors("mx.zoho.eu"), "zmail zoho");
}

static void other_domains_have_no_provider(void **state)
{
	(void)state;
	assert_null(eds_provider_selectors("notgoogle.com"));
	assert_null(eds_provider_selectors("google.com.example"));
	assert_null(eds_provider_selectors("com"));
	assert_null(eds_provider_selectors(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_provider_is_known_by_its_mail_servers_and_by_its_spf_records),
		cmocka_unit_test(the_first_and_the_last_provider_of_the_table_are_found),
		cmocka_unit_test(other_domains_have_no_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
