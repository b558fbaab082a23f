/* The state that is stored from one look at a domain to the next. */
#include "functions/lib/posture/names.h"
#include "runtime/time.h"
#include "tests/support/test-event.h"

#include "functions/lib/posture/stored-json.h"
#include "functions/lib/posture/stored.h"

enum {
	HOUR_MS = 3600 * 1000,
	FIRST_MS = 100 * HOUR_MS,
};

static struct eds_posture posture;
static struct eds_posture_update update;
static struct eds_posture_memory memory;

/* A look that finds no fault in any item, and has no records. */
static void look_afresh(void)
{
	memset(&posture, 0, sizeof posture);
}

static void find(enum eds_posture_subject subject, enum eds_posture_state state, const char *code)
{
	struct eds_posture_item *item = &posture.items[subject];

	item->findings[item->count++] = (struct eds_posture_finding){
		.state = state, .code = code, .message = code, .advice = ""};
	if (state > item->state)
		item->state = state;
}

static void remember(int64_t at_ms)
{
	eds_posture_remember(&test_event, &memory, &posture, at_ms, &update);
	memory = update.after;
}

static void begin(void)
{
	memory = (struct eds_posture_memory){.state = "unknown", .items = "[]", .records = "[]"};
	look_afresh();
}

static json_t *shown(enum eds_posture_subject subject)
{
	json_t *object = json_object();
	json_t *items;

	eds_posture_stored_put(&test_event, &memory, object);
	items = json_object_get(object, "items");
	for (size_t i = 0; i < json_array_size(items); i++)
		if (strcmp(rt_json_string(json_array_get(items, i), "name"),
			    eds_posture_subject_name(subject)) == 0)
			return json_array_get(items, i);
	fail();
	return NULL;
}

static void an_unfinished_selector_search_is_stored_but_not_shown(void **state)
{
	(void)state;
	begin();
	posture.selectors_open = true;
	remember(FIRST_MS);
	assert_true(update.selectors_open);
	assert_true(eds_posture_searches(&test_event, &memory));
	assert_null(json_object_get(shown(EDS_POSTURE_ZONE), "selectorsUntilMs"));
	remember(FIRST_MS + HOUR_MS);
	assert_false(update.selectors_open);
	assert_false(eds_posture_searches(&test_event, &memory));
}

static void our_own_inability_to_look_is_not_a_fault_of_the_domain(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 2; i++) {
		look_afresh();
		find(EDS_POSTURE_DNSSEC, EDS_POSTURE_UNKNOWN, "dnssec-not-validated");
		posture.items[EDS_POSTURE_DNSSEC].aside = true;
		remember(FIRST_MS + i * HOUR_MS / 2);
		assert_string_equal(memory.state, "ok");
		assert_false(update.kept);
		assert_string_equal(rt_json_string(shown(EDS_POSTURE_DNSSEC), "state"), "unknown");
	}
	find(EDS_POSTURE_DNSSEC, EDS_POSTURE_ERROR, "dnssec-mx-bogus");
	remember(FIRST_MS + HOUR_MS);
	assert_string_equal(memory.state, "error");
	look_afresh();
	find(EDS_POSTURE_DNSSEC, EDS_POSTURE_UNKNOWN, "dnssec-unanswered");
	remember(FIRST_MS + 3 * HOUR_MS);
	assert_string_equal(memory.state, "unknown");
}

static void recent_results_stay_while_we_cannot_look(void **state)
{
	(void)state;
	begin();
	find(EDS_POSTURE_DNSSEC, EDS_POSTURE_ERROR, "dnssec-bogus");
	remember(FIRST_MS);
	look_afresh();
	find(EDS_POSTURE_DNSSEC, EDS_POSTURE_UNKNOWN, "dnssec-not-validated");
	posture.items[EDS_POSTURE_DNSSEC].aside = true;
	remember(FIRST_MS + HOUR_MS / 2);
	assert_true(update.kept);
	assert_string_equal(memory.state, "error");
	remember(FIRST_MS + 2 * HOUR_MS);
	assert_string_equal(memory.state, "ok");
	assert_int_equal(update.difference_count, 0);
}

static void postpone(void)
{
	look_afresh();
	find(EDS_POSTURE_ZONE, EDS_POSTURE_OK, "name-server-not-asked");
	posture.items[EDS_POSTURE_ZONE].postponed = true;
}

