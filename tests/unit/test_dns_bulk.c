#include "runtime/time.h"
#include "tests/support/test-event.h"

#include "functions/lib/dns/bulk.h"
#include "functions/lib/dns/resolver.h"
#include "runtime/config/config.h"
#include "tests/support/dnsd-process.h"

enum {
	NAMES_MAX = 3000,
	WAIT_MS = 10000,
};

static const char zone[] = "example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60\n"
			   "*.found.example.com TXT 300 \"found\"\n"
			   "tcp.example.com TXT !truncate 300 \"large\"\n"
			   "once.example.com TXT !once=servfail 300 \"second time\"\n"
			   "servfail.example.com !servfail\n"
			   "drop.example.com !drop\n"
			   "*.slow.example.com TXT !delay=30 300 \"slow\"\n";

static struct dnsd dnsd;

struct job {
	const char *pattern; /* a printf format with one %d, for the number of the name */
	unsigned calls[NAMES_MAX];
	size_t states[EDS_DNS_TEMPORARY + 1];
	size_t answers;
	size_t matching; /* number of answers that have the name of their question */
	char text[64];
};

static struct job job;

static const char *name_of(void *arg, size_t i)
{
	static char name[512];

	snprintf(name, sizeof name, ((struct job *)arg)->pattern, (int)i);
	return name;
}

static void take(void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct job *taken = arg;

	rt_alloc(ctx, 1000); /* memory that must be freed together with the answer's */
	taken->calls[i]++;
	taken->answers++;
	taken->states[answer->state]++;
	taken->matching += strcasecmp(answer->name, name_of(taken, i)) == 0;
	if (answer->state == EDS_DNS_FOUND)
		snprintf(taken->text, sizeof taken->text, "%s", answer->records[0].txt);
	if (answer->state == EDS_DNS_TEMPORARY)
		assert_string_not_equal(answer->reason, "");
}

static void ask(const char *pattern, size_t count, int wait_ms)
{
	struct eds_dns_bulk bulk = {.type = EDS_DNS_TXT,
		.count = count,
		.name = name_of,
		.done = take,
		.arg = &job,
		.wait_ms = wait_ms};

	memset(&job, 0, sizeof job);
	job.pattern = pattern;
	assert_int_equal(eds_dns_bulk(&test_event, &bulk), RT_OK);
	assert_int_equal(job.answers, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(job.calls[i], 1);
}

static void each_of_thousands_of_names_is_answered_once(void **state)
{
	(void)state;
	ask("n%d.found.example.com", NAMES_MAX, WAIT_MS);
	assert_int_equal(job.states[EDS_DNS_FOUND], NAMES_MAX);
	assert_int_equal(job.matching, NAMES_MAX);
	assert_string_equal(job.text, "found");
}

static void missing_names_are_distinguished_from_failures(void **state)
{
	(void)state;
	ask("n%d.example.com", 300, WAIT_MS);
	assert_int_equal(job.states[EDS_DNS_NO_NAME], 300);
	ask("servfail.example.com", 1, WAIT_MS);
	assert_int_equal(job.states[EDS_DNS_TEMPORARY], 1);
}

static void an_empty_list_of_names_succeeds(void **state)
{
	(void)state;
	ask("n%d.example.com", 0, WAIT_MS);
}

static void names_that_cannot_exist_are_not_asked(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	ask("n%d..example.com", 600, WAIT_MS);
	assert_int_equal(job.states[EDS_DNS_NO_NAME], 600);
	assert_int_equal(dnsd_queries(&dnsd, NULL), 0);
}

static void a_truncated_answer_is_fetched_over_tcp(void **state)
{
	(void)state;
	ask("tcp.example.com", 1, WAIT_MS);
	assert_string_equal(job.text, "large");
}

static void a_question_that_failed_once_is_asked_again(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	ask("once.example.com", 1, WAIT_MS);
	assert_string_equal(job.text, "second time");
}

static void a_window_of_questions_is_in_flight_together(void **state)
{
	int64_t began_ms = rt_monotonic_ms();

	(void)state;
	ask("n%d.slow.example.com", 3 * EDS_DNS_WINDOW, WAIT_MS);
	assert_int_equal(job.states[EDS_DNS_FOUND], 3 * EDS_DNS_WINDOW);
	/* asked one after another the questions would take 23 s */
	assert_true(rt_monotonic_ms() - began_ms < 8000);
}

static void a_question_not_answered_in_time_is_a_temporary_failure(void **state)
{
	(void)state;
	ask("drop.example.com", 2 * EDS_DNS_WINDOW, 200);
	assert_int_equal(job.states[EDS_DNS_TEMPORARY], 2 * EDS_DNS_WINDOW);
	ask("n%d.found.example.com", 300, WAIT_MS);
	assert_int_equal(job.states[EDS_DNS_FOUND], 300);
}

static void without_time_nothing_is_asked(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	ask("n%d.found.example.com", 10, 0);
	assert_int_equal(job.states[EDS_DNS_TEMPORARY], 10);
	assert_int_equal(dnsd_queries(&dnsd, NULL), 0);
}

static void the_budget_of_an_event_does_not_count(void **state)
{
	struct eds_dns *dns;

	(void)state;
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	ask("n%d.found.example.com", 500, WAIT_MS);
	assert_int_equal(eds_dns_query_count(dns), 0);
	assert_int_equal(
		eds_dns_get(dns, "a.found.example.com", EDS_DNS_TXT)->state, EDS_DNS_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_of_thousands_of_names_is_answered_once),
		TEST(missing_names_are_distinguished_from_failures),
		TEST(an_empty_list_of_names_succeeds),
		TEST(names_that_cannot_exist_are_not_asked),
		TEST(a_truncated_answer_is_fetched_over_tcp),
		TEST(a_question_that_failed_once_is_asked_again),
		TEST(a_window_of_questions_is_in_flight_together),
		TEST(a_question_not_answered_in_time_is_a_temporary_failure),
		TEST(without_time_nothing_is_asked),
		TEST(the_budget_of_an_event_does_not_count),
	};
	int failed;

	dnsd_start(&dnsd, zone);
	rt_config_require();
	failed = cmocka_run_group_tests_name("dns bulk", tests, NULL, NULL);
	eds_resolver_close();
	dnsd_stop(&dnsd);
	return failed;
}
