/* What the answer of a job shows: whether its run succeeded, and its numbers. */
#include "runtime/host/job-answer.h"
#include "runtime/host/metrics.h"
#include "tests/support/test-event.h"

static const struct manifest_function job = {.name = "a-job", .schedule = "rate(1 minute)"};
static struct job_numbers numbers;

static bool is_done(const char *answer)
{
	return job_is_done(answer, strlen(answer));
}

static void succeed(const struct manifest_function *function, const char *answer)
{
	job_succeeded(&numbers, function, answer, strlen(answer));
}

static const char *written(void)
{
	struct rt_buffer text;

	rt_buffer_init(&text, &test_event, 64 * 1024);
	metrics_write(&text);
	rt_buffer_add(&text, "", 1);
	return text.bytes;
}

static bool shows(const char *function, const char *number, int value)
{
	const char *line = rt_printf(&test_event,
		"eds_schedule_answer{function=\"%s\",number=\"%s\"} %d\n", function, number, value);

	return strstr(written(), line) != NULL;
}

static void an_answer_without_a_failure_is_done(void **state)
{
	(void)state;
	assert_true(is_done("{}"));
	assert_true(is_done("{\"checked\":1}"));
	assert_true(is_done("{\"batchItemFailures\":[]}"));
	assert_true(is_done("{\"text\":\"a\\u0000b\"}"));
	assert_false(is_done("{\"batchItemFailures\":[{\"itemIdentifier\":\"1\"}]}"));
	assert_false(is_done("{\"errorType\":\"temporary\"}"));
	assert_false(is_done("[]"));
	assert_false(is_done("7"));
	assert_false(is_done(""));
	assert_false(is_done("{"));
}

static void the_numbers_of_the_latest_run_are_shown(void **state)
{
	(void)state;
	succeed(&job, "{\"checked\":12,\"failed\":0,\"word\":\"x\",\"share\":0.5,\"below\":-1}");
	assert_true(shows("a-job", "checked", 12));
	assert_true(shows("a-job", "failed", 0));
	assert_null(strstr(written(), "number=\"word\""));
	assert_null(strstr(written(), "number=\"share\""));
	assert_null(strstr(written(), "number=\"below\""));
	succeed(&job, "{\"failed\":3}");
	assert_true(shows("a-job", "checked", 0));
	assert_true(shows("a-job", "failed", 3));
	succeed(&job, "no JSON");
	assert_true(shows("a-job", "failed", 0));
}

static void sixteen_numbers_of_a_job_are_shown(void **state)
{
	static const struct manifest_function talkative = {
		.name = "talkative", .schedule = "rate(1 minute)"};
	const char *answer = "";
	struct job_numbers own = {.count = 0};

	(void)state;
	for (int i = 0; i < 17; i++)
		answer = rt_printf(
			&test_event, "%s%s\"n%d\":%d", answer, i > 0 ? "," : "", i, i + 1);
	answer = rt_printf(&test_event, "{%s}", answer);
	job_succeeded(&own, &talkative, answer, strlen(answer));
	assert_int_equal(own.count, 16);
	assert_true(shows("talkative", "n0", 1));
	assert_true(shows("talkative", "n15", 16));
	assert_null(strstr(written(), "number=\"n16\""));
}

static void the_time_of_a_success_is_shown_in_seconds(void **state)
{
	static const char name[] =
		"eds_schedule_last_success_timestamp_seconds{function=\"a-job\"} ";
	long long shown;

	(void)state;
	job_succeeded_at(&job, 1769903999999);
	assert_non_null(strstr(written(), rt_printf(&test_event, "%s1769903999\n", name)));
	succeed(&job, "{}");
	shown = strtoll(strstr(written(), name) + strlen(name), NULL, 10);
	assert_in_range(shown, rt_wall_ms() / 1000 - 10, rt_wall_ms() / 1000);
}

static void a_function_without_a_schedule_shows_nothing(void **state)
{
	static const struct manifest_function other = {.name = "other"};

	(void)state;
	succeed(&other, "{\"checked\":12}");
	assert_null(strstr(written(), "\"other\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_answer_without_a_failure_is_done),
		TEST(the_numbers_of_the_latest_run_are_shown),
		TEST(sixteen_numbers_of_a_job_are_shown),
		TEST(the_time_of_a_success_is_shown_in_seconds),
		TEST(a_function_without_a_schedule_shows_nothing),
	};

	return cmocka_run_group_tests_name("job-answer", tests, NULL, NULL);
}
