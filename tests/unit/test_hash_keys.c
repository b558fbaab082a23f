/* Every table whose keys are untrusted is hashed with a secret key of its own. Otherwise an
 * attacker can choose keys that all have one hash, and each look-up takes as long as there are
 * keys. */
#include "tests/support/test-event.h"

#include "functions/lib/mta-sts/probe.h"
#include "functions/lib/reports/sums.h"
#include "local/spool/held-mail.h"
#include "runtime/host/gateway/gateway-sender.h"

enum { KEYS_MAX = 64 };

static struct rt_hash_key made[KEYS_MAX];
static size_t made_count;
static size_t checked_count; /* how many keys were made before the latest check */
static size_t hashed;

/* Replaces the runtime's function, to record which keys are made and used. */
void rt_hash_key_make(struct rt_hash_key *key)
{
	assert_true(made_count < KEYS_MAX);
	*key = (struct rt_hash_key){{made_count, ~(uint64_t)made_count}};
	made[made_count++] = *key;
}

uint64_t rt_hash(const struct rt_hash_key *key, const void *bytes, size_t length)
{
	const uint8_t *octets = bytes;
	uint64_t sum = 0;
	size_t number = checked_count;

	while (number < made_count && memcmp(&made[number], key, sizeof *key) != 0)
		number++;
	assert_true(number < made_count);
	hashed++;
	for (size_t i = 0; i < length; i++)
		sum = sum * 31 + octets[i];
	return sum;
}

static void assert_new_key_used(void)
{
	assert_true(made_count > checked_count);
	checked_count = made_count;
	assert_true(hashed > 0);
	hashed = 0;
}

static void the_sums_of_a_report_are_hashed_with_their_own_key(void **state)
{
	const struct eds_report_row row = {.messages = 1};

	for (int i = 0; i < 2; i++) {
		struct eds_sums *sums = eds_sums_new(*state);

		eds_sums_row(sums, &row, "", 0);
		assert_new_key_used();
	}
}

static void the_signatures_of_a_report_are_hashed_with_their_own_key(void **state)
{
	struct eds_sums *sums = eds_sums_new(*state);

	eds_sums_signature(sums, "example.com", "s1", EDS_DKIM_RESULT_PASS, 1);
	assert_new_key_used();
}

static void ignore(void *arg)
{
	(void)arg;
}

static void the_mail_servers_of_a_run_are_hashed_with_their_own_key(void **state)
{
	struct eds_mta_sts_mx mx = {.host = "mx.example.com"};
	struct eds_probes *probes = eds_probes_new(*state, NULL, NULL);

	eds_probes_ask(probes, "account", &mx, ignore, NULL);
	assert_new_key_used();
}

static void the_networks_that_mail_comes_from_are_hashed_with_their_own_key(void **state)
{
	const struct rt_mail_quota quota = {.network = 1000, .all = 1000};
	const struct rt_cidr_list no_relays = {0};
	struct held_mail *held = held_mail_new(&quota, &no_relays);

	(void)state;
	assert_true(held_mail_take(held, "192.0.2.1", 1));
	assert_new_key_used();
	held_mail_free(held);
}

static void the_senders_of_requests_are_hashed_with_their_own_key(void **state)
{
	static struct gateway_senders senders;
	const struct manifest_function function = {.name = "f"};
	struct http_head head = {0};
	const struct http_request request = {
		.head = &head, .peer = "192.0.2.1", .client = "192.0.2.1"};
	uint64_t token;

	(void)state;
	gateway_senders_init(&senders);
	(void)gateway_sender(&senders, &request, &function, &token);
	assert_new_key_used();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_sums_of_a_report_are_hashed_with_their_own_key),
		TEST(the_signatures_of_a_report_are_hashed_with_their_own_key),
		TEST(the_mail_servers_of_a_run_are_hashed_with_their_own_key),
		TEST(the_networks_that_mail_comes_from_are_hashed_with_their_own_key),
		TEST(the_senders_of_requests_are_hashed_with_their_own_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
