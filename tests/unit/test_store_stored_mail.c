/* The room that test mail takes: counted once, by network and in total, and released. */
#include "functions/lib/store/tester/session-expiry.h"
#include "functions/lib/store/tester/session-replaced.h"
#include "functions/lib/store/tester/session.h"
#include "functions/lib/store/tester/stored-mail.h"

#include "tests/unit/store_fixture.h"

#define RESULT "{\"verdict\":\"ham\"}"

static char id[EDS_TEST_ID_LENGTH + 1];
static char other[EDS_TEST_ID_LENGTH + 1];

static void keep(const char *test_id, const char *message_id, const char *client_ip, size_t octets)
{
	const struct eds_session_message message = {
		.message_id = message_id,
		.received_at_ms = message_id[1],
		.counted_ip = client_ip,
		.octets = octets,
	};
	struct eds_store *store = open_store();

	assert_int_equal(
		eds_store_session_complete(&event, store, test_id, &message, RESULT), RT_OK);
}

static void assert_stored(const char *client_ip, int64_t own, int64_t site, int64_t all)
{
	struct eds_store *store = open_store();
	struct eds_networks networks;
	struct eds_stored_mail stored;

	eds_networks_of(&event, client_ip, &networks);
	assert_int_equal(eds_store_stored_mail(&event, store, &networks, &stored), RT_OK);
	assert_int_equal(stored.own, own);
	assert_int_equal(stored.site, site);
	assert_int_equal(stored.all, all);
}

static void forget_replaced(const char *test_id)
{
	struct eds_store *store = open_store();
	const char **ids;
	size_t count;

	assert_int_equal(eds_store_messages_replaced(&event, store, test_id, &ids, &count), RT_OK);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(eds_store_message_forget(&event, store, test_id, ids[i]), RT_OK);
}

static void expire_all(void)
{
	struct eds_store *store = open_store();
	const char **ids;
	size_t removed;
	size_t count;

	sql("UPDATE tester_sessions SET expires_at_ms = 1");
	assert_int_equal(eds_store_messages_expired(&event, store, &ids, &count), RT_OK);
	assert_int_equal(eds_store_sessions_purge(&event, store, ids, count, &removed), RT_OK);
}

static void a_message_counts_in_whole_blocks_for_its_network_and_the_total(void **state)
{
	(void)state;
	keep(new_session(id), "m1", "192.0.2.1", 1);
	keep(new_session(other), "m2", "192.0.2.2", 4097);
	assert_stored("192.0.2.1", 4096, 0, 4096 + 8192);
	assert_stored("192.0.2.2", 8192, 0, 4096 + 8192);
	assert_stored("192.0.2.3", 0, 0, 4096 + 8192);
}

static void a_message_over_ipv6_is_counted_for_its_64_and_its_48(void **state)
{
	(void)state;
	keep(new_session(id), "m1", "2001:db8:0:1::1", 4096);
	keep(new_session(other), "m2", "2001:db8:0:2::1", 4096);
	assert_stored("2001:db8:0:1::9", 4096, 8192, 8192);
	assert_stored("2001:db8:0:3::1", 0, 8192, 8192);
	assert_stored("2001:db8:1:1::1", 0, 0, 8192);
}

static void a_message_to_two_sessions_or_twice_to_one_is_counted_once(void **state)
{
	(void)state;
	keep(new_session(id), "m1", "192.0.2.1", 4096);
	keep(id, "m1", "192.0.2.1", 4096);
	keep(new_session(other), "m1", "192.0.2.1", 4096);
	assert_stored("192.0.2.1", 4096, 0, 4096);
}

static void a_replaced_message_gives_its_room_back(void **state)
{
	(void)state;
	keep(new_session(id), "m1", "192.0.2.1", 4096);
	keep(id, "m2", "192.0.2.2", 8192);
	forget_replaced(id);
	assert_stored("192.0.2.1", 0, 0, 8192);
	forget_replaced(id);
	assert_stored("192.0.2.2", 8192, 0, 8192);
}

static void at_expiry_all_room_is_given_back_and_no_row_stays(void **state)
{
	(void)state;
	keep(new_session(id), "m1", "192.0.2.1", 4096);
	keep(new_session(other), "m2", "2001:db8::1", 4096);
	expire_all();
	assert_stored("192.0.2.1", 0, 0, 0);
	assert_int_equal(sql("SELECT count(*) FROM stored_mail"), 0);
	assert_int_equal(sql("SELECT count(*) FROM stored_mail_sums"), 0);
}

static void room_of_mail_removed_by_another_program_is_given_back_later(void **state)
{
	(void)state;
	keep(new_session(id), "m1", "192.0.2.1", 4096);
	sql("DELETE FROM tester_messages");
	expire_all();
	assert_int_equal(eds_store_stored_mail_expire(&event, open_store()), RT_OK);
	assert_stored("192.0.2.1", 4096, 0, 4096);
	sql("UPDATE stored_mail SET kept_until_ms = kept_until_ms - 49 * 3600 * 1000");
	assert_int_equal(eds_store_stored_mail_expire(&event, open_store()), RT_OK);
	assert_stored("192.0.2.1", 0, 0, 0);
}

static void a_dropped_message_is_remembered_and_takes_no_room(void **state)
{
	bool dropped = true;

	(void)state;
	assert_int_equal(eds_store_mail_was_dropped(&event, open_store(), "m1", &dropped), RT_OK);
	assert_false(dropped);
	assert_int_equal(eds_store_mail_drop(&event, open_store(), "m1"), RT_OK);
	assert_int_equal(eds_store_mail_was_dropped(&event, open_store(), "m1", &dropped), RT_OK);
	assert_true(dropped);
	assert_stored("192.0.2.1", 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_message_counts_in_whole_blocks_for_its_network_and_the_total,
			empty_database),
		cmocka_unit_test_setup(
			a_message_over_ipv6_is_counted_for_its_64_and_its_48, empty_database),
		cmocka_unit_test_setup(
			a_message_to_two_sessions_or_twice_to_one_is_counted_once, empty_database),
		cmocka_unit_test_setup(a_replaced_message_gives_its_room_back, empty_database),
		cmocka_unit_test_setup(
			at_expiry_all_room_is_given_back_and_no_row_stays, empty_database),
		cmocka_unit_test_setup(room_of_mail_removed_by_another_program_is_given_back_later,
			empty_database),
		cmocka_unit_test_setup(
			a_dropped_message_is_remembered_and_takes_no_room, empty_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
