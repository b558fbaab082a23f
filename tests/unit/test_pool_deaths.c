/* What the death of a handler means for the events that it had: those that it had begun are lost, and
 * the others are answered by another handler. */
#include "runtime/host/pool/pool-ahead.h"
#include "tests/support/quick-pool.h"

static void a_handler_that_dies_loses_only_the_event_in_work(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	warm(fixture, 1);
	submit(fixture, 1, 1, "");
	submit(fixture, 1, 2, ",\"die\":true");
	submit(fixture, 1, 3, "");
	submit(fixture, 1, 4, "");
	assert_int_equal(count_behind(fixture), 3);
	for (int i = 1; i <= 4; i++)
		await(fixture, i);
	assert_int_equal(outcomes[1].outcome, POOL_ANSWERED);
	assert_int_equal(outcomes[2].outcome, POOL_CRASHED);
	assert_int_equal(outcomes[3].outcome, POOL_ANSWERED);
	assert_int_equal(outcomes[4].outcome, POOL_ANSWERED);
	for (int i = 1; i <= 4; i++) {
		assert_int_equal(outcomes[i].told, 1);
		assert_int_equal(runs_of(i), 1);
	}
}

static void a_timeout_of_one_event_costs_none_of_the_others(void **state)
{
	struct fixture *fixture = *state;

	pools_bound(fixture->pools, 1, 20);
	fixture->manifest->functions[0].timeout_ms = 300;
	warm(fixture, 1);
	submit(fixture, 1, 1, ",\"nap\":9000");
	submit(fixture, 1, 2, "");
	submit(fixture, 1, 3, "");
	await(fixture, 1);
	assert_int_equal(outcomes[1].outcome, POOL_TIMED_OUT);
	assert_answered(fixture, 2);
	assert_answered(fixture, 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_handler_that_dies_loses_only_the_event_in_work),
		TEST(a_timeout_of_one_event_costs_none_of_the_others),
	};

	quick_pool_acts(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
