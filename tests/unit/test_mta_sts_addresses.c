/* How many probes of mail servers, and fetches of policies, connect to one address.
 * tests/e2e/mta-sts-hostile.test.mjs counts the connections at a server. */
#include "functions/lib/mta-sts/addresses.h"
#include "tests/support/test-event.h"

static struct eds_fetch fetch_of(const char *first, const char *second)
{
	struct eds_fetch fetch = {.host = "mx.test", .address_count = second != NULL ? 2 : 1};

	assert_true(rt_ip_parse(first, &fetch.addresses[0]));
	if (second != NULL)
		assert_true(rt_ip_parse(second, &fetch.addresses[1]));
	return fetch;
}

static void eight_probes_connect_to_an_address_at_once_whoever_owns_the_names(void **state)
{
	static const char *const owners[] = {"a", "a", "a", "a", "b", "b", "c", "d"};
	struct eds_addresses *all = eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL);
	struct eds_fetch fetch = fetch_of("192.0.2.1", NULL);
	struct eds_fetch other = fetch_of("192.0.2.2", NULL);

	(void)state;
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(eds_address_begin(all, &fetch, owners[i]), EDS_ADDRESS_NOW);
	assert_int_equal(eds_address_begin(all, &fetch, "e"), EDS_ADDRESS_LATER);
	assert_int_equal(eds_address_begin(all, &other, "e"), EDS_ADDRESS_NOW);
	eds_address_end(all, &fetch, "a");
	assert_int_equal(eds_address_begin(all, &fetch, "a"), EDS_ADDRESS_LATER);
	assert_int_equal(eds_address_begin(all, &fetch, "e"), EDS_ADDRESS_NOW);
	assert_int_equal(eds_address_begin(all, &fetch, "f"), EDS_ADDRESS_LATER);
}

static void one_account_holds_half_of_the_places_at_an_address(void **state)
{
	struct eds_addresses *all = eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL);
	struct eds_fetch fetch = fetch_of("192.0.2.1", NULL);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(eds_address_begin(all, &fetch, "a"), EDS_ADDRESS_NOW);
	assert_int_equal(eds_address_begin(all, &fetch, "a"), EDS_ADDRESS_LATER);
	assert_int_equal(eds_address_begin(all, &fetch, "b"), EDS_ADDRESS_NOW);
	eds_address_end(all, &fetch, "b");
	eds_address_end(all, &fetch, "a");
	assert_int_equal(eds_address_begin(all, &fetch, "a"), EDS_ADDRESS_NOW);
}

static void a_host_takes_a_place_at_each_of_its_addresses(void **state)
{
	struct eds_addresses *all = eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL);
	struct eds_fetch both = fetch_of("192.0.2.3", "2001:db8::3");
	struct eds_fetch second = fetch_of("2001:db8::3", NULL);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(eds_address_begin(all, &both, "a"), EDS_ADDRESS_NOW);
	assert_int_equal(eds_address_begin(all, &second, "a"), EDS_ADDRESS_LATER);
	eds_address_end(all, &both, "a");
	assert_int_equal(eds_address_begin(all, &second, "a"), EDS_ADDRESS_NOW);
}

static void an_account_has_1024_connections_an_hour_to_an_address_over_all_events(void **state)
{
	struct eds_fetch fetch = fetch_of("192.0.2.4", NULL);
	struct eds_fetch both = fetch_of("192.0.2.5", "192.0.2.4");

	(void)state;
	for (size_t i = 0; i < 1024; i++) {
		struct eds_addresses *all = eds_addresses_new(
			&test_event, EDS_ADDRESS_SERVERS, NULL);

		assert_int_equal(eds_address_begin(all, &fetch, "busy"), EDS_ADDRESS_NOW);
	}
	assert_int_equal(
		eds_address_begin(
			eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL), &fetch, "busy"),
		EDS_ADDRESS_NEVER);
	assert_int_equal(
		eds_address_begin(
			eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL), &both, "busy"),
		EDS_ADDRESS_NEVER);
	assert_int_equal(
		eds_address_begin(
			eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL), &fetch, "other"),
		EDS_ADDRESS_NOW);
}

static size_t begun(struct eds_addresses *all, const struct eds_fetch *fetch, size_t most)
{
	size_t count = 0;

	while (count < most && eds_address_begin(all, fetch, "a") == EDS_ADDRESS_NOW) {
		eds_address_end(all, fetch, "a");
		count++;
	}
	return count;
}

static void policies_have_4096_an_hour_beside_those_of_mail_servers(void **state)
{
	struct eds_addresses *all = eds_addresses_new(&test_event, EDS_ADDRESS_POLICIES, NULL);
	struct eds_addresses *servers = eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL);
	struct eds_fetch fetch = fetch_of("192.0.2.9", NULL);

	(void)state;
	assert_int_equal(begun(all, &fetch, 5000), 4096);
	assert_int_equal(eds_address_begin(all, &fetch, "a"), EDS_ADDRESS_NEVER);
	assert_int_equal(begun(servers, &fetch, 5000), 1024);
}

