/* The questions of a look at a domain, and the time of the next look, which depends on the
 * findings. */
#include "runtime/json-format.h"
#include "runtime/time.h"
#include "tests/support/test-event.h"

#include "functions/lib/mta-sts/evidence.h"
#include "functions/lib/posture/stored-json.h"
#include "functions/posture/outcome.h"

static struct eds_posture_due due(const char *evidence)
{
	return (struct eds_posture_due){.domain_id = "0193490a-2b1c-7c4d-8e5f-6a7b8c9d0e1f",
		.name = "example.com",
		.evidence = evidence,
		.before = {.state = "unknown", .items = "[]", .records = "[]"}};
}

static void mail_servers_seen_by_the_mta_sts_check_are_passed_to_the_look(void **state)
{
	struct eds_posture_due one = due(
		"{\"mxState\": \"found\", \"mx\": [{\"host\": \"mx1.example.net\"}]}");
	struct eds_posture_question question = posture_question(&test_event, &one, NULL);

	(void)state;
	assert_string_equal(question.domain, "example.com");
	assert_int_equal(question.servers->mx_count, 1);
	assert_string_equal(question.servers->mx[0].host, "mx1.example.net");
	assert_int_equal(test_event.failure.category, RT_OK);
}

static void unreadable_evidence_counts_as_none_and_is_not_a_failure(void **state)
{
	static const char *const odd[] = {"", "{", "{\"mx\": [{\"host\": \"mx1.example.net\"}]"};

	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		struct eds_posture_due one = due(odd[i]);

		assert_int_equal(posture_question(&test_event, &one, NULL).servers->mx_count, 0);
		assert_int_equal(test_event.failure.category, RT_OK);
	}
}

/* The time until the next look, rounded to minutes, because looks are due some seconds early. */
static int64_t minutes_after(struct eds_posture_due *one, const struct eds_posture *look)
{
	int64_t now_ms = rt_wall_ms();

	posture_settle(&test_event, one, look);
	return (one->next_at_ms - now_ms + 30 * 1000) / 60000;
}

static void a_domain_in_order_is_looked_at_again_after_six_hours_and_one_that_is_not_after_one(
	void **state)
{
	static struct eds_posture look;
	struct eds_posture_due one = due("{}");

	(void)state;
	memset(&look, 0, sizeof look);
	assert_int_equal(minutes_after(&one, &look), 360);
	assert_int_equal(one.outcome, EDS_POSTURE_SEEN);
	assert_string_equal(one.after.state, "ok");

	look.items[EDS_POSTURE_SPF].findings[0] = (struct eds_posture_finding){
		.state = EDS_POSTURE_ERROR, .code = "spf-missing", .message = "", .advice = ""};
	look.items[EDS_POSTURE_SPF].count = 1;
	look.items[EDS_POSTURE_SPF].state = EDS_POSTURE_ERROR;
	assert_int_equal(minutes_after(&one, &look), 60);
	assert_string_equal(one.after.state, "error");
}

static void a_postponed_look_is_repeated_up_to_a_fourth_of_the_time_sooner(void **state)
{
	static struct eds_posture look;
	struct eds_posture_due one = due("{}");
	int64_t least = 360;

	(void)state;
	memset(&look, 0, sizeof look);
	look.items[EDS_POSTURE_ZONE].postponed = true;
	for (int i = 0; i < 200; i++) {
		int64_t minutes = minutes_after(&one, &look);

		assert_in_range(minutes, 270, 360);
		least = minutes < least ? minutes : least;
	}
	assert_true(least < 315);
}

static void a_look_without_an_answer_of_dns_is_repeated_after_five_minutes(void **state)
{
	static struct eds_posture look;
	struct eds_posture_due one = due("{}");

	(void)state;
	memset(&look, 0, sizeof look);
	posture_settle(&test_event, &one, &look);
	one.before = one.after;
	look.items[EDS_POSTURE_DMARC].findings[0] = (struct eds_posture_finding){
		.state = EDS_POSTURE_UNKNOWN,
		.code = "dmarc-unanswered",
		.message = "",
		.advice = ""};
	look.items[EDS_POSTURE_DMARC].count = 1;
	look.items[EDS_POSTURE_DMARC].state = EDS_POSTURE_UNKNOWN;
	assert_int_equal(minutes_after(&one, &look), 5);
	assert_string_equal(one.after.state, "ok");
}

/* Lets this many minutes pass. */
static void let_pass(struct eds_posture_due *one, int minutes)
{
	RT_JSON_MEMORY(&test_event);
	json_t *items = eds_posture_stored_array(&test_event, one->before.items);
	json_t *until = json_object_get(json_array_get(items, 0), "selectorsUntilMs");

	if (until != NULL)
		json_integer_set(until, json_integer_value(until) - minutes * 60000);
	one->before.items = rt_json_format(&test_event, items, NULL);
}

static void a_selector_search_without_answers_is_repeated_for_an_hour(void **state)
{
	static struct eds_posture look;
	struct eds_posture_due one = due("{}");

	(void)state;
	memset(&look, 0, sizeof look);
	assert_true(posture_question(&test_event, &one, NULL).finds_selectors);
	look.selectors_open = true;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(minutes_after(&one, &look), 5);
		one.before = one.after;
		let_pass(&one, 29);
		assert_true(posture_question(&test_event, &one, NULL).finds_selectors);
	}
	let_pass(&one, 5);
	assert_int_equal(minutes_after(&one, &look), 360);
	one.before = one.after;
	assert_false(posture_question(&test_event, &one, NULL).finds_selectors);
}

static void a_selector_search_with_answers_is_made_once(void **state)
{
	static struct eds_posture look;
	struct eds_posture_due one = due("{}");

	(void)state;
	memset(&look, 0, sizeof look);
	look.selectors_open = true;
	posture_settle(&test_event, &one, &look);
	one.before = one.after;
	look.selectors_open = false;
	assert_int_equal(minutes_after(&one, &look), 360);
	one.before = one.after;
	assert_false(posture_question(&test_event, &one, NULL).finds_selectors);
	look.selectors_open = true;
	assert_int_equal(minutes_after(&one, &look), 360);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mail_servers_seen_by_the_mta_sts_check_are_passed_to_the_look),
		TEST(unreadable_evidence_counts_as_none_and_is_not_a_failure),
		TEST(a_domain_in_order_is_looked_at_again_after_six_hours_and_one_that_is_not_after_one),
		TEST(a_selector_search_without_answers_is_repeated_for_an_hour),
		TEST(a_selector_search_with_answers_is_made_once),
		TEST(a_postponed_look_is_repeated_up_to_a_fourth_of_the_time_sooner),
		TEST(a_look_without_an_answer_of_dns_is_repeated_after_five_minutes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
