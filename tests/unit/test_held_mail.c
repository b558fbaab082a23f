/* The remaining room for mail, by network and in total, while messages come in and leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>

#include "local/spool/held-mail.h"

static struct held_mail *held;
static struct rt_cidr_list relays;
static const uint64_t nothing[HELD_LEVELS];

static int setup(void **state)
{
	static const struct rt_mail_quota quota = {.network = 100, .all = 1000};

	(void)state;
	relays.count = 1;
	if (!rt_cidr_parse("198.51.100.0/24", &relays.items[0]))
		return -1;
	held = held_mail_new(&quota, &relays);
	return held == NULL;
}

static int teardown(void **state)
{
	(void)state;
	held_mail_free(held);
	return 0;
}

static struct held_claim ask(const char *client_ip)
{
	struct held_claim claim;

	assert_true(held_claim_begin(&claim, held, client_ip, true));
	held_claim_ask(&claim);
	return claim;
}

static uint64_t room(const struct held_claim *claim)
{
	enum held_level whose;

	return held_claim_room(claim, &whose);
}

/* The octets that a client may still send when this many octets of its network's mail are
 * stored. */
static uint64_t room_for(const char *client_ip, uint64_t stored)
{
	const uint64_t octets[HELD_LEVELS] = {stored, stored, stored};
	struct held_claim claim = ask(client_ip);
	uint64_t left;

	held_claim_answer(&claim, octets);
	left = room(&claim);
	held_claim_end(&claim);
	return left;
}

static void the_room_left_is_the_share_less_stored_and_spooled_mail(void **state)
{
	(void)state;
	assert_int_equal(room_for("192.0.2.1", 0), 100);
	assert_int_equal(room_for("192.0.2.1", 70), 30);
	assert_int_equal(room_for("192.0.2.1", 101), 0);
	held_mail_take(held, "192.0.2.1", 40);
	assert_int_equal(room_for("192.0.2.1", 50), 10);
	assert_int_equal(room_for("192.0.2.2", 0), 100);
	assert_int_equal(held_mail_octets(held), 40);
	held_mail_give_back(held, "192.0.2.1", 40);
	assert_int_equal(room_for("192.0.2.1", 50), 50);
	assert_int_equal(held_mail_octets(held), 0);
}

static void a_customer_of_many_networks_has_two_shares(void **state)
{
	(void)state;
	held_mail_take(held, "2001:db8:1:1::1", 90);
	held_mail_take(held, "2001:db8:1:2::1", 90);
	assert_int_equal(room_for("2001:db8:1:1::2", 0), 10);
	assert_int_equal(room_for("2001:db8:1:3::1", 0), 20);
	assert_int_equal(room_for("2001:db8:1:ff03::1", 0), 20);
	assert_int_equal(room_for("2001:db8:2:1::1", 0), 100);
	held_mail_give_back(held, "2001:db8:1:1::9", 90);
	assert_int_equal(room_for("2001:db8:1:3::1", 0), 100);
	held_mail_give_back(held, "2001:db8:1:2::1", 90);
}

static void all_networks_share_the_total(void **state)
{
	static const uint64_t stored[HELD_LEVELS] = {0, 0, 950};
	struct held_claim claim = ask("192.0.2.1");
	enum held_level whose;

	(void)state;
	held_claim_answer(&claim, stored);
	assert_int_equal(held_claim_room(&claim, &whose), 50);
	assert_int_equal(whose, HELD_ALL);
	held_mail_take(held, "192.0.2.2", 20);
	assert_int_equal(room(&claim), 30);
	held_claim_end(&claim);
	held_mail_give_back(held, "192.0.2.2", 20);
}

static void a_relay_and_a_proxy_are_limited_by_the_total_alone(void **state)
{
	struct held_claim claim;

	(void)state;
	assert_int_equal(room_for("198.51.100.9", 300), 700);
	assert_true(held_claim_begin(&claim, held, "192.0.2.1", false));
	held_claim_ask(&claim);
	held_claim_answer(&claim, nothing);
	assert_int_equal(room(&claim), 1000);
	held_claim_end(&claim);
}

/* The runner asks for the stored octets and gets an answer later; mail that moves to the store in
 * between is not in that answer, so it must still count as the runner's own. */
static void mail_that_moves_to_the_store_meanwhile_still_counts(void **state)
{
	struct held_claim many[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		many[i] = ask("192.0.2.1");
		held_claim_answer(&many[i], nothing);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(room(&many[i]), 100 - 30 * i);
		held_claim_take(&many[i], 30);
		held_claim_end(&many[i]);
		held_mail_give_back(held, "192.0.2.1", 30);
	}
	assert_int_equal(held_mail_octets(held), 0);
	assert_int_equal(room(&many[3]), 10);
	held_claim_end(&many[3]);
}

static void the_smallest_room_of_several_answers_holds(void **state)
{
	static const uint64_t much[HELD_LEVELS] = {60, 0, 60};
	struct held_claim claim = ask("192.0.2.1");

	(void)state;
	held_claim_answer(&claim, much);
	held_claim_ask(&claim);
	held_claim_answer(&claim, nothing);
	assert_int_equal(room(&claim), 40);
	held_claim_end(&claim);
}

static void a_quota_of_zero_means_no_limit(void **state)
{
	static const struct rt_mail_quota none;
	struct held_claim claim;
	struct held_mail *open = held_mail_new(&none, &relays);

	(void)state;
	assert_true(held_claim_begin(&claim, open, "192.0.2.1", true));
	held_claim_ask(&claim);
	held_claim_answer(&claim, nothing);
	assert_true(room(&claim) == UINT64_MAX);
	held_claim_end(&claim);
	held_mail_free(open);
}

#define HELD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HELD(the_room_left_is_the_share_less_stored_and_spooled_mail),
		HELD(a_customer_of_many_networks_has_two_shares),
		HELD(all_networks_share_the_total),
		HELD(a_relay_and_a_proxy_are_limited_by_the_total_alone),
		HELD(mail_that_moves_to_the_store_meanwhile_still_counts),
		HELD(the_smallest_room_of_several_answers_holds),
		HELD(a_quota_of_zero_means_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
