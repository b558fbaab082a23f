/* The times at which weekly summaries are made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions/lib/store/alerts/alert-summary.h"

/* Monday, 2026-01-05 at 07:00 UTC. */
static const int64_t MONDAY_MS = INT64_C(1767596400000);
static const int64_t WEEK_MS = INT64_C(604800000);

static void summaries_are_made_on_mondays_at_seven(void **state)
{
	(void)state;
	assert_int_equal(eds_summary_next_ms(MONDAY_MS - 1), MONDAY_MS);
	assert_int_equal(eds_summary_next_ms(MONDAY_MS - WEEK_MS), MONDAY_MS);
	assert_int_equal(eds_summary_next_ms(MONDAY_MS - WEEK_MS / 2), MONDAY_MS);
	assert_int_equal(eds_summary_next_ms(MONDAY_MS), MONDAY_MS + WEEK_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summaries_are_made_on_mondays_at_seven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
