/* The limits of the log of reports, which anybody can fill: daily shares, the number of lines, and
 * the order of removal. */
#include "functions/lib/store/reports/report-add.h"
#include "functions/lib/store/reports/report-expiry.h"
#include "functions/lib/store/reports/report-read.h"
#include "tests/unit/report_fixture.h"

static void add_forged(const char *identity)
{
	struct eds_report_line line;

	usleep(2000); /* ids made in the same millisecond have no defined order */
	next_event(EVENT_MS);
	line = forged_line_of(identity, identity);
	add_line(&domain, &line, NULL, 0);
}

static void unverified_reporters_share_a_hundred_reports_a_day(void **state)
{
	char identity[16];

	(void)state;
	for (int i = 0; i < 105; i++) {
		snprintf(identity, sizeof identity, "f%d", i);
		add_forged(identity);
	}
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE state = 'read'"), 100);
	assert_int_equal(
		sql("SELECT count(*) FROM reports WHERE reason_code = 'reports-too-many-today'"),
		1);
	assert_int_equal(add("a", "m1", NULL, 0), EDS_REPORT_ADDED);
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE state = 'read'"), 101);
	sql("UPDATE report_usage SET day = day - 1");
	add_forged("next day");
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE state = 'read'"), 102);
}

static void a_reporter_has_200_reports_a_day_and_all_reporters_1000(void **state)
{
	struct eds_report_line line;

	(void)state;
	add("a", "m1", NULL, 0);
	sql("UPDATE report_usage SET reports = 200 WHERE share = 'reporter.example'");
	assert_int_equal(add("b", "m2", NULL, 0), EDS_REPORT_OVER);
	next_event(EVENT_MS);
	line = line_of("c", "m3");
	line.origin.reporter = "second.example";
	assert_int_equal(add_line(&domain, &line, NULL, 0), EDS_REPORT_ADDED);
	sql("UPDATE report_usage SET reports = 1000 WHERE share = '*'");
	next_event(EVENT_MS);
	line = line_of("d", "m4");
	line.origin.reporter = "third.example";
	assert_int_equal(add_line(&domain, &line, NULL, 0), EDS_REPORT_OVER);
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE state = 'read'"), 2);
}

static void the_octets_of_a_day_are_limited_too(void **state)
{
	(void)state;
	add("a", "m1", NULL, 0);
	sql("UPDATE report_usage SET octets = 8388608 WHERE share = 'reporter.example'");
	assert_int_equal(add("b", "m2", NULL, 0), EDS_REPORT_OVER);
	add_forged("f1");
	sql("UPDATE report_usage SET octets = 2097152 WHERE share = ''");
	add_forged("f2");
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE state = 'read'"), 2);
}

static void unverified_reporters_have_fifty_places(void **state)
{
	struct eds_report_line line;
	struct eds_reporter reporter;

	(void)state;
	add("a", "m1", NULL, 0);
	for (int i = 0; i < 60; i++) {
		next_event(EVENT_MS);
		line = forged_line_of(rt_printf(&event, "f%d", i), rt_printf(&event, "m%d", i));
		line.origin.reporter = rt_printf(&event, "forged%d.example", i);
		add_line(&domain, &line, NULL, 0);
	}
	assert_int_equal(sql("SELECT count(*) FROM report_reporters"), 51);
	assert_int_equal(eds_store_reporter_get(
				 &event, open_store(), &domain, "reporter.example", &reporter),
		RT_OK);
	assert_true(reporter.verified_ms >= now_ms);
	assert_int_equal(reporter.verified_reports, 1);
	assert_int_equal(reporter.other_reports, 0);
}

static void forged_lines_of_a_flooded_domain_are_deleted_first(void **state)
{
	size_t removed;

	(void)state;
	add("a", "m1", NULL, 0);
	add_forged("f1");
	add_forged("f2");
	assert_int_equal(eds_store_reports_trim(&event, open_store(), 2, &removed), RT_OK);
	assert_int_equal(removed, 1);
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE identity = 'a'"), 1);
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE identity = 'f1'"), 0);
}

