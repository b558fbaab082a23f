/* The shares of the octets of incoming messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>

#include "local/smtp/smtp-budget.h"

static struct smtp_budget budget;

static int setup(void **state)
{
	(void)state;
	smtp_budget_init(&budget);
	budget.max = 1000;
	budget.share_max = 100;
	return 0;
}

static void assert_empty(void)
{
	assert_int_equal(budget.used, 0);
	assert_null(budget.shares);
}

/* The number of octets that a further client at this address could hold now. */
static size_t room_for(const char *client_ip)
{
	struct smtp_share *share = smtp_share_take(&budget, client_ip);
	size_t octets = 0;

	while (smtp_share_charge(share, 1))
		octets++;
	smtp_share_settle(share, octets);
	return octets;
}

static void a_client_holds_its_share_and_leaves_the_rest_to_others(void **state)
{
	struct smtp_share *first = smtp_share_take(&budget, "192.0.2.1");
	struct smtp_share *second = smtp_share_take(&budget, "192.0.2.1");

	(void)state;
	assert_true(smtp_share_charge(first, 60));
	assert_true(smtp_share_charge(second, 40));
	assert_false(smtp_share_charge(first, 1));
	assert_int_equal(room_for("192.0.2.1"), 0);
	assert_int_equal(room_for("192.0.2.2"), 100);
	smtp_share_settle(first, 60);
	assert_int_equal(room_for("192.0.2.1"), 60);
	smtp_share_settle(second, 40);
	assert_empty();
}

static void a_provider_customer_with_many_networks_holds_two_shares(void **state)
{
	struct smtp_share *shares[2];

	(void)state;
	shares[0] = smtp_share_take(&budget, "2001:db8:1:1::1");
	assert_true(smtp_share_charge(shares[0], 100));
	/* in the same /64 as the first client */
	assert_int_equal(room_for("2001:db8:1:1:ffff::2"), 0);
	/* in the same /48, but another /64 */
	assert_int_equal(room_for("2001:db8:1:2::1"), 100);
	shares[1] = smtp_share_take(&budget, "2001:db8:1:2::1");
	assert_true(smtp_share_charge(shares[1], 100));
	assert_int_equal(room_for("2001:db8:1:3::1"), 0);
	assert_int_equal(room_for("2001:db8:2:1::1"), 100);
	smtp_share_settle(shares[0], 100);
	smtp_share_settle(shares[1], 100);
	assert_empty();
}

static void unknown_clients_have_one_share_and_a_proxy_without_a_client_has_the_whole_budget(
	void **state)
{
	struct smtp_share *unknown = smtp_share_take(&budget, "");
	struct smtp_share *proxy = smtp_share_take(&budget, NULL);

	(void)state;
	assert_true(smtp_share_charge(unknown, 100));
	assert_int_equal(room_for(""), 0);
	assert_true(smtp_share_charge(proxy, 800));
	assert_int_equal(room_for("192.0.2.1"), 100);
	assert_int_equal(room_for(NULL), 100);
	smtp_share_settle(unknown, 100);
	smtp_share_settle(proxy, 800);
	assert_empty();
}

static void all_clients_together_hold_no_more_than_the_budget(void **state)
{
	static const char *const clients[] = {"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4",
		"192.0.2.5", "192.0.2.6", "192.0.2.7", "192.0.2.8", "192.0.2.9", "2001:db8::1"};
	struct smtp_share *shares[10];

	(void)state;
	for (int i = 0; i < 10; i++) {
		shares[i] = smtp_share_take(&budget, clients[i]);
		assert_true(smtp_share_charge(shares[i], 100));
	}
	assert_int_equal(room_for("198.51.100.1"), 0);
	for (int i = 0; i < 10; i++)
		smtp_share_settle(shares[i], 100);
	assert_empty();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_client_holds_its_share_and_leaves_the_rest_to_others, setup),
		cmocka_unit_test_setup(
			a_provider_customer_with_many_networks_holds_two_shares, setup),
		cmocka_unit_test_setup(
			unknown_clients_have_one_share_and_a_proxy_without_a_client_has_the_whole_budget,
			setup),
		cmocka_unit_test_setup(all_clients_together_hold_no_more_than_the_budget, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