static void an_item_without_its_name_servers_keeps_its_result_for_a_day(void **state)
{
	(void)state;
	begin();
	find(EDS_POSTURE_ZONE, EDS_POSTURE_WARNING, "name-server-lame");
	remember(FIRST_MS);
	assert_false(update.postponed);
	for (int hour = 1; hour < 24; hour++) {
		postpone();
		remember(FIRST_MS + hour * HOUR_MS);
		assert_true(update.postponed);
		assert_false(update.kept);
		assert_false(update.unanswered);
		assert_int_equal(update.difference_count, 0);
		assert_string_equal(memory.state, "warning");
		assert_int_equal(
			eds_posture_stored_number(
				json_array_get(eds_posture_stored_array(&test_event, memory.items),
					EDS_POSTURE_ZONE),
				"checkedAtMs", 0),
			FIRST_MS);
	}
	remember(FIRST_MS + 24 * HOUR_MS);
	assert_true(update.postponed);
	assert_string_equal(memory.state, "ok");
	assert_int_equal(update.difference_count, 1);
}

static void an_item_first_seen_without_its_name_servers_says_so(void **state)
{
	(void)state;
	begin();
	postpone();
	remember(FIRST_MS);
	assert_string_equal(memory.state, "ok");
	assert_non_null(strstr(memory.items, "name-server-not-asked"));
}

static void the_first_look_reports_no_change(void **state)
{
	(void)state;
	begin();
	find(EDS_POSTURE_SPF, EDS_POSTURE_ERROR, "spf-missing");
	remember(FIRST_MS);
	assert_int_equal(update.difference_count, 0);
	assert_false(update.same);
	assert_string_equal(memory.state, "error");
	assert_int_equal(memory.changed_at_ms, FIRST_MS);
}

static void an_unchanged_look_updates_its_time_alone(void **state)
{
	(void)state;
	begin();
	posture.items[EDS_POSTURE_ZONE].record = "a.example\nb.example";
	remember(FIRST_MS);
	posture.items[EDS_POSTURE_ZONE].record = "b.example\na.example";
	remember(FIRST_MS + HOUR_MS);
	assert_true(update.same);
	assert_int_equal(update.difference_count, 0);
	assert_int_equal(memory.changed_at_ms, FIRST_MS);
	assert_string_equal(rt_json_string(shown(EDS_POSTURE_ZONE), "checkedAt"),
		rt_time_format(&test_event, FIRST_MS + HOUR_MS));
}

static void a_change_is_reported_with_the_earlier_value(void **state)
{
	(void)state;
	begin();
	posture.items[EDS_POSTURE_DMARC].record = "v=DMARC1; p=reject";
	remember(FIRST_MS);
	posture.items[EDS_POSTURE_DMARC].record = "v=DMARC1; p=none";
	find(EDS_POSTURE_DMARC, EDS_POSTURE_WARNING, "dmarc-policy-none");
	remember(FIRST_MS + HOUR_MS);
	assert_int_equal(update.difference_count, 1);
	assert_int_equal(update.differences[0].subject, EDS_POSTURE_DMARC);
	assert_string_equal(update.differences[0].old.state, "ok");
	assert_string_equal(update.differences[0].old.record, "v=DMARC1; p=reject");
	assert_string_equal(update.differences[0].now.state, "warning");
	assert_string_equal(update.differences[0].now.record, "v=DMARC1; p=none");
	assert_string_equal(update.differences[0].now.codes, "dmarc-policy-none");
}

/* While the name servers do not answer, users see the last answers and their age. */
static void an_outage_of_dns_is_not_a_change(void **state)
{
	(void)state;
	begin();
	posture.items[EDS_POSTURE_SPF].record = "v=spf1 -all";
	remember(FIRST_MS);
	look_afresh();
	find(EDS_POSTURE_SPF, EDS_POSTURE_UNKNOWN, "spf-temporary");
	remember(FIRST_MS + HOUR_MS / 2);
	assert_true(update.kept);
	assert_string_equal(memory.state, "ok");
	assert_string_equal(rt_json_string(shown(EDS_POSTURE_SPF), "record"), "v=spf1 -all");
	assert_string_equal(rt_json_string(shown(EDS_POSTURE_SPF), "checkedAt"),
		rt_time_format(&test_event, FIRST_MS));
	remember(FIRST_MS + HOUR_MS);
	assert_false(update.kept);
	assert_string_equal(memory.state, "unknown");
	assert_null(rt_json_string(shown(EDS_POSTURE_SPF), "record"));
	remember(FIRST_MS + 2 * HOUR_MS);
	assert_string_equal(memory.state, "unknown");
	look_afresh();
	posture.items[EDS_POSTURE_SPF].record = "v=spf1 -all";
	remember(FIRST_MS + 3 * HOUR_MS);
	assert_int_equal(update.difference_count, 0);
	assert_string_equal(memory.state, "ok");
	assert_int_equal(memory.changed_at_ms, FIRST_MS);
}

