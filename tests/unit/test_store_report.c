/* The log of reports in the store: its lines, the content of the reports, and sums over them. */
#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/reports/report-expiry.h"
#include "functions/lib/store/reports/report-read.h"
#include "tests/unit/report_fixture.h"

static void a_report_is_stored_with_all_its_content(void **state)
{
	struct eds_report_line line;

	(void)state;
	assert_int_equal(add("a", "m1", NULL, 0), EDS_REPORT_ADDED);
	get_line(last_id, &line);
	assert_string_equal(line.kind, "dmarc");
	assert_string_equal(line.state, "read");
	assert_string_equal(line.mail_from, "noreply@reporter.example");
	assert_string_equal(line.organization, "Reporter");
	assert_string_equal(line.contact, "dmarc@reporter.example");
	assert_string_equal(line.reporter_id, "1");
	assert_string_equal(line.policy_domain, "example.com");
	assert_true(line.received_at_ms == now_ms);
	assert_true(line.begins_at_ms == now_ms - 2 * DAY_MS);
	assert_true(line.ends_at_ms == now_ms - DAY_MS);
	assert_int_equal(line.records, 2);
	assert_int_equal(line.total, 10);
	assert_int_equal(line.passed, 7);
	assert_int_equal(line.failed, 3);
	assert_null(line.reason_code);
	assert_string_equal(line.discovered, "[]");
	assert_string_equal(line.outcomes, "");
	assert_string_equal(line.body, "{\"rows\":[]}");
	assert_string_equal(line.origin.reporter, "reporter.example");
	assert_true(line.origin.verified);
	assert_string_equal(line.origin.dmarc, "pass");
	assert_true(line.counts);
}

static void the_same_message_twice_changes_nothing(void **state)
{
	struct eds_named_selector named = named_of("s1", 1, 0);
	struct eds_selector selector;

	(void)state;
	add("a", "m1", &named, 1);
	named = named_of("s1", 1, 0);
	assert_int_equal(add("a", "m1", &named, 1), EDS_REPORT_SAME);
	get_selector(&domain, "s1", &selector);
	assert_int_equal(selector.pass_count, 1);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 1);
}

static void a_report_in_another_message_is_logged_and_not_counted(void **state)
{
	struct eds_named_selector named = named_of("s1", 1, 0);
	struct eds_report_line *lines;
	struct eds_selector selector;
	size_t count;

	(void)state;
	add("a", "m1", &named, 1);
	assert_int_equal(add("a", "m2", &named, 1), EDS_REPORT_DUPLICATE);
	assert_int_equal(add("a", "m2", &named, 1), EDS_REPORT_SAME);
	get_selector(&domain, "s1", &selector);
	assert_int_equal(selector.pass_count, 1);
	assert_int_equal(eds_store_report_list(&event, open_store(), &domain,
				 &(struct eds_report_query){0}, &lines, &count),
		RT_OK);
	assert_int_equal(count, 2);
	assert_string_equal(lines[0].state, "duplicate");
	assert_string_equal(lines[0].reason_code, "report-duplicate");
	assert_string_equal(lines[0].discovered, "[]");
	assert_string_equal(lines[1].state, "read");
}

static void a_refused_mail_is_logged_once_with_its_reason(void **state)
{
	struct eds_report_line line;
	char id[64];

	(void)state;
	for (int i = 0; i < 2; i++) {
		line = line_of("mail|m1|0", "m1");
		line.kind = "unknown";
		line.state = "refused";
		line.reason_code = "no-report";
		line.reason = "No report was found.";
		next_event(EVENT_MS);
		assert_int_equal(add_line(&domain, &line, NULL, 0),
			i == 0 ? EDS_REPORT_ADDED : EDS_REPORT_SAME);
		if (i == 0)
			snprintf(id, sizeof id, "%s", last_id);
	}
	get_line(id, &line);
	assert_string_equal(line.state, "refused");
	assert_string_equal(line.reason_code, "no-report");
	assert_null(line.body);
}

static void the_reports_of_one_mail_are_stored_together_or_not_at_all(void **state)
{
	struct eds_store *store = open_store();
	struct eds_report_line lines[] = {line_of("a", "m1"), line_of("b", "m1")};
	struct eds_report_item items[] = {{.line = &lines[0]}, {.line = &lines[1]}};
	struct eds_named_selector named = named_of("s1", 1, 0);

	(void)state;
	lines[1].kind = NULL; /* the column is NOT NULL, so the second line fails */
	items[0].named = &named;
	items[0].named_count = 1;
	assert_int_equal(eds_store_reports_add(&event, store, &domain, items, 2), RT_INTERNAL);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 0);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 0);
	lines[1].kind = "dmarc";
	store = open_store();
	assert_int_equal(eds_store_reports_add(&event, store, &domain, items, 2), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 2);
}

