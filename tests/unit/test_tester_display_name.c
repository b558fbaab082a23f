/* An address in the display name of From, and the domains of mailbox providers. */
#include "functions/tester/display-name.h"
#include "functions/tester/mailbox-provider.h"
#include "tests/support/test-event.h"

static const char *shown(struct rt_ctx *ctx, const char *from)
{
	const char *message = rt_printf(ctx, "From: %s\r\n\r\n", from);
	struct eds_header header;

	eds_header_read(ctx, message, strlen(message), &header);
	return display_name_domain(ctx, &header);
}

static void the_domain_of_an_address_in_the_display_name_is_found(void **state)
{
	static const char *const forms[] = {"\"service@Bank.example\" <x@evil.example>",
		"service@bank.example <x@evil.example>",
		"Bank (service@bank.example) <x@evil.example>",
		"Write to service@bank.example. <x@evil.example>",
		"=?utf-8?Q?service=40bank.example?= <x@evil.example>",
		"=?utf-8?B?c2VydmljZUBi?= =?utf-8?B?YW5rLmV4YW1wbGU=?= <x@evil.example>",
		"me @home \"service@bank.example\" <x@evil.example>"};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		const char *domain = shown(*state, forms[i]);

		if (domain == NULL || strcmp(domain, "bank.example") != 0)
			fail_msg("%s: %s", forms[i], domain != NULL ? domain : "none");
	}
}

static void text_that_is_not_an_address_is_ignored(void **state)
{
	static const char *const forms[] = {"x@evil.example", "<x@evil.example>",
		"Joe <x@evil.example>", "@joe <x@evil.example>", "Joe @ Bank <x@evil.example>",
		"joe@localhost <x@evil.example>", "joe@ <x@evil.example>", "@ <@>", "",
		"joe@-.- <x@evil.example>"};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (shown(*state, forms[i]) != NULL)
			fail_msg("%s", forms[i]);
}

static void a_mailbox_provider_is_known_by_its_domain_in_any_country(void **state)
{
	static const char *const theirs[] = {"gmail.com", "gmx.net", "yahoo.com", "yahoo.co.jp",
		"hotmail.fr", "outlook.com.au", "live.nl"};
	static const char *const others[] = {"example.com", "notgmail.com", "mail.gmail.com",
		"live.example.com", "yahoo.example.org", "live.dev", "outlook"};

	(void)state;
	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
		if (!is_mailbox_provider(theirs[i]))
			fail_msg("%s", theirs[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (is_mailbox_provider(others[i]))
			fail_msg("%s", others[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_domain_of_an_address_in_the_display_name_is_found),
		TEST(text_that_is_not_an_address_is_ignored),
		TEST(a_mailbox_provider_is_known_by_its_domain_in_any_country),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
