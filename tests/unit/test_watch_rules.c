/* The conditions under which DMARC reports cause an alert. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions/reports/watch/watch-rules.h"

enum { TODAY = 20000, ROOM = 40 };

static struct eds_report_sum days[ROOM];
static size_t count;

static int begin(void **state)
{
	(void)state;
	count = 0;
	return 0;
}

static void reported(int ago, int64_t passed, int64_t failed, int64_t forwarded)
{
	days[count++] = (struct eds_report_sum){.key = "",
		.passed = passed,
		.failed = failed,
		.forwarded = forwarded,
		.first_day = TODAY - ago,
		.last_day = TODAY - ago};
}

/* Adds 14 days, from 15 to 2 days ago, each with 100 messages of which five fail. */
static void two_weeks(void)
{
	for (int ago = 15; ago >= 2; ago--)
		reported(ago, 95, 5, 0);
}

static enum report_watch_verdict failures(void)
{
	return report_watch_failures(days, count, TODAY, -1).verdict;
}

static enum report_watch_verdict stopped(void)
{
	int64_t latest;

	return report_watch_stopped(days, count, TODAY, &latest);
}

static void a_share_of_failures_doubled_and_five_points_higher_is_a_rise(void **state)
{
	struct report_watch_rise rise;

	(void)state;
	two_weeks();
	reported(1, 180, 20, 0);
	rise = report_watch_failures(days, count, TODAY, -1);
	assert_int_equal(rise.verdict, REPORT_WATCH_TROUBLE);
	assert_int_equal(rise.day, 19999);
	assert_int_equal(rise.failed, 20);
	assert_int_equal(rise.share, 1000);
	assert_int_equal(rise.share_before, 500);
}

static void one_failing_message_fewer_is_not_a_rise(void **state)
{
	(void)state;
	two_weeks();
	reported(1, 901, 99, 0);
	assert_int_equal(failures(), REPORT_WATCH_WELL);
}

static void five_points_more_without_a_doubling_are_not_a_rise(void **state)
{
	(void)state;
	reported(3, 800, 200, 0);
	reported(1, 740, 260, 0);
	assert_int_equal(failures(), REPORT_WATCH_WELL);
}

static void a_doubling_of_less_than_five_points_is_not_a_rise(void **state)
{
	(void)state;
	reported(3, 990, 10, 0);
	reported(1, 941, 59, 0);
	assert_int_equal(failures(), REPORT_WATCH_WELL);
}

static void nineteen_messages_decide_nothing_about_a_rise(void **state)
{
	(void)state;
	two_weeks();
	reported(1, 1, 19, 0);
	assert_int_equal(failures(), REPORT_WATCH_UNKNOWN);
}

static void forwarded_messages_and_today_are_left_out(void **state)
{
	(void)state;
	two_weeks();
	reported(1, 95, 5, 100000);
	reported(0, 0, 1000, 0);
	assert_int_equal(failures(), REPORT_WATCH_WELL);
}

static enum report_watch_verdict failures_since(int risen_from)
{
	return report_watch_failures(days, count, TODAY, risen_from).verdict;
}

static void a_rise_that_lasts_for_weeks_is_not_over(void **state)
{
	(void)state;
	for (int ago = 15; ago >= 1; ago--)
		reported(ago, 60, 40, 0);
	assert_int_equal(failures(), REPORT_WATCH_WELL);
	assert_int_equal(failures_since(500), REPORT_WATCH_TROUBLE);
	assert_int_equal(failures_since(2001), REPORT_WATCH_WELL);
}

static void a_day_of_few_messages_does_not_end_a_rise(void **state)
{
	(void)state;
	two_weeks();
	reported(1, 19, 0, 0);
	assert_int_equal(failures_since(0), REPORT_WATCH_UNKNOWN);
	days[count - 1].passed = 20;
	assert_int_equal(failures_since(0), REPORT_WATCH_WELL);
}

