/* The queue in which clients take turns, with more clients than it has buckets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "local/dispatch/fair-queue.h"

enum { CLIENTS = 3 * FAIR_BUCKETS, EACH = 2 };

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct fair_queue));
	fair_queue_init(*state, 4 * CLIENTS * EACH);
	return 0;
}

static int tear_down(void **state)
{
	const struct fair_queue *queue = *state;

	assert_int_equal(queue->under_way, 0);
	assert_null(queue->first_turn);
	for (size_t i = 0; i < FAIR_BUCKETS; i++)
		assert_null(queue->buckets[i]);
	assert_int_equal(queue->put_off.entries, 0);
	assert_int_equal(queue->put_off.octets, 0);
	free(*state);
	return 0;
}

static void join(struct fair_queue *queue, struct fair_entry *entry, const char *client_ip)
{
	*entry = (struct fair_entry){0};
	assert_true(fair_join(queue, entry, client_ip));
}

static void thousands_of_clients_take_turns_and_keep_their_order(void **state)
{
	struct fair_queue *queue = *state;
	struct fair_entry *entries = calloc(CLIENTS * EACH, sizeof *entries);

	for (int i = 0; i < CLIENTS * EACH; i++) {
		int client = i / EACH; /* its entries come one after another */
		char ip[32];

		snprintf(ip, sizeof ip, "10.%d.%d.%d", client >> 16, client >> 8 & 255,
			client & 255);
		join(queue, &entries[i], ip);
		fair_wait(queue, &entries[i]);
	}
	for (int turn = 0; turn < EACH; turn++)
		for (int client = 0; client < CLIENTS; client++)
			assert_ptr_equal(fair_take(queue), &entries[client * EACH + turn]);
	assert_null(fair_take(queue));
	assert_int_equal(queue->under_way, CLIENTS * EACH);
	for (int i = CLIENTS * EACH - 1; i >= 0; i--) {
		fair_end(queue, &entries[i]);
		fair_leave(queue, &entries[i]);
	}
	free(entries);
}

static void a_client_is_an_ipv4_address_a_64_of_ipv6_or_all_unknown_ones(void **state)
{
	static const char *const ips[] = {"192.0.2.1", "192.0.2.1", "192.0.2.2", "::ffff:192.0.2.1",
		"2001:db8:0:1::1", "2001:db8:0:1:ffff::", "2001:db8:0:2::1", "", "unknown"};
	static const int clients[] = {0, 0, 1, 0, 2, 2, 3, 4, 4};
	enum { COUNT = sizeof ips / sizeof ips[0] };
	struct fair_queue *queue = *state;
	struct fair_entry entries[COUNT];

	for (int i = 0; i < COUNT; i++)
		join(queue, &entries[i], ips[i]);
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < COUNT; j++)
			assert_int_equal(
				entries[i].client == entries[j].client, clients[i] == clients[j]);
	for (int i = 0; i < COUNT; i++)
		fair_leave(queue, &entries[i]);
}

static void a_client_may_have_its_share_put_off_and_no_more(void **state)
{
	struct fair_queue *queue = *state;
	struct fair_entry *entries = calloc(FAIR_PUT_OFF_CLIENT + 1, sizeof *entries);
	struct fair_entry other;

	for (int i = 0; i <= FAIR_PUT_OFF_CLIENT; i++) {
		join(queue, &entries[i], "192.0.2.1");
		assert_int_equal(
			fair_may_be_put_off(queue, &entries[i], 1), i < FAIR_PUT_OFF_CLIENT);
		if (i < FAIR_PUT_OFF_CLIENT)
			fair_put_off(queue, &entries[i], 1);
	}
	assert_true(fair_may_be_put_off(queue, &entries[0], 1)); /* it is already */
	fair_put_off(queue, &entries[0], 1);
	assert_int_equal(queue->put_off.entries, FAIR_PUT_OFF_CLIENT);
	join(queue, &other, "192.0.2.2");
	assert_true(fair_may_be_put_off(queue, &other, FAIR_PUT_OFF_CLIENT_BYTES));
	assert_false(fair_may_be_put_off(queue, &other, (size_t)FAIR_PUT_OFF_CLIENT_BYTES + 1));
	fair_leave(queue, &other);
	fair_leave(queue, &entries[0]);
	assert_true(fair_may_be_put_off(queue, &entries[FAIR_PUT_OFF_CLIENT], 1));
	for (int i = 1; i <= FAIR_PUT_OFF_CLIENT; i++)
		fair_leave(queue, &entries[i]);
	free(entries);
}

static void all_clients_together_may_have_their_share_put_off_and_no_more(void **state)
{
	enum { COUNT = FAIR_PUT_OFF_ALL_BYTES / FAIR_PUT_OFF_CLIENT_BYTES };
	struct fair_queue *queue = *state;
	struct fair_entry entries[COUNT + 1];

	for (int i = 0; i <= COUNT; i++) {
		char ip[32];

		snprintf(ip, sizeof ip, "192.0.2.%d", i);
		join(queue, &entries[i], ip);
		assert_int_equal(fair_may_be_put_off(queue, &entries[i], FAIR_PUT_OFF_CLIENT_BYTES),
			i < COUNT);
		if (i < COUNT)
			fair_put_off(queue, &entries[i], FAIR_PUT_OFF_CLIENT_BYTES);
	}
	assert_false(fair_may_be_put_off(queue, &entries[COUNT], 1));
	assert_true(fair_may_be_put_off(queue, &entries[COUNT], 0));
	for (int i = 0; i <= COUNT; i++)
		fair_leave(queue, &entries[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define FAIR(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		FAIR(thousands_of_clients_take_turns_and_keep_their_order),
		FAIR(a_client_is_an_ipv4_address_a_64_of_ipv6_or_all_unknown_ones),
		FAIR(a_client_may_have_its_share_put_off_and_no_more),
		FAIR(all_clients_together_may_have_their_share_put_off_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