static void a_change_during_an_outage_is_reported_after_it(void **state)
{
	(void)state;
	begin();
	posture.items[EDS_POSTURE_SPF].record = "v=spf1 -all";
	remember(FIRST_MS);
	look_afresh();
	find(EDS_POSTURE_SPF, EDS_POSTURE_UNKNOWN, "spf-temporary");
	remember(FIRST_MS + 2 * HOUR_MS);
	assert_int_equal(update.difference_count, 0);
	look_afresh();
	posture.items[EDS_POSTURE_SPF].record = "v=spf1 ~all";
	remember(FIRST_MS + 3 * HOUR_MS);
	assert_int_equal(update.difference_count, 1);
	assert_string_equal(update.differences[0].old.record, "v=spf1 -all");
	assert_string_equal(update.differences[0].now.record, "v=spf1 ~all");
}

static void the_first_answer_about_an_unknown_item_is_not_a_change(void **state)
{
	(void)state;
	begin();
	find(EDS_POSTURE_MX, EDS_POSTURE_UNKNOWN, "mx-unanswered");
	remember(FIRST_MS);
	remember(FIRST_MS + 2 * HOUR_MS);
	look_afresh();
	remember(FIRST_MS + 3 * HOUR_MS);
	assert_int_equal(update.difference_count, 0);
	assert_string_equal(memory.state, "ok");
}

/* Fills every item of the state with as much text as DNS can carry. */
static void publish_too_much(char *filling, size_t length)
{
	memset(filling, 'a', length - 1);
	filling[length - 1] = '\0';
	look_afresh();
	for (size_t i = 0; i < EDS_POSTURE_SUBJECTS; i++) {
		posture.items[i].details = json_string(filling);
		for (size_t k = 0; k < EDS_POSTURE_FINDINGS_MAX; k++) {
			find((enum eds_posture_subject)i, EDS_POSTURE_ERROR,
				rt_printf(&test_event, "code-%zu", k));
			posture.items[i].findings[k].message = filling;
		}
	}
}

static void too_many_published_records_are_stored_in_part_and_show_no_change(void **state)
{
	char filling[8000];

	(void)state;
	begin();
	publish_too_much(filling, 1024);
	remember(FIRST_MS);
	assert_true(strlen(memory.items) <= 128 * 1024);
	assert_int_equal(json_array_size(json_object_get(shown(EDS_POSTURE_MX), "findings")), 4);
	publish_too_much(filling, 1024);
	remember(FIRST_MS + HOUR_MS);
	assert_true(update.same);
	assert_int_equal(update.difference_count, 0);
	look_afresh();
	posture.items[EDS_POSTURE_SPF].record = memset(filling, 'b', sizeof filling - 1);
	filling[sizeof filling - 1] = '\0';
	remember(FIRST_MS + 2 * HOUR_MS);
	assert_int_equal(update.difference_count, EDS_POSTURE_SUBJECTS);
	assert_true(strlen(update.differences[EDS_POSTURE_SPF].now.record) <= 2048);
}

static void unreadable_memory_counts_as_never_seen(void **state)
{
	(void)state;
	begin();
	memory = (struct eds_posture_memory){
		.checked_at_ms = FIRST_MS, .state = "ok", .items = "{\"later\":1}", .records = "x"};
	remember(FIRST_MS + HOUR_MS);
	assert_int_equal(update.difference_count, 0);
	assert_int_equal(memory.changed_at_ms, FIRST_MS + HOUR_MS);
	assert_string_equal(memory.state, "ok");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_unfinished_selector_search_is_stored_but_not_shown),
		TEST(an_item_without_its_name_servers_keeps_its_result_for_a_day),
		TEST(an_item_first_seen_without_its_name_servers_says_so),
		TEST(the_first_look_reports_no_change),
		TEST(our_own_inability_to_look_is_not_a_fault_of_the_domain),
		TEST(recent_results_stay_while_we_cannot_look),
		TEST(an_unchanged_look_updates_its_time_alone),
		TEST(a_change_is_reported_with_the_earlier_value),
		TEST(an_outage_of_dns_is_not_a_change),
		TEST(a_change_during_an_outage_is_reported_after_it),
		TEST(the_first_answer_about_an_unknown_item_is_not_a_change),
		TEST(too_many_published_records_are_stored_in_part_and_show_no_change),
		TEST(unreadable_memory_counts_as_never_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
