/* The metrics of a host, as Prometheus reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runtime/host/metrics.h"
#include "runtime/host/pool/counted.h"

static struct rt_buffer text;

static const char *written(void)
{
	rt_buffer_clear(&text);
	metrics_write(&text);
	rt_buffer_add(&text, "", 1);
	return text.bytes;
}

static void assert_written(const char *expected)
{
	if (strstr(written(), expected) == NULL)
		fail_msg("not written: %s in %s", expected, text.bytes);
}

/* A bucket counts all observations up to its time, so it includes those of the buckets before
 * it. */
static void a_bucket_of_a_histogram_counts_all_observations_up_to_its_bound(void **state)
{
	struct metric *metric = metric_histogram("test_seconds", "How long.", "");

	(void)state;
	assert_written("# HELP test_seconds How long.\n# TYPE test_seconds histogram\n"
		       "test_seconds_bucket{le=\"0.0005\"} 0\n");
	metric_observe(metric, 0.0005);
	metric_observe(metric, 0.7);
	metric_observe(metric, 0.75);
	metric_observe(metric, 31);
	assert_written("test_seconds_bucket{le=\"0.0005\"} 1\n"
		       "test_seconds_bucket{le=\"0.001\"} 1\n");
	assert_written("test_seconds_bucket{le=\"0.5\"} 1\n"
		       "test_seconds_bucket{le=\"1\"} 3\n");
	assert_written("test_seconds_bucket{le=\"30\"} 3\n"
		       "test_seconds_bucket{le=\"+Inf\"} 4\n"
		       "test_seconds_sum 32.450500\ntest_seconds_count 4\n");
}

static void the_labels_of_a_histogram_are_written_beside_the_bound(void **state)
{
	(void)state;
	metric_observe(
		metric_histogram("test_named_seconds", "How long.", "function=\"act\""), 0.002);
	assert_written("test_named_seconds_bucket{function=\"act\",le=\"0.001\"} 0\n"
		       "test_named_seconds_bucket{function=\"act\",le=\"0.0025\"} 1\n");
	assert_written("test_named_seconds_sum{function=\"act\"} 0.002000\n"
		       "test_named_seconds_count{function=\"act\"} 1\n");
}

static void the_metrics_of_a_family_are_written_together_below_one_head(void **state)
{
	(void)state;
	metric_add(metric_counter("test_total", "Done.", "function=\"a\""), 2);
	metric_set(metric_gauge("test_open", "Open.", ""), 7);
	metric_add(metric_counter("test_total", "Done.", "function=\"b\""), 1);
	metric_add(metric_counter("test_total", "Done.", "function=\"a\""), 3);
	assert_written("# HELP test_total Done.\n# TYPE test_total counter\n"
		       "test_total{function=\"a\"} 5\ntest_total{function=\"b\"} 1\n");
	assert_written("# HELP test_open Open.\n# TYPE test_open gauge\ntest_open 7\n");
}

static void counts_of_functions_are_added_up(void **state)
{
	(void)state;
	counted_add("f", "dnsAsked=3,dnsBogus=1");
	counted_add("f", "dnsAsked=2,dnsOf a later release=9,dnsTimeout,dnsBogus=4");
	assert_written("eds_dns_questions_total{function=\"f\"} 5\n");
	assert_written("eds_dns_failures_total{function=\"f\",kind=\"timeout\"} 0\n");
	assert_written("eds_dns_failures_total{function=\"f\",kind=\"bogus\"} 5\n"
		       "eds_dns_failures_total{function=\"f\",kind=\"malformed\"} 0\n");
}

static void every_count_of_functions_is_shown_by_its_family(void **state)
{
	static const char *const cases[][2] = {
		{"databaseErrors=1", "eds_database_errors_total{function=\"g\"} 1\n"},
		{"databaseRetries=2", "eds_database_retries_total{function=\"g\"} 2\n"},
		{"listRelayRefused=3",
			"eds_list_refusals_total{function=\"g\",list=\"relay\"} 3\n"},
		{"childHung=4", "eds_sandbox_deaths_total{function=\"g\",cause=\"hung\"} 4\n"},
		{"childNoHelper=5",
			"eds_sandbox_deaths_total{function=\"g\",cause=\"no-helper\"} 5\n"},
		{"sessionsCreated=6", "eds_sessions_created_total{function=\"g\"} 6\n"},
		{"sessionsCompleted=7", "eds_sessions_completed_total{function=\"g\"} 7\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		counted_add("g", cases[i][0]);
		assert_written(cases[i][1]);
	}
	rt_buffer_clear(&text);
	metrics_write(&text);
	assert_null(strstr(text.bytes, "eds_dns_questions_total{function=\"g\"}"));
}

/* Clients bring about the statuses of each function; if these filled the registry, the first 503
 * would be counted nowhere, and no alarm would fire. */
static void each_of_sixty_functions_may_have_answered_with_forty_statuses(void **state)
{
	char labels[128];

	(void)state;
	for (int function = 0; function < 60; function++)
		for (int status = 0; status < 40; status++) {
			snprintf(labels, sizeof labels, "function=\"f%d\",status=\"%d\"", function,
				400 + status);
			metric_add(metric_counter("test_answers_total", "Answers.", labels), 1);
		}
	assert_written("test_answers_total{function=\"f0\",status=\"400\"} 1\n"
		       "test_answers_total{function=\"f0\",status=\"401\"} 1\n");
	assert_written("test_answers_total{function=\"f59\",status=\"439\"} 1\n");
}

static void a_metric_whose_name_or_labels_do_not_fit_is_not_shown(void **state)
{
	char name[65];
	char labels[129];

	(void)state;
	memset(name, 'n', 64);
	memset(labels, 'l', 128);
	name[64] = labels[128] = '\0';
	metric_add(metric_counter(name, "Help.", ""), 1);
	metric_add(metric_counter("test_labels", "Help.", labels), 1);
	assert_null(strstr(written(), "nnn"));
	assert_null(strstr(written(), "test_labels"));
	name[63] = labels[127] = '\0';
	metric_add(metric_counter(name, "Help.", ""), 1);
	metric_add(metric_counter("test_labels", "Help.", labels), 1);
	assert_non_null(strstr(written(), name));
	assert_non_null(strstr(written(), labels));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bucket_of_a_histogram_counts_all_observations_up_to_its_bound),
		cmocka_unit_test(the_labels_of_a_histogram_are_written_beside_the_bound),
		cmocka_unit_test(the_metrics_of_a_family_are_written_together_below_one_head),
		cmocka_unit_test(counts_of_functions_are_added_up),
		cmocka_unit_test(every_count_of_functions_is_shown_by_its_family),
		cmocka_unit_test(each_of_sixty_functions_may_have_answered_with_forty_statuses),
		cmocka_unit_test(a_metric_whose_name_or_labels_do_not_fit_is_not_shown),
	};
	int failed;

	rt_buffer_init_heap(&text, METRICS_TEXT_MAX);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rt_buffer_done(&text);
	return failed;
}
