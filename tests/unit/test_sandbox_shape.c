/* The child that verifies a message also finds its shape, as its last step, so that a fault there
 * affects only the shape. */
#include "runtime/time.h"
#include "tests/unit/newsletter.h"
#include "tests/unit/sandbox_fixture.h"

static void verify_with_shape(const char *behavior, struct eds_verify_output *output)
{
	struct eds_verify_input input = input_for(behavior);

	input.shape = true;
	assert_int_equal(eds_verify(&ctx, &dns, &input, output), RT_OK);
	assert_int_equal(ctx.failure.category, RT_OK);
}

static void assert_only_shape_lost(const char *behavior, const char *what)
{
	struct eds_verify_output output;

	verify_with_shape(behavior, &output);
	assert_honest(&output);
	assert_non_null(strstr(output.shape.failure, what));
	assert_int_equal(output.shape.part_count, 0);
	assert_unharmed();
}

static void an_honest_child_reports_the_shape(void **state)
{
	struct eds_verify_output output;

	(void)state;
	verify_with_shape("honest", &output);
	assert_honest(&output);
	assert_string_equal(output.shape.failure, "");
	assert_int_equal(output.shape.part_count, 1);
	assert_string_equal(output.shape.parts[0].type, "text/plain");
}

static void a_child_that_misbehaves_over_the_shape_loses_the_shape_alone(void **state)
{
	(void)state;
	assert_only_shape_lost("leave-in-shape", "ended before it was complete");
	assert_only_shape_lost("hang-in-shape", "took too long");
	assert_only_shape_lost("repeat-dkim-in-shape", "makes no sense");
	assert_only_shape_lost("say-an-impossible-level", "makes no sense");
}

static void a_child_that_crashes_over_the_shape_loses_the_shape_alone(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_only_shape_lost("crash-in-shape", "ended before it was complete");
	verify_with_shape("crash-in-shape", &output);
	/* the name of the signal is for the log, not for users */
	assert_string_equal(output.crash, "Segmentation fault");
}

/* A forbidden call while the shape is found is a fault of our code: it is logged, and the child's
 * other results stay valid. */
static void a_child_killed_by_its_filter_over_the_shape_loses_the_shape_alone(void **state)
{
	(void)state;
	assert_only_shape_lost("open-file-in-shape", "is not available");
}

static void after_an_earlier_crash_another_child_finds_the_shape(void **state)
{
	struct eds_verify_output output;

	(void)state;
	verify_with_shape("crash-in-dkim-alone", &output);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_non_null(strstr(output.dkim.failure, "ended before it was complete"));
	assert_int_equal(output.shape.part_count, 1);
	verify_with_shape("crash-in-spf", &output);
	assert_int_equal(output.spf.code, EDS_SPF_TEMPERROR);
	assert_int_equal(output.dkim.count, 1);
	assert_int_equal(output.shape.part_count, 1);
	verify_with_shape("crash", &output);
	assert_int_equal(output.spf.code, EDS_SPF_TEMPERROR);
	assert_non_null(strstr(output.dkim.failure, "ended before it was complete"));
	assert_non_null(strstr(output.shape.failure, "ended before it was complete"));
	assert_unharmed();
}

/* The shape gives no points, so it may take only two seconds of the event's time. */
static void finding_the_shape_takes_two_seconds_at_most(void **state)
{
	int64_t begin_ms = rt_monotonic_ms();
	int64_t deadline_ms = ctx.deadline_ms;

	(void)state;
	spec.silence_ms = EVENT_MS;
	assert_only_shape_lost("hang-in-shape", "took too long");
	assert_true(rt_monotonic_ms() - begin_ms >= 1900);
	assert_true(rt_monotonic_ms() - begin_ms < EVENT_MS - 1000);
	assert_int_equal(ctx.deadline_ms, deadline_ms);
}

static void the_real_program_finds_the_shape_under_its_filter(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("helo.example");

	(void)state;
	spec.path = verifier_path;
	spec.silence_ms = EVENT_MS;
	input.client.family = 0;
	input.shape = true;
	input.message_bytes = strlen(NEWSLETTER);
	assert_int_equal(pwrite(message_fd, NEWSLETTER, input.message_bytes, 0),
		(ssize_t)input.message_bytes);
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_string_equal(output.dkim.failure, "");
	assert_string_equal(output.shape.failure, "");
	assert_int_equal(output.shape.part_count, 6);
	assert_int_equal(output.shape.links, 4);
	assert_string_equal(output.shape.parts[4].file, "offer.pdf");
}

/* A caller that does not ask for the shape gets none, and no child looks for it. */
static void a_shape_that_was_not_asked_for_is_not_searched(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("crash-in-shape", &output), RT_OK);
	assert_honest(&output);
	assert_string_equal(output.crash, "");
	assert_int_equal(output.shape.part_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_honest_child_reports_the_shape),
		TEST(a_child_that_misbehaves_over_the_shape_loses_the_shape_alone),
		TEST(finding_the_shape_takes_two_seconds_at_most),
		TEST(the_real_program_finds_the_shape_under_its_filter),
		TEST(a_shape_that_was_not_asked_for_is_not_searched),
	};
	const struct CMUnitTest confined_tests[] = {
		TEST(a_child_that_crashes_over_the_shape_loses_the_shape_alone),
		TEST(a_child_killed_by_its_filter_over_the_shape_loses_the_shape_alone),
		TEST(after_an_earlier_crash_another_child_finds_the_shape),
	};
	int failed;

	find_helpers();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (confined)
		failed += cmocka_run_group_tests(confined_tests, NULL, NULL);
	return failed;
}