static void the_oldest_lines_of_a_flooded_domain_are_deleted(void **state)
{
	char identity[2] = "a";
	struct eds_report_line *lines;
	size_t removed;
	size_t count;

	(void)state;
	for (; identity[0] <= 'e'; identity[0]++)
		add(identity, identity, NULL, 0);
	assert_int_equal(add_to(&subdomain, "other", "other", NULL, 0), EDS_REPORT_ADDED);
	assert_int_equal(eds_store_reports_trim(&event, open_store(), 3, &removed), RT_OK);
	assert_int_equal(removed, 2);
	assert_int_equal(eds_store_report_list(&event, open_store(), &domain,
				 &(struct eds_report_query){0}, &lines, &count),
		RT_OK);
	assert_int_equal(count, 3);
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE identity IN ('a', 'b')"), 0);
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE identity = 'other'"), 1);
	assert_int_equal(eds_store_reports_trim(&event, open_store(), 3, &removed), RT_OK);
	assert_int_equal(removed, 0);
}

/* A table may have hundreds of millions of lines, too many to count every hour. */
static void the_hourly_trim_counts_only_lines_of_the_last_day(void **state)
{
	size_t removed;

	(void)state;
	add("old", "m1", NULL, 0);
	add("older", "m2", NULL, 0);
	sql("UPDATE reports SET received_at_ms = received_at_ms - 90000000");
	assert_int_equal(eds_store_reports_trim(&event, open_store(), 1, &removed), RT_OK);
	assert_int_equal(removed, 0);
	add("new", "m3", NULL, 0);
	assert_int_equal(eds_store_reports_trim(&event, open_store(), 1, &removed), RT_OK);
	assert_int_equal(removed, 2);
	assert_int_equal(sql("SELECT count(*) FROM reports WHERE identity = 'new'"), 1);
}

/* The job that runs hourly examines the bodies of one of the 91 days at each run. */
static void a_report_body_is_deleted_when_no_line_needs_it(void **state)
{
	size_t all = 0;
	size_t removed;

	(void)state;
	add("a", "m1", NULL, 0);
	sql("DELETE FROM report_origins");
	sql("DELETE FROM reports");
	for (int days = 0; days <= 91; days++) {
		next_event(EVENT_MS);
		assert_int_equal(
			eds_store_report_bodies_sweep(&event, open_store(), &removed), RT_OK);
		all += removed;
		sql("UPDATE report_bodies SET received_at_ms = received_at_ms - 86400000");
	}
	assert_int_equal(all, 1);
	assert_int_equal(sql("SELECT count(*) FROM report_bodies"), 0);
}

static void the_content_of_a_report_is_stored_once(void **state)
{
	size_t removed;

	(void)state;
	assert_string_equal(eds_report_body_id(&event, "abc"),
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	add("a", "m1", NULL, 0);
	assert_int_equal(add_to(&subdomain, "a", "m1", NULL, 0), EDS_REPORT_ADDED);
	assert_int_equal(sql("SELECT count(*) FROM report_bodies"), 1);
	assert_int_equal(eds_store_report_bodies_sweep(&event, open_store(), &removed), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM report_bodies"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(unverified_reporters_share_a_hundred_reports_a_day),
		STORE_TEST(a_reporter_has_200_reports_a_day_and_all_reporters_1000),
		STORE_TEST(the_octets_of_a_day_are_limited_too),
		STORE_TEST(unverified_reporters_have_fifty_places),
		STORE_TEST(forged_lines_of_a_flooded_domain_are_deleted_first),
		STORE_TEST(the_oldest_lines_of_a_flooded_domain_are_deleted),
		STORE_TEST(the_hourly_trim_counts_only_lines_of_the_last_day),
		STORE_TEST(a_report_body_is_deleted_when_no_line_needs_it),
		STORE_TEST(the_content_of_a_report_is_stored_once),
	};

	return cmocka_run_group_tests_name(
		"store: bounds of reports", tests, choose_database, remove_folder);
}
