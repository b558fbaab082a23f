/* The time that an SMTP client has for a message: the octets that it must send per second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>

#include "local/smtp/smtp-clock.h"
#include "runtime/ctx.h"
#include "runtime/time.h"

#define HOUR_MS (3600 * 1000)
#define MIB (1024 * 1024)

static struct smtp_clock clock;

static int setup(void **state)
{
	static const struct smtp_clocks allowed = {
		.command_ms = HOUR_MS, .session_ms = HOUR_MS, .data_ms = HOUR_MS};

	(void)state;
	smtp_clock_start(&clock, &allowed);
	return 0;
}

/* The number of ms by which the deadline moves when these octets arrive and the server already
 * holds `held` octets of the message. */
static int64_t bought_ms(size_t octets, size_t held)
{
	int64_t until_ms = rt_monotonic_ms();

	clock.data_until_ms = until_ms;
	smtp_clock_extend(&clock, octets, held);
	return clock.data_until_ms - until_ms;
}

static void a_small_message_may_arrive_at_500_octets_per_second(void **state)
{
	(void)state;
	assert_int_equal(bought_ms(500, 0), 1000);
	assert_int_equal(bought_ms(50, 0), 100);
	assert_int_equal(bought_ms(5000, 511), 10000);
}

/* If the required rate did not grow, a client that has sent much could hold that memory for hours
 * by sending an octet now and then. */
static void the_more_memory_is_held_the_faster_the_rest_must_arrive(void **state)
{
	(void)state;
	assert_int_equal(bought_ms(2548, MIB), 1000);
	assert_int_equal(bought_ms(16884, 8 * MIB), 1000);
	assert_int_equal(bought_ms(31220, 15 * MIB), 1000);
}

static void received_octets_never_extend_the_time_beyond_the_first_limit(void **state)
{
	int64_t before_ms = rt_monotonic_ms();

	(void)state;
	clock.data_until_ms = before_ms + HOUR_MS - 1000;
	smtp_clock_extend(&clock, MIB, 0);
	assert_true(clock.data_until_ms >= before_ms + HOUR_MS);
	assert_true(clock.data_until_ms <= rt_monotonic_ms() + HOUR_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_small_message_may_arrive_at_500_octets_per_second, setup),
		cmocka_unit_test_setup(
			the_more_memory_is_held_the_faster_the_rest_must_arrive, setup),
		cmocka_unit_test_setup(
			received_octets_never_extend_the_time_beyond_the_first_limit, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
