/* The time when a checked domain is due again. */
#include "functions/lib/mta-sts/cadence.h"
#include "tests/support/test-event.h"

enum {
	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
	NOW_MS = 1000000,
};

static void pauses_grow_with_the_time_since_the_change(void **state)
{
	static const struct {
		bool enabled;
		bool in_order;
		int64_t age_ms;
		int64_t pause_ms;
	} cases[] = {
		{true, false, 0, MINUTE_MS},
		{true, false, HOUR_MS - 1, MINUTE_MS},
		{true, false, HOUR_MS, 10 * MINUTE_MS},
		{true, false, DAY_MS - 1, 10 * MINUTE_MS},
		{true, false, DAY_MS, HOUR_MS},
		{true, true, 0, HOUR_MS},
		{true, true, DAY_MS, HOUR_MS},
		{true, false, -5000, MINUTE_MS}, /* the clock was set back */
		{false, false, 0, DAY_MS},
		{false, true, 0, DAY_MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(eds_mta_sts_next_check_ms(cases[i].enabled, cases[i].in_order,
					 1000000, 1000000 + cases[i].age_ms),
			1000000 + cases[i].age_ms + cases[i].pause_ms - EDS_MTA_STS_EARLY_MS);
}

static struct eds_mta_sts_observed in_order(void)
{
	return (struct eds_mta_sts_observed){
		.checked_at_ms = NOW_MS, .dns_id = "1", .policy_fetched = true};
}

static struct eds_mta_sts_due checked(bool enabled)
{
	struct eds_mta_sts_due due = {
		.config = {.enabled = enabled, .policy_id = "1", .changed_at_ms = 7},
		.outcome = EDS_MTA_STS_CHECKED,
		.seen = {.checked_at_ms = NOW_MS},
	};

	due.config.observed = in_order();
	return due;
}

static void trouble_counts_as_a_change_from_the_moment_it_was_seen(void **state)
{
	struct eds_mta_sts_due due = checked(true);

	(void)state;
	eds_mta_sts_set_times(&due, NOW_MS);
	assert_int_equal(due.changed_at_ms, NOW_MS);
	assert_int_equal(due.next_at_ms, NOW_MS + MINUTE_MS - EDS_MTA_STS_EARLY_MS);
	due.seen = in_order();
	eds_mta_sts_set_times(&due, NOW_MS);
	assert_int_equal(due.changed_at_ms, 7);
	assert_int_equal(due.next_at_ms, NOW_MS + HOUR_MS - EDS_MTA_STS_EARLY_MS);
	due.seen.dns_id = "another";
	eds_mta_sts_set_times(&due, NOW_MS);
	assert_int_equal(due.changed_at_ms, NOW_MS);
}

static void a_check_without_an_answer_is_due_soon(void **state)
{
	struct eds_mta_sts_due due = checked(true);

	(void)state;
	due.outcome = EDS_MTA_STS_KEPT;
	eds_mta_sts_set_times(&due, NOW_MS);
	assert_int_equal(due.changed_at_ms, 7);
	assert_int_equal(due.next_at_ms, NOW_MS + MINUTE_MS - EDS_MTA_STS_EARLY_MS);
	due.config.enabled = false;
	eds_mta_sts_set_times(&due, NOW_MS);
	assert_int_equal(due.next_at_ms, NOW_MS + HOUR_MS - EDS_MTA_STS_EARLY_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pauses_grow_with_the_time_since_the_change),
		TEST(trouble_counts_as_a_change_from_the_moment_it_was_seen),
		TEST(a_check_without_an_answer_is_due_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
