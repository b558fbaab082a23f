/* How many probes of mail servers connect to one address.
 * tests/e2e/mta-sts-hostile.test.mjs counts the connections at a server. */
#include "functions/lib/mta-sts/probe-address.h"
#include "tests/support/test-event.h"

static struct eds_fetch fetch_of(const char *first, const char *second)
{
	struct eds_fetch fetch = {.host = "mx.test", .address_count = second != NULL ? 2 : 1};

	assert_true(rt_ip_parse(first, &fetch.addresses[0]));
	if (second != NULL)
		assert_true(rt_ip_parse(second, &fetch.addresses[1]));
	return fetch;
}

static void four_probes_connect_to_an_address_at_once_whoever_owns_the_names(void **state)
{
	static const char *const owners[] = {"a", "b", "a", "c"};
	struct eds_probe_addresses *all = eds_probe_addresses_new(&test_event);
	struct eds_fetch fetch = fetch_of("192.0.2.1", NULL);
	struct eds_fetch other = fetch_of("192.0.2.2", NULL);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(eds_probe_begin(all, &fetch, owners[i]), EDS_PROBE_NOW);
	assert_int_equal(eds_probe_begin(all, &fetch, "d"), EDS_PROBE_LATER);
	assert_int_equal(eds_probe_begin(all, &other, "d"), EDS_PROBE_NOW);
	eds_probe_end(all, &fetch);
	assert_int_equal(eds_probe_begin(all, &fetch, "d"), EDS_PROBE_NOW);
	assert_int_equal(eds_probe_begin(all, &fetch, "d"), EDS_PROBE_LATER);
}

static void a_host_takes_a_place_at_each_of_its_addresses(void **state)
{
	struct eds_probe_addresses *all = eds_probe_addresses_new(&test_event);
	struct eds_fetch both = fetch_of("192.0.2.3", "2001:db8::3");
	struct eds_fetch second = fetch_of("2001:db8::3", NULL);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(eds_probe_begin(all, &both, "a"), EDS_PROBE_NOW);
	assert_int_equal(eds_probe_begin(all, &second, "a"), EDS_PROBE_LATER);
	eds_probe_end(all, &both);
	assert_int_equal(eds_probe_begin(all, &second, "a"), EDS_PROBE_NOW);
}

static void an_account_has_1024_connections_an_hour_to_an_address_over_all_events(void **state)
{
	struct eds_fetch fetch = fetch_of("192.0.2.4", NULL);
	struct eds_fetch both = fetch_of("192.0.2.5", "192.0.2.4");

	(void)state;
	for (size_t i = 0; i < 1024; i++) {
		struct eds_probe_addresses *all = eds_probe_addresses_new(&test_event);

		assert_int_equal(eds_probe_begin(all, &fetch, "busy"), EDS_PROBE_NOW);
	}
	assert_int_equal(eds_probe_begin(eds_probe_addresses_new(&test_event), &fetch, "busy"),
		EDS_PROBE_NEVER);
	assert_int_equal(eds_probe_begin(eds_probe_addresses_new(&test_event), &both, "busy"),
		EDS_PROBE_NEVER);
	assert_int_equal(eds_probe_begin(eds_probe_addresses_new(&test_event), &fetch, "other"),
		EDS_PROBE_NOW);
}

static bool tells(enum eds_fetch_outcome outcome, const struct eds_fetch *fetch,
	const struct eds_fetch *other)
{
	struct eds_fetched fetched = {.outcome = outcome};

	return eds_probe_tells(&fetched, fetch, other);
}

static void a_failure_before_the_name_is_told_holds_for_names_with_the_same_addresses(void **state)
{
	struct eds_fetch fetch = fetch_of("192.0.2.6", "192.0.2.7");
	struct eds_fetch turned = fetch_of("192.0.2.7", "192.0.2.6");
	struct eds_fetch half = fetch_of("192.0.2.6", NULL);

	(void)state;
	assert_true(tells(EDS_FETCH_REFUSED, &fetch, &turned));
	assert_true(tells(EDS_FETCH_CONNECT_TIME, &fetch, &turned));
	assert_true(tells(EDS_FETCH_TOTAL_TIME, &fetch, &turned));
	assert_true(tells(EDS_FETCH_NO_STARTTLS, &fetch, &turned));
	assert_false(tells(EDS_FETCH_REFUSED, &fetch, &half));
	assert_false(tells(EDS_FETCH_REFUSED, &half, &fetch));
	assert_false(tells(EDS_FETCH_CERT_NAME, &fetch, &turned));
	assert_false(tells(EDS_FETCH_TLS_REFUSED, &fetch, &turned));
	assert_false(tells(EDS_FETCH_FAILED, &fetch, &turned));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(four_probes_connect_to_an_address_at_once_whoever_owns_the_names),
		TEST(a_host_takes_a_place_at_each_of_its_addresses),
		TEST(an_account_has_1024_connections_an_hour_to_an_address_over_all_events),
		TEST(a_failure_before_the_name_is_told_holds_for_names_with_the_same_addresses),
	};

	return cmocka_run_group_tests_name("mta-sts-probe-address", tests, NULL, NULL);
}
