/* The bound on the handlers of all functions together: who must give up its place, and who gets it.
 */
#include "runtime/host/pool/pool-room.h"
#include "runtime/host/pool/pool-state.h"
#include "tests/support/quick-pool.h"

enum { FUNCTIONS = 3, F = 0, G = 1, H = 2 };

/* Makes the functions f, g and h in place of the usual one; each is this program. */
static int set_up_three(void **state)
{
	static const char text[] = "{\"functions\":{"
				   "\"f\":{\"timeoutMs\":9000,\"settings\":[]},"
				   "\"g\":{\"timeoutMs\":9000,\"settings\":[]},"
				   "\"h\":{\"timeoutMs\":9000,\"settings\":[]}}}";
	char error[MANIFEST_ERROR_MAX];
	struct fixture *fixture;

	set_up(state);
	fixture = *state;
	pools_free(fixture->pools);
	manifest_free(fixture->manifest);
	assert_int_equal(link("f", "g"), 0);
	assert_int_equal(link("f", "h"), 0);
	fixture->manifest = manifest_parse(text, sizeof text - 1, fixture->folder, error);
	assert_int_equal(fixture->manifest->count, FUNCTIONS);
	fixture->pools = pools_new(fixture->base, fixture->manifest);
	return 0;
}

static int tear_down_three(void **state)
{
	unlink("g");
	unlink("h");
	return tear_down(state);
}

static void submit_to(
	struct fixture *fixture, int function, uint64_t sender, int number, const char *what)
{
	fixture->function = &fixture->manifest->functions[function];
	submit(fixture, sender, number, what);
}

static size_t handlers_of(const struct fixture *fixture, int function)
{
	const struct pool *pool = &fixture->pools->items[function];
	size_t count = 0;

	for (size_t i = 0; i < MANIFEST_HANDLERS_MAX; i++)
		count += pool->handlers[i].process.pid != 0;
	return count;
}

static void assert_handlers(const struct fixture *fixture, size_t f, size_t g, size_t h)
{
	assert_int_equal(handlers_of(fixture, F), f);
	assert_int_equal(handlers_of(fixture, G), g);
	assert_int_equal(handlers_of(fixture, H), h);
	assert_int_equal(fixture->pools->running, f + g + h);
}

static void without_a_bound_each_function_keeps_its_handlers(void **state)
{
	struct fixture *fixture = *state;

	for (int i = F; i <= H; i++) {
		submit_to(fixture, i, 1, i, "");
		assert_answered(fixture, i);
	}
	assert_handlers(fixture, 1, 1, 1);
}

static void an_idle_handler_gives_its_place_to_another_function(void **state)
{
	struct fixture *fixture = *state;

	pools_bound_all(fixture->pools, 1);
	submit_to(fixture, F, 1, 1, "");
	assert_answered(fixture, 1);
	assert_handlers(fixture, 1, 0, 0);
	submit_to(fixture, G, 1, 2, "");
	assert_handlers(fixture, 0, 1, 0);
	assert_answered(fixture, 2);
	submit_to(fixture, G, 1, 3, ""); /* it serves its own function again */
	assert_answered(fixture, 3);
	assert_handlers(fixture, 0, 1, 0);
}

static void the_handler_that_is_idle_longest_gives_its_place(void **state)
{
	static const struct {
		int first, second;
		size_t f, g;
	} cases[] = {{F, G, 0, 1}, {G, F, 1, 0}};
	struct fixture *fixture = *state;

	pools_bound_all(fixture->pools, 2);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		memset(outcomes, 0, sizeof outcomes);
		submit_to(fixture, cases[i].first, 1, 1, "");
		assert_answered(fixture, 1);
		usleep(2000); /* the times of two answers must differ */
		submit_to(fixture, cases[i].second, 1, 2, "");
		assert_answered(fixture, 2);
		submit_to(fixture, H, 1, 3, "");
		assert_answered(fixture, 3);
		assert_handlers(fixture, cases[i].f, cases[i].g, 1);
	}
}

static void a_busy_handler_keeps_its_place_and_a_function_without_one_is_next(void **state)
{
	struct fixture *fixture = *state;

	pools_bound_all(fixture->pools, 1);
	submit_to(fixture, F, 1, 1, ",\"nap\":100");
	submit_to(fixture, F, 2, 2, "");
	submit_to(fixture, G, 3, 3, "");
	submit_to(fixture, F, 1, 4, "");
	assert_handlers(fixture, 1, 0, 0);
	for (int i = 1; i <= 4; i++)
		assert_answered(fixture, i);
	assert_int_equal(outcomes[1].turn, 1);
	assert_int_equal(outcomes[3].turn, 2);
	for (int i = 1; i <= 4; i++)
		assert_int_equal(runs_of(i), 1);
	assert_int_equal(fixture->pools->running, 1);
}

static void two_functions_that_wait_both_get_a_place(void **state)
{
	struct fixture *fixture = *state;

	pools_bound_all(fixture->pools, 1);
	submit_to(fixture, F, 1, 1, ",\"nap\":50");
	submit_to(fixture, G, 2, 2, ",\"nap\":50");
	submit_to(fixture, H, 3, 3, "");
	submit_to(fixture, F, 4, 4, "");
	for (int i = 1; i <= 4; i++)
		assert_answered(fixture, i);
	assert_int_equal(fixture->pools->running, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define ROOM(name) cmocka_unit_test_setup_teardown(name, set_up_three, tear_down_three)
		ROOM(without_a_bound_each_function_keeps_its_handlers),
		ROOM(an_idle_handler_gives_its_place_to_another_function),
		ROOM(the_handler_that_is_idle_longest_gives_its_place),
		ROOM(a_busy_handler_keeps_its_place_and_a_function_without_one_is_next),
		ROOM(two_functions_that_wait_both_get_a_place),
	};

	quick_pool_acts(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
