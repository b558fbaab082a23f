/* Names of DNS as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions/lib/dns/name.h"

static void assert_text(const char *wire, const char *expected)
{
	char text[EDS_DNS_NAME_MAX + 1];

	eds_dns_name_from_wire((const uint8_t *)wire, text);
	assert_string_equal(text, expected);
}

static void a_name_is_told_in_lower_case(void **state)
{
	(void)state;
	assert_text("\4Mail\7example\3COM\0", "mail.example.com");
	assert_text("\0", "");
}

static void octets_that_a_text_cannot_show_are_question_marks(void **state)
{
	(void)state;
	assert_text("\5a b.c\3com\0", "a?b?c.com");
	assert_text("\4~\x7f\x80\x1f\3com\0", "~???.com");
	assert_text("\3!\0a\3com\0", "!?a.com");
}

static void names_that_networks_use_for_themselves_are_not_public(void **state)
{
	static const char *const own[] = {"printer", "db.corp.internal", "nas.local", "a.localhost",
		"a.onion", "a.alt", "router.home.arpa", "router.lan", "srv.corp", "tv.home",
		"wiki.intranet", "x.private", "lan"};
	static const char *const others[] = {"example.com", "internal.example.com", "mylan.example",
		"1.2.0.192.in-addr.arpa", "xhome.arpa", "foreign.xlan"};

	(void)state;
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		assert_false(eds_dns_name_is_public(own[i]));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_true(eds_dns_name_is_public(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_told_in_lower_case),
		cmocka_unit_test(names_that_networks_use_for_themselves_are_not_public),
		cmocka_unit_test(octets_that_a_text_cannot_show_are_question_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