static void a_deleted_domain_accepts_no_report(void **state)
{
	struct eds_report_line line = line_of("a", "m1");
	struct eds_named_selector named = named_of("s1", 1, 0);
	struct eds_report_item item = {.line = &line, .named = &named, .named_count = 1};
	struct eds_store *store;

	(void)state;
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &domain), RT_OK);
	store = open_store();
	assert_int_equal(eds_store_reports_add(&event, store, &domain, &item, 1), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "domain-not-found");
	assert_int_equal(sql("SELECT count(*) FROM reports"), 0);
}

static void reports_are_deleted_with_their_domain(void **state)
{
	struct eds_named_selector named = named_of("s1", 1, 0);

	(void)state;
	add("a", "m1", &named, 1);
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &domain), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 0);
	assert_int_equal(sql("SELECT count(*) FROM report_credits"), 0);
}

static void reports_are_listed_in_pages_newest_first(void **state)
{
	struct eds_report_line *lines;
	char first[64];
	char second[64];
	size_t count;

	(void)state;
	add("a", "m1", NULL, 0);
	snprintf(first, sizeof first, "%s", last_id);
	add("b", "m2", NULL, 0);
	snprintf(second, sizeof second, "%s", last_id);
	add("c", "m3", NULL, 0);
	assert_int_equal(eds_store_report_list(&event, open_store(), &domain,
				 &(struct eds_report_query){.limit = 2}, &lines, &count),
		RT_OK);
	assert_int_equal(count, 2);
	assert_string_equal(lines[0].id, last_id);
	assert_string_equal(lines[1].id, second);
	assert_int_equal(
		eds_store_report_list(&event, open_store(), &domain,
			&(struct eds_report_query){.before = second, .limit = 2}, &lines, &count),
		RT_OK);
	assert_int_equal(count, 1);
	assert_string_equal(lines[0].id, first);
	assert_int_equal(eds_store_report_list(&event, open_store(), &subdomain,
				 &(struct eds_report_query){0}, &lines, &count),
		RT_OK);
	assert_int_equal(count, 0);
}

static void another_domains_report_is_not_found(void **state)
{
	struct eds_report_line line;

	(void)state;
	add("a", "m1", NULL, 0);
	assert_int_equal(eds_store_report_get(&event, open_store(), &subdomain, last_id, &line),
		RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "report-not-found");
}

static void add_tls(
	const char *identity, const struct eds_report_failure_sum *failures, size_t count)
{
	struct eds_report_line line = line_of(identity, identity);
	struct eds_report_item item = {.line = &line, .failures = failures, .failure_count = count};
	struct eds_store *store = open_store();

	line.kind = "tls";
	assert_int_equal(eds_store_reports_add(&event, store, &domain, &item, 1), RT_OK);
}

static void tls_reports_sum_up_by_the_type_of_failure(void **state)
{
	const struct eds_report_failure_sum one[] = {
		{"starttls-not-supported", 1}, {"certificate-expired", 2}};
	const struct eds_report_failure_sum two[] = {{"certificate-expired", 1}};
	struct eds_tls_sums sums;

	(void)state;
	add_tls("a", one, 2);
	add_tls("b", two, 1);
	add("c", "m3", NULL, 0);
	assert_int_equal(
		eds_store_tls_sums(&event, open_store(), domain.id, now_ms - DAY_MS, &sums), RT_OK);
	assert_int_equal(sums.reports, 2);
	assert_int_equal(sums.successful, 14);
	assert_int_equal(sums.failed, 6);
	assert_int_equal(sums.failure_count, 2);
	assert_string_equal(sums.failures[0].type, "certificate-expired");
	assert_int_equal(sums.failures[0].sessions, 3);
	assert_int_equal(sums.failures[1].sessions, 1);
	assert_int_equal(eds_store_tls_sums(&event, open_store(), domain.id, now_ms, &sums), RT_OK);
	assert_int_equal(sums.reports, 0);
	assert_int_equal(sums.failure_count, 0);
}

/* A verified reporter counts even if it claims absurd numbers, so the sums must not overflow. */
static void sums_of_tls_reports_stay_within_what_a_number_can_hold(void **state)
{
	const struct eds_report_failure_sum most[] = {
		{"certificate-expired", 400 * ((INT64_C(1) << 53) - 1)}};
	struct eds_tls_sums sums;

	(void)state;
	add_tls("a", most, 1);
	add_tls("b", most, 1);
	add_tls("c", most, 1);
	sql("UPDATE reports SET passed = 9223372036854775807, failed = 9223372036854775807");
	assert_int_equal(
		eds_store_tls_sums(&event, open_store(), domain.id, now_ms - DAY_MS, &sums), RT_OK);
	assert_int_equal(sums.reports, 3);
	assert_int_equal(sums.successful, 3 * INT64_C(1000000000000));
	assert_int_equal(sums.failed, 3 * INT64_C(1000000000000));
	assert_int_equal(sums.failure_count, 1);
	assert_int_equal(sums.failures[0].sessions, 3 * INT64_C(1000000000000));
}

