/* Many concurrent DNS questions, several callers that wait for the same question, and questions
 * that are open when their event ends. */
#include "runtime/time.h"
#include "tests/support/dnsd-process.h"
#include "tests/unit/dns_fixture.h"

static void questions_are_in_flight_together(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	char name[64];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "n%d.slow.example.com", i);
		eds_dns_start(dns, name, EDS_DNS_A);
	}
	assert_null(eds_dns_peek(dns, "n0.slow.example.com", EDS_DNS_A));
	eds_dns_settle(dns, 6000);
	/* asked one after another the questions would take 8 s */
	assert_true(rt_monotonic_ms() - began_ms < 6000);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "n%d.slow.example.com", i);
		assert_non_null(eds_dns_peek(dns, name, EDS_DNS_A));
		assert_int_equal(eds_dns_peek(dns, name, EDS_DNS_A)->state, EDS_DNS_FOUND);
	}
}

static void settling_ends_at_its_time_limit(void **state)
{
	int64_t began_ms = rt_monotonic_ms();

	(void)state;
	eds_dns_start(dns, "drop.example.com", EDS_DNS_A);
	eds_dns_settle(dns, 100);
	assert_true(rt_monotonic_ms() - began_ms < 2000); /* the time limit of the question itself
							   * is 4.5 s */
	assert_null(eds_dns_peek(dns, "drop.example.com", EDS_DNS_A));
}

static void a_question_is_sent_once_per_event(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	eds_dns_start(dns, "slow.example.com", EDS_DNS_A);
	eds_dns_start(dns, "SLOW.example.com.", EDS_DNS_A);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(dnsd_queries(&dnsd, "slow.example.com A"), 1);
	assert_int_equal(eds_dns_query_count(dns), 1);
	end_event();
	begin_event(10000);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(dnsd_queries(&dnsd, "slow.example.com A"), 2);
}

