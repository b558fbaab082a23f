/* Reports that arrive cut short, in the store: the part counts until the whole report comes. */
#include "tests/unit/report_fixture.h"

static enum eds_report_added add_part(const char *whole, const char *message_id, int64_t total)
{
	struct eds_report_line line = line_of(rt_printf(&event, "%s|cut", whole), message_id);
	struct eds_named_selector named = named_of("s1", 3, 0);

	next_event(EVENT_MS);
	line.identity = rt_printf(&event, "%s|cut", whole);
	line.whole_identity = whole;
	line.reason_code = "report-truncated";
	line.reason = "The report ends in the middle.";
	line.total = total;
	return add_line(&domain, &line, &named, 1);
}

static void a_truncated_report_is_read_and_says_what_is_wrong(void **state)
{
	struct eds_report_line line;

	(void)state;
	assert_int_equal(add_part("a", "m1", 3), EDS_REPORT_ADDED);
	get_line(last_id, &line);
	assert_string_equal(line.state, "read");
	assert_string_equal(line.reason_code, "report-truncated");
	assert_int_equal(add_part("a", "m1", 3), EDS_REPORT_SAME);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 1);
}

static void the_whole_report_replaces_the_truncated_one(void **state)
{
	struct eds_named_selector named = named_of("s1", 10, 0);
	struct eds_selector selector;

	(void)state;
	add_part("a", "m1", 3);
	assert_int_equal(add("a", "m2", &named, 1), EDS_REPORT_ADDED);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 1);
	assert_int_equal(sql("SELECT total FROM reports"), 10);
	assert_int_equal(sql("SELECT count(*) FROM report_origins"), 1);
	/* the messages that prove the selector were counted with the part, and are not counted
	 * again */
	get_selector(&domain, "s1", &selector);
	assert_int_equal(selector.pass_count, 3);
}

static void a_truncated_report_after_the_whole_one_is_a_duplicate(void **state)
{
	struct eds_named_selector named = named_of("s1", 10, 0);

	(void)state;
	add("a", "m2", &named, 1);
	assert_int_equal(add_part("a", "m1", 3), EDS_REPORT_DUPLICATE);
	assert_int_equal(sql("SELECT sum(total) FROM reports WHERE state = 'read'"), 10);
	assert_int_equal(add_part("a", "m3", 3), EDS_REPORT_DUPLICATE);
	assert_int_equal(add("a", "m2", &named, 1), EDS_REPORT_SAME);
}

static void a_second_truncated_report_is_a_duplicate_of_the_first(void **state)
{
	(void)state;
	add_part("a", "m1", 3);
	assert_int_equal(add_part("a", "m2", 5), EDS_REPORT_DUPLICATE);
	assert_int_equal(sql("SELECT sum(total) FROM reports WHERE state = 'read'"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_truncated_report_is_read_and_says_what_is_wrong),
		STORE_TEST(the_whole_report_replaces_the_truncated_one),
		STORE_TEST(a_truncated_report_after_the_whole_one_is_a_duplicate),
		STORE_TEST(a_second_truncated_report_is_a_duplicate_of_the_first),
	};

	return cmocka_run_group_tests_name(
		"store: reports cut short", tests, choose_database, remove_folder);
}