static void addresses_of_one_64_count_as_one(void **state)
{
	struct eds_addresses *all = eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL);
	struct eds_fetch two = fetch_of("2001:db8:0:1::1", "2001:db8:0:1:ffff::2");
	struct eds_fetch third = fetch_of("2001:db8:0:1::3", NULL);
	struct eds_fetch other = fetch_of("2001:db8:0:2::1", NULL);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(eds_address_begin(all, &two, "a"), EDS_ADDRESS_NOW);
	assert_int_equal(eds_address_begin(all, &third, "a"), EDS_ADDRESS_LATER);
	assert_int_equal(eds_address_begin(all, &other, "a"), EDS_ADDRESS_NOW);
	eds_address_end(all, &two, "a");
	assert_int_equal(eds_address_begin(all, &third, "a"), EDS_ADDRESS_NOW);
}

/* The hour that processes share, of which only so many are left. */
struct shared {
	int left;
	int asked;
	char account[16];
	char what[64];
};

static bool take_shared(void *arg, const char *account, const char *what, int count, int max)
{
	struct shared *shared = arg;

	assert_int_equal(max, 1024);
	shared->asked++;
	snprintf(shared->account, sizeof shared->account, "%s", account);
	snprintf(shared->what, sizeof shared->what, "%s", what);
	if (count > shared->left)
		return false;
	shared->left -= count;
	return true;
}

static void after_64_connections_a_process_takes_shares_of_the_common_hour(void **state)
{
	struct shared shared = {.left = 200};
	struct eds_address_hours hours = {.take = take_shared, .arg = &shared};
	struct eds_addresses *all = eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, &hours);
	struct eds_fetch fetch = fetch_of("192.0.2.8", NULL);

	(void)state;
	assert_int_equal(begun(all, &fetch, 64), 64);
	assert_int_equal(shared.asked, 0);
	assert_int_equal(begun(all, &fetch, 1), 1);
	assert_int_equal(shared.left, 72); /* the first 64 count too */
	assert_string_equal(shared.account, "a");
	assert_string_equal(shared.what, "probe 192.0.2.8");
	assert_int_equal(begun(all, &fetch, 1000), 127);
	assert_int_equal(shared.asked, 3);
	assert_int_equal(eds_address_begin(all, &fetch, "a"), EDS_ADDRESS_NEVER);
	assert_int_equal(shared.asked, 3);
}

static bool tells(enum eds_fetch_outcome outcome, const struct eds_fetch *fetch,
	const struct eds_fetch *other)
{
	struct eds_fetched fetched = {.outcome = outcome};

	return eds_address_tells(&fetched, fetch, other);
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

static void only_a_failure_without_any_connection_holds_for_policies(void **state)
{
	struct eds_fetch fetch = fetch_of("192.0.2.6", "192.0.2.7");
	struct eds_fetch turned = fetch_of("192.0.2.7", "192.0.2.6");
	struct eds_fetch half = fetch_of("192.0.2.6", NULL);
	struct eds_fetched fetched = {.outcome = EDS_FETCH_CONNECT_TIME};

	(void)state;
	assert_true(eds_address_is_dead(&fetched, &fetch, &turned));
	assert_false(eds_address_is_dead(&fetched, &fetch, &half));
	fetched.reached = true; /* the server heard the name, and may answer for another */
	assert_false(eds_address_is_dead(&fetched, &fetch, &turned));
	fetched = (struct eds_fetched){.outcome = EDS_FETCH_TOTAL_TIME};
	assert_false(eds_address_is_dead(&fetched, &fetch, &turned));
	fetched.outcome = EDS_FETCH_FAILED;
	assert_false(eds_address_is_dead(&fetched, &fetch, &turned));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(eight_probes_connect_to_an_address_at_once_whoever_owns_the_names),
		TEST(one_account_holds_half_of_the_places_at_an_address),
		TEST(a_host_takes_a_place_at_each_of_its_addresses),
		TEST(an_account_has_1024_connections_an_hour_to_an_address_over_all_events),
		TEST(policies_have_4096_an_hour_beside_those_of_mail_servers),
		TEST(addresses_of_one_64_count_as_one),
		TEST(after_64_connections_a_process_takes_shares_of_the_common_hour),
		TEST(a_failure_before_the_name_is_told_holds_for_names_with_the_same_addresses),
		TEST(only_a_failure_without_any_connection_holds_for_policies),
	};

	return cmocka_run_group_tests_name("mta-sts-addresses", tests, NULL, NULL);
}
