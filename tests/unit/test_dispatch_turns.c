/* Dispatch: functions and clients take turns at the handlers. */
#include "local/dispatch/dispatch.h"
#include "tests/unit/dispatch_fixture.h"

static void one_slow_function_does_not_hold_up_another(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 9; i++)
		add_message(fixture, "id-slow", "tester");
	stays_at(fixture, 2);
	add_message(fixture, "id-other", "reports");
	stays_at(fixture, 3);
	assert_string_equal(submitted[2].function->name, "reports");
	answer(0, POOL_ANSWERED, "{}");
	stays_at(fixture, 4);
	answer_all(fixture, 1, 10);
}

static void a_client_takes_at_most_half_of_the_free_handlers_rounded_up(void **state)
{
	static const char *const clients[] = {"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"};
	static const size_t held[] = {4, 6, 7, 8};
	struct fixture *fixture = *state;

	stop(fixture);
	fixture->manifest.functions[0].handlers = 8;
	start(fixture);
	for (size_t client = 0; client < sizeof held / sizeof *held; client++) {
		for (int i = 0; i < 9; i++)
			add_message_of(fixture, clients[client], "id-slow", "tester");
		stays_at(fixture, held[client]);
	}
	answer_all(fixture, 0, 36);
}

static void clients_take_turns_and_each_keeps_its_order(void **state)
{
	static const char *const expected[] = {"a1", "b1", "a2", "c1", "b2", "a3", "a4"};
	struct fixture *fixture = *state;

	stop(fixture);
	fixture->manifest.functions[0].handlers = 1;
	start(fixture);
	add_message_of(fixture, "192.0.2.1", "a1", "tester");
	add_message_of(fixture, "2001:db8::1", "b1", "tester");
	add_message_of(fixture, "192.0.2.1", "a2", "tester");
	add_message_of(fixture, "192.0.2.1", "a3", "tester");
	add_message_of(fixture, "192.0.2.1", "a4", "tester");
	add_message_of(fixture, "2001:db8::2:1", "b2", "tester"); /* in the same /64 as b1 */
	add_message_of(fixture, "2001:db8:0:1::1", "c1", "tester");
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		run_until(fixture, i + 1);
		assert_string_equal(submitted_id(i), expected[i]);
		answer(i, POOL_ANSWERED, "{}");
	}
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void mail_of_unknown_clients_shares_the_turn_of_one_client(void **state)
{
	struct fixture *fixture = *state;

	add_message_of(fixture, "", "u1", "tester");
	add_message_of(fixture, "no address", "u2", "tester");
	add_message_of(fixture, "", "u3", "tester");
	stays_at(fixture, 2);
	add_message_of(fixture, "192.0.2.1", "a1", "tester");
	stays_at(fixture, 3);
	assert_string_equal(submitted_id(2), "a1");
	answer_all(fixture, 0, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH(one_slow_function_does_not_hold_up_another),
		DISPATCH(a_client_takes_at_most_half_of_the_free_handlers_rounded_up),
		DISPATCH(clients_take_turns_and_each_keeps_its_order),
		DISPATCH(mail_of_unknown_clients_shares_the_turn_of_one_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
