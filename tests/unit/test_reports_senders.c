/* Services that are known to send mail for many customers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions/lib/reports/senders.h"

static void a_host_belongs_to_its_operator(void **state)
{
	(void)state;
	assert_string_equal(eds_sender_of("a12.smtp-out.amazonses.com")->name, "Amazon SES");
	assert_string_equal(eds_sender_of("amazonses.com")->name, "Amazon SES");
	assert_string_equal(eds_sender_of("mail-wr1-f41.google.com")->name, "Google Workspace");
	assert_int_equal(eds_sender_of("mail-wr1-f41.google.com")->kind, EDS_SENDER_MAILBOX);
	assert_string_equal(eds_sender_of("mail-eopbgr1.outbound.protection.outlook.com")->name,
		"Microsoft 365");
	assert_int_equal(eds_sender_of("mx.forwardemail.net")->kind, EDS_SENDER_FORWARDER);
	assert_int_equal(eds_sender_of("o1.ptr.sendgrid.net")->kind, EDS_SENDER_SERVICE);
}

static void a_name_with_only_a_similar_ending_has_no_operator(void **state)
{
	(void)state;
	assert_null(eds_sender_of("notgoogle.com"));
	assert_null(eds_sender_of("google.com.evil.example"));
	assert_null(eds_sender_of("com"));
	assert_null(eds_sender_of(""));
	assert_null(eds_sender_of("."));
}

/* The first and last entry of the table and some from its middle, because it must be sorted. */
static void every_name_of_the_table_is_found(void **state)
{
	static const char *const names[] = {"acems1.com", "acm.org", "aol.com", "mailgun.org",
		"mcsv.net", "zoho.eu", "zeptomail.com", "yandex.ru", "lists.debian.org",
		"email.cloudflare.net", "ess.barracudanetworks.com"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_non_null(eds_sender_of(names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_belongs_to_its_operator),
		cmocka_unit_test(a_name_with_only_a_similar_ending_has_no_operator),
		cmocka_unit_test(every_name_of_the_table_is_found),
	};

	return cmocka_run_group_tests_name("reports: senders", tests, NULL, NULL);
}
