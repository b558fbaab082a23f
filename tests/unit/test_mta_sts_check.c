/* Checks of MTA-STS that end before their servers have answered. tests/e2e/mta-sts-check.test.mjs
 * tests servers that answer. */
#include "runtime/time.h"
#include "tests/support/test-event.h"

#include "functions/lib/mta-sts/check.h"
#include "functions/lib/store/mta-sts/mta-sts.h"
#include "runtime/config/config.h"
#include "tests/support/dnsd-process.h"

enum { CHECKS = 3 };

static struct dnsd dnsd;

static void count_done(void *arg, struct eds_check *check)
{
	int *done = arg;

	(void)check;
	(*done)++;
}

static struct eds_checks *start_checks(struct eds_check *checks, size_t count, int *done)
{
	static const struct eds_mta_sts config = {
		.name = "example.com", .enabled = true, .mode = EDS_POLICY_TESTING};
	struct eds_checks *all;

	assert_int_equal(eds_checks_new(&test_event, NULL, &all), RT_OK);
	for (size_t i = 0; i < count; i++) {
		checks[i] = (struct eds_check){
			.ctx = &test_event, .config = &config, .done = count_done, .arg = done};
		eds_checks_start(all, &checks[i]);
	}
	return all;
}

static void canceled_checks_all_end_without_a_result(void **state)
{
	struct eds_check checks[CHECKS];
	int done = 0;
	struct eds_checks *all = start_checks(checks, CHECKS, &done);

	(void)state;
	eds_checks_turn(all, 50);
	assert_int_equal(eds_checks_count(all), 3);
	assert_int_equal(done, 0);
	eds_checks_cancel(all);
	assert_int_equal(eds_checks_count(all), 0);
	assert_int_equal(done, 3);
	for (size_t i = 0; i < CHECKS; i++)
		assert_true(checks[i].seen.temporary);
}

static void canceling_a_single_check_takes_effect_at_once(void **state)
{
	struct eds_check check;
	int done = 0;
	struct eds_checks *all = start_checks(&check, 1, &done);
	int64_t began_ms = rt_monotonic_ms();

	(void)state;
	eds_checks_cancel(all);
	assert_int_equal(done, 1);
	assert_true(rt_monotonic_ms() - began_ms < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(canceled_checks_all_end_without_a_result),
		TEST(canceling_a_single_check_takes_effect_at_once),
	};
	int failed;

	dnsd_start(&dnsd, "* !drop\n");
	rt_config_require();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	dnsd_stop(&dnsd);
	return failed;
}