static void a_weekly_summary_compares_the_last_seven_days_with_the_seven_before(void **state)
{
	struct eds_report_week week;

	(void)state;
	reported(15, 1000, 1000, 0);
	reported(14, 10, 1, 5);
	reported(8, 20, 2, 5);
	reported(7, 100, 30, 7);
	reported(1, 200, 40, 8);
	reported(0, 1000, 1000, 0);
	week = report_watch_week(days, count, TODAY);
	assert_int_equal(week.day, 20000);
	assert_int_equal(week.passed, 300);
	assert_int_equal(week.forwarded, 15);
	assert_int_equal(week.failed, 70);
	assert_int_equal(week.earlier_judged, 33);
	assert_int_equal(week.earlier_failed, 3);
}

static void a_day_is_judged_from_the_next_noon_on(void **state)
{
	(void)state;
	assert_int_equal(report_watch_today(INT64_C(1769687999999)), 20481);
	assert_int_equal(report_watch_today(INT64_C(1769688000000)), 20482);
}

static void without_earlier_days_there_is_no_rise(void **state)
{
	(void)state;
	assert_int_equal(failures(), REPORT_WATCH_UNKNOWN);
	reported(16, 1000, 0, 0);
	reported(1, 0, 1000, 0);
	assert_int_equal(failures(), REPORT_WATCH_UNKNOWN);
}

static void sums_at_their_maximum_are_compared(void **state)
{
	(void)state;
	reported(2, INT64_MAX, 0, 0);
	reported(1, INT64_MAX, INT64_MAX, 0);
	assert_int_equal(failures(), REPORT_WATCH_TROUBLE);
}

static void three_days_without_reports_after_eight_of_fourteen_are_trouble(void **state)
{
	int64_t latest;

	(void)state;
	for (int ago = 12; ago >= 5; ago--)
		reported(ago, 1, 0, 0);
	assert_int_equal(report_watch_stopped(days, count, TODAY, &latest), REPORT_WATCH_TROUBLE);
	assert_int_equal(latest, 19995);
}

static void two_days_without_reports_are_no_trouble(void **state)
{
	(void)state;
	for (int ago = 15; ago >= 4; ago--)
		reported(ago, 1, 0, 0);
	assert_int_equal(stopped(), REPORT_WATCH_WELL);
}

static void missing_reports_are_no_trouble_after_reports_on_half_of_the_days(void **state)
{
	(void)state;
	for (int ago = 18; ago >= 5; ago -= 2)
		reported(ago, 1, 0, 0);
	assert_int_equal(stopped(), REPORT_WATCH_UNKNOWN);
}

static void weeks_without_reports_are_no_recovery_but_one_report_is(void **state)
{
	(void)state;
	for (int ago = 39; ago >= 19; ago--)
		reported(ago, 1, 0, 0);
	assert_int_equal(stopped(), REPORT_WATCH_UNKNOWN);
	reported(1, 0, 0, 1);
	assert_int_equal(stopped(), REPORT_WATCH_WELL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_share_of_failures_doubled_and_five_points_higher_is_a_rise, begin),
		cmocka_unit_test_setup(one_failing_message_fewer_is_not_a_rise, begin),
		cmocka_unit_test_setup(five_points_more_without_a_doubling_are_not_a_rise, begin),
		cmocka_unit_test_setup(a_doubling_of_less_than_five_points_is_not_a_rise, begin),
		cmocka_unit_test_setup(nineteen_messages_decide_nothing_about_a_rise, begin),
		cmocka_unit_test_setup(forwarded_messages_and_today_are_left_out, begin),
		cmocka_unit_test_setup(a_rise_that_lasts_for_weeks_is_not_over, begin),
		cmocka_unit_test_setup(a_day_of_few_messages_does_not_end_a_rise, begin),
		cmocka_unit_test_setup(
			a_weekly_summary_compares_the_last_seven_days_with_the_seven_before, begin),
		cmocka_unit_test(a_day_is_judged_from_the_next_noon_on),
		cmocka_unit_test_setup(without_earlier_days_there_is_no_rise, begin),
		cmocka_unit_test_setup(sums_at_their_maximum_are_compared, begin),
		cmocka_unit_test_setup(
			three_days_without_reports_after_eight_of_fourteen_are_trouble, begin),
		cmocka_unit_test_setup(two_days_without_reports_are_no_trouble, begin),
		cmocka_unit_test_setup(
			missing_reports_are_no_trouble_after_reports_on_half_of_the_days, begin),
		cmocka_unit_test_setup(
			weeks_without_reports_are_no_recovery_but_one_report_is, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