static void names_of_the_operators_own_network_can_be_withheld(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	expect("db.corp.internal", EDS_DNS_A, EDS_DNS_FOUND);
	expect("shared.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	end_event();
	begin_event(10000);
	eds_dns_public_only(dns);
	expect("DB.corp.Internal.", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("printer", EDS_DNS_A, EDS_DNS_NO_NAME);
	assert_int_equal(eds_dns_query_count(dns), 0);
	expect("com", EDS_DNS_CAA, EDS_DNS_FOUND);
	expect("shared.example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
	assert_int_equal(eds_dns_peek(dns, "shared.example.com", EDS_DNS_A)->count, 0);
	assert_string_equal(
		eds_dns_peek(dns, "shared.example.com", EDS_DNS_A)->canonical, "db.corp.internal");
	expect("deep.example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
	assert_string_equal(
		eds_dns_peek(dns, "deep.example.com", EDS_DNS_A)->canonical, "hop.corp.internal");
	expect("alias.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	eds_dns_start_own(dns, "2.0.0.127.list.corp.internal", EDS_DNS_A);
	expect("2.0.0.127.list.corp.internal", EDS_DNS_A, EDS_DNS_FOUND);
	expect("3.0.0.127.list.corp.internal", EDS_DNS_A, EDS_DNS_NO_NAME);
	eds_dns_start_own(dns, "3.0.0.127.list.corp.internal", EDS_DNS_A);
	expect("3.0.0.127.list.corp.internal", EDS_DNS_A, EDS_DNS_FOUND);
}

static void a_service_for_strangers_keeps_names_of_its_network_without_being_told(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	end_event();
	setenv("EDS_REPORT_DOMAIN", "reports.example", 1);
	rt_config_require();
	begin_event(10000);
	expect("db.corp.internal", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("shared.example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("alias.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	unsetenv("EDS_REPORT_DOMAIN");
	rt_config_require();
}

static void past_two_hundred_questions_every_new_one_fails(void **state)
{
	char name[64];

	(void)state;
	for (int i = 0; i < EDS_DNS_QUERIES_MAX; i++) {
		snprintf(name, sizeof name, "n%d.wild.example.com", i);
		eds_dns_start(dns, name, EDS_DNS_A);
	}
	expect("one.more.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
	assert_int_equal(eds_dns_query_count(dns), 200);
	for (int i = 0; i < EDS_DNS_QUERIES_MAX; i++) {
		snprintf(name, sizeof name, "n%d.wild.example.com", i);
		expect(name, EDS_DNS_A, EDS_DNS_FOUND);
	}
}

/* Answers of 40 KB each: TXT records of 120 times 250 octets. */
static void publish_large_answers(void)
{
	static char large[64 * 1024];
	size_t length = 0;

	for (int i = 0; i < 120; i++)
		length += (size_t)snprintf(large + length, sizeof large - length,
			"*.large.example.com TXT 300 \"%0250d\"\n", i);
	snprintf(large + length, sizeof large - length, "example.com A 300 192.0.2.1\n");
	dnsd_publish(&dnsd, large);
}

static void answers_beyond_a_megabyte_in_total_are_not_kept(void **state)
{
	const struct eds_dns_answer *answer;
	char name[64];
	int found = 0;

	(void)state;
	publish_large_answers();
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "n%d.large.example.com", i);
		answer = eds_dns_get(dns, name, EDS_DNS_TXT);
		if (i == found && answer->state == EDS_DNS_FOUND)
			found++;
	}
	assert_int_equal(found, 24);
	answer = eds_dns_get(dns, name, EDS_DNS_TXT);
	assert_int_equal(answer->state, EDS_DNS_TEMPORARY);
	assert_string_equal(answer->reason, "the DNS answers together are too large");
	assert_int_equal(answer->count, 0);
	end_event();
	begin_event(10000);
	expect(name, EDS_DNS_TXT, EDS_DNS_FOUND);
	dnsd_publish(&dnsd, zone);
}

static void answers_are_listed_in_the_order_asked(void **state)
{
	const struct eds_dns_answer *answers[8];

	(void)state;
	eds_dns_start(dns, "slow.example.com", EDS_DNS_A);
	eds_dns_start(dns, "example.com", EDS_DNS_A);
	eds_dns_start(dns, "drop.example.com", EDS_DNS_A);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(eds_dns_answers(dns, answers, 8), 2);
	assert_string_equal(answers[0]->name, "slow.example.com");
	assert_string_equal(answers[1]->name, "example.com");
	assert_int_equal(eds_dns_answers(dns, answers, 1), 1);
}

static int calls;
static const char *last_called;

static void count_call(void *arg, const struct eds_dns_answer *answer)
{
	(void)arg;
	calls++;
	last_called = answer->name;
}

static void ask_for_exchanges(void *arg, const struct eds_dns_answer *answer)
{
	(void)arg;
	for (size_t i = 0; i < answer->count; i++)
		eds_dns_when(dns, answer->records[i].name, EDS_DNS_A, count_call, NULL);
}

static void a_callback_may_ask_further_questions(void **state)
{
	(void)state;
	calls = 0;
	eds_dns_when(dns, "example.com", EDS_DNS_MX, ask_for_exchanges, NULL);
	assert_int_equal(calls, 0);
	eds_dns_settle(dns, 2000);
	assert_int_equal(calls, 2);
	assert_int_equal(eds_dns_query_count(dns), 3);
}

static void every_callback_of_a_question_is_called_once(void **state)
{
	(void)state;
	calls = 0;
	eds_dns_when(dns, "example.com", EDS_DNS_A, count_call, NULL);
	eds_dns_when(dns, "example.com", EDS_DNS_A, count_call, NULL);
	expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(calls, 2);
	eds_dns_when(dns, "example.com", EDS_DNS_A, count_call, NULL);
	assert_int_equal(calls, 3);
	assert_string_equal(last_called, "example.com");
}

static void callbacks_are_called_at_the_deadline(void **state)
{
	(void)state;
	calls = 0;
	context.deadline_ms = rt_monotonic_ms() + 100;
	eds_dns_when(dns, "drop.example.com", EDS_DNS_A, count_call, NULL);
	eds_dns_settle(dns, 1000);
	assert_int_equal(calls, 1);
}

static void a_step_returns_when_the_descriptor_is_readable(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	eds_dns_start(dns, "drop.example.com", EDS_DNS_A);
	assert_false(eds_dns_step(dns, ends[0], 20));
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(eds_dns_step(dns, ends[0], 5000));
	close(ends[0]);
	close(ends[1]);
}

static void a_step_returns_when_the_descriptor_has_ended(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	assert_true(eds_dns_step(dns, ends[0], 5000));
	close(ends[0]);
}

static void a_step_answers_questions_while_a_descriptor_is_silent(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	eds_dns_start(dns, "example.com", EDS_DNS_A);
	while (eds_dns_peek(dns, "example.com", EDS_DNS_A) == NULL)
		assert_false(eds_dns_step(dns, ends[0], 1000));
	close(ends[0]);
	close(ends[1]);
}

static void an_event_ends_with_questions_in_flight_and_the_next_is_clean(void **state)
{
	char name[64];

	(void)state;
	calls = 0;
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "n%d.slow.example.com", i);
		eds_dns_when(dns, name, EDS_DNS_A, count_call, NULL);
	}
	end_event();
	begin_event(10000);
	assert_int_equal(eds_dns_query_count(dns), 0);
	assert_null(eds_dns_peek(dns, "n0.slow.example.com", EDS_DNS_A));
	expect("slow.example.com", EDS_DNS_A,
		EDS_DNS_FOUND); /* meanwhile the answers to the ended event's questions arrive */
	assert_int_equal(calls, 0);
}

static void opening_dns_twice_in_an_event_gives_the_same_view(void **state)
{
	struct eds_dns *again;

	(void)state;
	assert_int_equal(eds_dns_open(&context, &again), RT_OK);
	assert_ptr_equal(again, dns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DNS_TEST(questions_are_in_flight_together),
		DNS_TEST(settling_ends_at_its_time_limit),
		DNS_TEST(a_question_is_sent_once_per_event),
		DNS_TEST(names_of_the_operators_own_network_can_be_withheld),
		DNS_TEST(a_service_for_strangers_keeps_names_of_its_network_without_being_told),
		DNS_TEST(past_two_hundred_questions_every_new_one_fails),
		DNS_TEST(answers_beyond_a_megabyte_in_total_are_not_kept),
		DNS_TEST(answers_are_listed_in_the_order_asked),
		DNS_TEST(a_callback_may_ask_further_questions),
		DNS_TEST(every_callback_of_a_question_is_called_once),
		DNS_TEST(callbacks_are_called_at_the_deadline),
		DNS_TEST(a_step_returns_when_the_descriptor_is_readable),
		DNS_TEST(a_step_returns_when_the_descriptor_has_ended),
		DNS_TEST(a_step_answers_questions_while_a_descriptor_is_silent),
		DNS_TEST(an_event_ends_with_questions_in_flight_and_the_next_is_clean),
		DNS_TEST(opening_dns_twice_in_an_event_gives_the_same_view),
	};
	int failed;

	dnsd_start(&dnsd, zone);
	rt_config_require();
	configured_servers = rt_config()->dns_servers;
	failed = cmocka_run_group_tests_name("dns", tests, NULL, NULL);
	eds_resolver_close();
	dnsd_stop(&dnsd);
	return failed;
}
