/* Which addresses of a host are connected to. What servers do is tests/e2e/mta-sts-check.test.mjs.
 */
#include "tests/support/test-event.h"

#include "functions/lib/fetch/fetch.h"
#include "runtime/config.h"

enum { RECORDS_MAX = 16 };

static struct eds_fetch fetch;

/* Addresses with a space between, as one answer. */
static void vet(const char *addresses)
{
	struct eds_dns_record records[RECORDS_MAX];
	struct eds_dns_answer answer = {.state = EDS_DNS_FOUND, .records = records};
	char *list = rt_strdup(&test_event, addresses);
	char *address;

	while ((address = strsep(&list, " ")) != NULL) {
		records[answer.count] = (struct eds_dns_record){0};
		assert_true(rt_ip_parse(address, &records[answer.count++].ip));
	}
	eds_fetch_vet(&fetch, &answer);
}

static const char *chosen(void)
{
	const char *list = "";

	for (size_t i = 0; i < fetch.address_count; i++) {
		char text[RT_IP_TEXT_MAX];

		rt_ip_format(&fetch.addresses[i], text);
		list = rt_printf(&test_event, "%s%s%s", list, i > 0 ? " " : "", text);
	}
	return list;
}

static int begin(void **state)
{
	memset(&fetch, 0, sizeof fetch);
	return test_event_begin(state);
}

static void special_addresses_are_left_out_and_remembered(void **state)
{
	(void)state;
	vet("10.0.0.1 8.8.8.8 127.0.0.1 169.254.169.254 8.8.4.4");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4");
	assert_true(fetch.forbidden);
}

static void a_host_with_nothing_else_has_none(void **state)
{
	(void)state;
	vet("::1 fe80::1 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: fd00::1");
	assert_string_equal(chosen(), "");
	assert_true(fetch.forbidden);
}

static void ipv4_comes_first_whatever_is_answered_first(void **state)
{
	(void)state;
	vet("2606:4700::1 2606:4700::2");
	vet("8.8.8.8 8.8.4.4");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4 2606:4700::1 2606:4700::2");
	assert_false(fetch.forbidden);
}

static void only_so_many_are_tried_and_ipv4_is_not_crowded_out(void **state)
{
	(void)state;
	vet("2606:4700::1 2606:4700::2 2606:4700::3 2606:4700::4 2606:4700::5");
	assert_int_equal(fetch.address_count, EDS_FETCH_ADDRESSES_MAX);
	vet("8.8.8.8 8.8.4.4");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4 2606:4700::1 2606:4700::2");
	vet("1.1.1.1 1.0.0.1 9.9.9.9");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1");
}

#define FETCH_TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_event_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FETCH_TEST(special_addresses_are_left_out_and_remembered),
		FETCH_TEST(a_host_with_nothing_else_has_none),
		FETCH_TEST(ipv4_comes_first_whatever_is_answered_first),
		FETCH_TEST(only_so_many_are_tried_and_ipv4_is_not_crowded_out),
	};

	unsetenv("EDS_ALLOW_PRIVATE_ADDRESSES");
	rt_config_require();
	return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
