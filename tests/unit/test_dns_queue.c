#include "runtime/time.h"
#include "tests/support/test-event.h"

#include <unistd.h>

#include "functions/lib/dns/queue.h"
#include "functions/lib/dns/resolver.h"
#include "runtime/config/config.h"
#include "tests/support/dnsd-process.h"

enum { TURN_MS = 2000 };

static const char zone[] = "example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60\n"
			   "*.found.example.com TXT 300 \"found\"\n"
			   "*.corp.internal TXT 300 \"secret\"\n"
			   "inward.example.com CNAME 300 db.corp.internal\n"
			   "drop.example.com !drop\n"
			   "slow.example.com TXT !delay=1000 300 \"slow\"\n";

static struct dnsd dnsd;
static struct eds_dns_queue *queue;
static size_t answers[EDS_DNS_TEMPORARY + 1];
static size_t last_tag;

static void take(void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	(void)arg;
	(void)ctx;
	answers[answer->state]++;
	last_tag = tag;
}

/* Asks for the next name until `tag` names are done. */
static void take_and_ask(
	void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	take(arg, tag, ctx, answer);
	if (tag > 0)
		eds_dns_queue_ask(queue, tag % 2 ? "a..b" : "n.found.example.com", EDS_DNS_TXT,
			take_and_ask, arg, tag - 1);
	/* the answer can still be read after another question was asked */
	assert_string_equal(answer->name, answer->canonical);
}

static int begin(void **state)
{
	test_event_begin(state);
	memset(answers, 0, sizeof answers);
	return eds_dns_queue_new(&test_event, &queue) == RT_OK ? 0 : -1;
}

static void finish(void)
{
	while (eds_dns_queue_count(queue) > 0)
		eds_dns_queue_turn(queue, -1, TURN_MS);
}

static void an_answer_is_handed_over_with_the_tag_of_its_question(void **state)
{
	(void)state;
	eds_dns_queue_ask(queue, "N.found.example.com.", EDS_DNS_TXT, take, NULL, 7);
	assert_int_equal(eds_dns_queue_count(queue), 1);
	finish();
	assert_int_equal(answers[EDS_DNS_FOUND], 1);
	assert_int_equal(last_tag, 7);
}

static void questions_beyond_the_window_wait_for_a_place(void **state)
{
	(void)state;
	for (int i = 0; i < 4 * EDS_DNS_WINDOW; i++)
		eds_dns_queue_ask(queue, "n.found.example.com", EDS_DNS_TXT, take, NULL, 0);
	finish();
	assert_int_equal(answers[EDS_DNS_FOUND], 4 * EDS_DNS_WINDOW);
}

static void the_callback_of_an_answer_may_ask_further_questions(void **state)
{
	(void)state;
	eds_dns_queue_ask(queue, "n.found.example.com", EDS_DNS_TXT, take_and_ask, NULL, 20);
	finish();
	assert_int_equal(answers[EDS_DNS_FOUND], 11);
	assert_int_equal(answers[EDS_DNS_NO_NAME], 10);
}

static void names_of_the_operators_own_network_are_kept_from_strangers(void **state)
{
	(void)state;
	setenv("EDS_REPORT_DOMAIN", "reports.example", 1);
	rt_config_require();
	eds_dns_queue_ask(queue, "db.corp.internal", EDS_DNS_TXT, take, NULL, 0);
	eds_dns_queue_ask(queue, "inward.example.com", EDS_DNS_TXT, take, NULL, 0);
	eds_dns_queue_ask_own(queue, "list.corp.internal", EDS_DNS_TXT, take, NULL, 0);
	finish();
	assert_int_equal(answers[EDS_DNS_NO_NAME], 2);
	assert_int_equal(answers[EDS_DNS_FOUND], 1);
	unsetenv("EDS_REPORT_DOMAIN");
	rt_config_require();
	eds_dns_queue_ask(queue, "db.corp.internal", EDS_DNS_TXT, take, NULL, 0);
	eds_dns_queue_ask(queue, "inward.example.com", EDS_DNS_TXT, take, NULL, 0);
	finish();
	assert_int_equal(answers[EDS_DNS_FOUND], 3);
}

static void a_turn_waits_for_another_socket_as_well(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	eds_dns_queue_ask(queue, "slow.example.com", EDS_DNS_TXT, take, NULL, 0);
	assert_false(eds_dns_queue_turn(queue, ends[0], 10));
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(eds_dns_queue_turn(queue, ends[0], TURN_MS));
	assert_int_equal(answers[EDS_DNS_FOUND], 0);
	close(ends[0]);
	close(ends[1]);
	finish();
	assert_int_equal(answers[EDS_DNS_FOUND], 1);
}

static void a_turn_without_questions_waits_for_the_other_socket(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_false(eds_dns_queue_turn(queue, ends[0], 200));
	assert_true(rt_monotonic_ms() - began_ms >= 190);
	close(ends[0]);
	close(ends[1]);
}

static void a_turn_that_answers_at_once_does_not_wait_for_the_other_socket(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	eds_dns_queue_ask(queue, "no..such.name", EDS_DNS_TXT, take, NULL, 0);
	assert_false(eds_dns_queue_turn(queue, ends[0], TURN_MS));
	assert_int_equal(answers[EDS_DNS_NO_NAME], 1);
	assert_true(rt_monotonic_ms() - began_ms < TURN_MS / 2);
	close(ends[0]);
	close(ends[1]);
}

static void cancelling_answers_all_questions_at_once(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * EDS_DNS_WINDOW; i++)
		eds_dns_queue_ask(queue, "drop.example.com", EDS_DNS_TXT, take, NULL, 0);
	eds_dns_queue_turn(queue, -1, 10);
	eds_dns_queue_cancel(queue);
	assert_int_equal(answers[EDS_DNS_TEMPORARY], 2 * EDS_DNS_WINDOW);
	assert_int_equal(eds_dns_queue_count(queue), 0);
}

static void questions_unanswered_at_the_end_of_the_event_are_forgotten(void **state)
{
	eds_dns_queue_ask(queue, "drop.example.com", EDS_DNS_TXT, take, NULL, 0);
	eds_dns_queue_turn(queue, -1, 10);
	test_event_end(state);
	begin(state);
	eds_dns_queue_ask(queue, "n.found.example.com", EDS_DNS_TXT, take, NULL, 0);
	finish();
	assert_int_equal(answers[EDS_DNS_TEMPORARY], 0);
	assert_int_equal(answers[EDS_DNS_FOUND], 1);
}

#define QUEUE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_event_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		QUEUE_TEST(an_answer_is_handed_over_with_the_tag_of_its_question),
		QUEUE_TEST(names_of_the_operators_own_network_are_kept_from_strangers),
		QUEUE_TEST(questions_beyond_the_window_wait_for_a_place),
		QUEUE_TEST(the_callback_of_an_answer_may_ask_further_questions),
		QUEUE_TEST(a_turn_waits_for_another_socket_as_well),
		QUEUE_TEST(a_turn_without_questions_waits_for_the_other_socket),
		QUEUE_TEST(a_turn_that_answers_at_once_does_not_wait_for_the_other_socket),
		QUEUE_TEST(cancelling_answers_all_questions_at_once),
		QUEUE_TEST(questions_unanswered_at_the_end_of_the_event_are_forgotten),
	};
	int failed;

	dnsd_start(&dnsd, zone);
	rt_config_require();
	failed = cmocka_run_group_tests_name("dns queue", tests, NULL, NULL);
	eds_resolver_close();
	dnsd_stop(&dnsd);
	return failed;
}