static int64_t tls_failures_counted(void)
{
	struct eds_tls_sums sums;

	assert_int_equal(
		eds_store_tls_sums(&event, open_store(), domain.id, now_ms - DAY_MS, &sums), RT_OK);
	return sums.failed;
}

static void set_standing(const char *standing)
{
	sql(rt_printf(&event, "UPDATE report_reporters SET standing = '%s'", standing));
}

static void sums_count_reporters_that_are_verified_or_accepted_and_not_blocked(void **state)
{
	const struct eds_report_failure_sum failure[] = {{"certificate-expired", 3}};

	(void)state;
	add_tls("a", failure, 1);
	assert_int_equal(tls_failures_counted(), 3);
	sql("UPDATE report_origins SET verified = 0");
	assert_int_equal(tls_failures_counted(), 0);
	set_standing("accepted");
	assert_int_equal(tls_failures_counted(), 3);
	set_standing("blocked");
	assert_int_equal(tls_failures_counted(), 0);
	sql("UPDATE report_origins SET verified = 1");
	assert_int_equal(tls_failures_counted(), 0);
	set_standing("");
	assert_int_equal(tls_failures_counted(), 3);
}

static void a_line_from_before_reporters_were_judged_is_shown_but_not_counted(void **state)
{
	const struct eds_report_failure_sum failure[] = {{"certificate-expired", 3}};
	struct eds_report_line line;

	(void)state;
	add_tls("a", failure, 1);
	add("b", "m2", NULL, 0);
	sql("UPDATE reports SET detail = '{\"rows\":[]}', selectors = '[7]'");
	sql("DELETE FROM report_origins");
	assert_int_equal(tls_failures_counted(), 0);
	get_line(last_id, &line);
	assert_string_equal(line.state, "read");
	assert_false(line.counts);
	assert_false(line.origin.judged);
	assert_null(line.body);
	assert_string_equal(line.detail, "{\"rows\":[]}");
	assert_string_equal(line.selectors, "[7]");
}

static void reports_are_deleted_after_90_days(void **state)
{
	const struct eds_report_failure_sum failure[] = {{"certificate-expired", 2}};
	struct eds_named_selector named = named_of("s1", 1, 0);
	size_t removed;

	(void)state;
	add("old", "m1", &named, 1);
	add_tls("old-tls", failure, 1);
	sql("UPDATE reports SET received_at_ms = received_at_ms - 7776000000");
	sql("UPDATE report_credits SET received_at_ms = received_at_ms - 7776000000");
	add("new", "m2", &named, 1);
	assert_int_equal(eds_store_reports_expire(&event, open_store(), &removed), RT_OK);
	assert_int_equal(removed, 3);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 1);
	assert_int_equal(sql("SELECT count(*) FROM report_failures"), 0);
	assert_int_equal(sql("SELECT count(*) FROM report_credits"), 1);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 1);
	assert_int_equal(eds_store_reports_expire(&event, open_store(), &removed), RT_OK);
	assert_int_equal(removed, 0);
}

static void a_domain_is_found_by_its_id_and_by_its_name(void **state)
{
	struct eds_domain found;

	(void)state;
	assert_int_equal(eds_store_domain_find(&event, open_store(), domain.id, &found), RT_OK);
	assert_string_equal(found.name, "example.com");
	assert_string_equal(found.account_id, ids[2]);
	assert_int_equal(
		eds_store_domain_named(&event, open_store(), ids[2], "mail.example.com", &found),
		RT_OK);
	assert_string_equal(found.id, subdomain.id);
	assert_int_equal(
		eds_store_domain_named(&event, open_store(), "another", "mail.example.com", &found),
		RT_NOT_FOUND);
	rt_fail_clear(&event);
	assert_int_equal(
		eds_store_domain_find(&event, open_store(), "nobody", &found), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "domain-not-found");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_report_is_stored_with_all_its_content),
		STORE_TEST(the_same_message_twice_changes_nothing),
		STORE_TEST(a_report_in_another_message_is_logged_and_not_counted),
		STORE_TEST(a_refused_mail_is_logged_once_with_its_reason),
		STORE_TEST(the_reports_of_one_mail_are_stored_together_or_not_at_all),
		STORE_TEST(a_deleted_domain_accepts_no_report),
		STORE_TEST(reports_are_deleted_with_their_domain),
		STORE_TEST(reports_are_listed_in_pages_newest_first),
		STORE_TEST(another_domains_report_is_not_found),
		STORE_TEST(tls_reports_sum_up_by_the_type_of_failure),
		STORE_TEST(sums_of_tls_reports_stay_within_what_a_number_can_hold),
		STORE_TEST(reports_are_deleted_after_90_days),
		STORE_TEST(sums_count_reporters_that_are_verified_or_accepted_and_not_blocked),
		STORE_TEST(a_line_from_before_reporters_were_judged_is_shown_but_not_counted),
		STORE_TEST(a_domain_is_found_by_its_id_and_by_its_name),
	};

	return cmocka_run_group_tests_name("store: reports", tests, choose_database, remove_folder);
}
