/* functions/lib/store/reports/report-named.c: selectors that reports make known. */
#include "functions/lib/store/reports/report-named-json.h"
#include "functions/lib/store/reports/report-named.h"
#include "runtime/time.h"
#include "tests/unit/report_fixture.h"

static void register_selector(const char *name)
{
	struct eds_selector_check check = {
		.state = "invalid", .errors = "[]", .warnings = "[]", .checked_at_ms = now_ms};
	bool discovered;

	assert_int_equal(eds_store_selector_add(&event, open_store(), &domain, name, &check,
				 now_ms + DAY_MS, &discovered),
		RT_OK);
}

static void an_unknown_selector_is_discovered_with_its_evidence(void **state)
{
	struct eds_selector_check check = {.state = "valid",
		.key_type = "rsa",
		.key_bits = 2048,
		.errors = "[]",
		.warnings = "[]",
		.checked_at_ms = now_ms};
	struct eds_named_selector named = named_of("S1", 7, 3);
	struct eds_selector selector;
	struct eds_report_line line;

	(void)state;
	named.check = &check;
	named.next_at_ms = now_ms + DAY_MS;
	assert_int_equal(add("a", "m1", &named, 1), EDS_REPORT_ADDED);
	assert_int_equal(named.outcome, EDS_NAMED_NEW);
	get_selector(&domain, "s1", &selector);
	assert_string_equal(selector.name, "S1");
	assert_false(selector.manual);
	assert_string_equal(selector.check.state, "valid");
	assert_int_equal(selector.check.key_bits, 2048);
	assert_int_equal(selector.pass_count, 7);
	assert_int_equal(selector.fail_count, 3);
	assert_true(selector.first_seen_ms == now_ms - 2 * DAY_MS);
	assert_true(selector.last_seen_ms == now_ms - DAY_MS);
	assert_int_equal(sql("SELECT count(*) FROM dkim_changes"), 1);
	get_line(last_id, &line);
	assert_string_equal(line.discovered, "[{\"domain\":\"example.com\",\"selector\":\"S1\"}]");
	assert_string_equal(line.outcomes, "n");
	assert_string_equal(eds_named_outcome_name('n'), "discovered");
}

static void a_selector_without_an_answer_of_dns_is_due_at_once(void **state)
{
	struct eds_named_selector named = named_of("s1", 1, 0);
	struct eds_selector selector;

	(void)state;
	add("a", "m1", &named, 1);
	get_selector(&domain, "s1", &selector);
	assert_string_equal(selector.check.state, "unknown");
	assert_int_equal(selector.check.checked_at_ms, 0);
	assert_true(sql("SELECT due_at_ms FROM dkim_selectors") <= rt_wall_ms());
	assert_int_equal(sql("SELECT count(*) FROM dkim_changes"), 0);
}

static void a_registered_selector_stays_registered_and_gains_evidence(void **state)
{
	struct eds_named_selector named = named_of("S1", 2, 1);
	struct eds_selector selector;

	(void)state;
	register_selector("s1");
	add("a", "m1", &named, 1);
	assert_int_equal(named.outcome, EDS_NAMED_KNOWN);
	named = named_of("s1", 5, 0);
	add("b", "m2", &named, 1);
	get_selector(&domain, "s1", &selector);
	assert_true(selector.manual);
	assert_int_equal(selector.pass_count, 7);
	assert_int_equal(selector.fail_count, 1);
	assert_string_equal(selector.check.state, "invalid");
}

static void a_deleted_selector_comes_back_with_the_next_report(void **state)
{
	struct eds_named_selector named = named_of("s1", 1, 0);
	struct eds_selector selector;
	const char *shown;

	(void)state;
	add("a", "m1", &named, 1);
	assert_int_equal(
		eds_store_selector_delete(&event, open_store(), &domain, "s1", &shown), RT_OK);
	named = named_of("s1", 4, 0);
	add("b", "m2", &named, 1);
	assert_int_equal(named.outcome, EDS_NAMED_NEW);
	get_selector(&domain, "s1", &selector);
	assert_int_equal(selector.pass_count, 4);
}

static void a_duplicate_report_does_not_bring_a_deleted_selector_back(void **state)
{
	struct eds_named_selector named = named_of("s1", 1, 0);

	(void)state;
	add("a", "m1", &named, 1);
	sql("DELETE FROM dkim_selectors");
	add("a", "m2", &named, 1);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 0);
}

static void signatures_of_a_monitored_subdomain_count_for_the_subdomain(void **state)
{
	struct eds_named_selector named = named_of("s1", 3, 0);
	struct eds_selector selector;

	(void)state;
	named.domain = &subdomain;
	named.domain_name = subdomain.name;
	add("a", "m1", &named, 1);
	get_selector(&subdomain, "s1", &selector);
	assert_int_equal(selector.pass_count, 3);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 1);
}

static void a_report_to_two_addresses_of_a_domain_counts_once(void **state)
{
	struct eds_named_selector named = named_of("s1", 3, 0);
	struct eds_selector selector;

	(void)state;
	named.domain = &subdomain;
	named.domain_name = subdomain.name;
	add_to(&domain, "a", "m1", &named, 1);
	assert_int_equal(add_to(&subdomain, "a", "m1", &named, 1), EDS_REPORT_ADDED);
	assert_int_equal(named.outcome, EDS_NAMED_COUNTED);
	get_selector(&subdomain, "s1", &selector);
	assert_int_equal(selector.pass_count, 3);
	assert_int_equal(sql("SELECT count(*) FROM reports"), 2);
}

/* Makes count selectors whose names begin with the prefix; either all have passed or none. */
static struct eds_named_selector *many(const char *prefix, size_t count, bool pass)
{
	struct eds_named_selector *named = rt_alloc_array(&event, count, sizeof *named);

	for (size_t i = 0; i < count; i++)
		named[i] = named_of(rt_printf(&event, "%s%zu", prefix, i), pass, !pass);
	return named;
}

static void add_many(const char *prefix, size_t count, bool pass)
{
	struct eds_report_line line = line_of(prefix, prefix);

	next_event(EVENT_MS);
	assert_int_equal(
		add_line(&domain, &line, many(prefix, count, pass), count), EDS_REPORT_ADDED);
}

static int64_t discovered(void)
{
	return sql("SELECT count(*) FROM dkim_selectors WHERE manual = 0");
}

static void one_report_adds_at_most_twenty_selectors(void **state)
{
	(void)state;
	add_many("a", 500, true);
	assert_int_equal(discovered(), 20);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE name = 'a19'"), 1);
}

static void at_most_a_hundred_selectors_are_discovered_for_a_domain(void **state)
{
	char prefix[] = "a-";

	(void)state;
	register_selector("own");
	for (; prefix[0] < 'h'; prefix[0]++)
		add_many(prefix, 30, true);
	assert_int_equal(discovered(), 100);
	register_selector("more");
}

static const struct eds_selector_check found = {.state = "valid",
	.key_type = "rsa",
	.key_bits = 2048,
	.errors = "[]",
	.warnings = "[]",
	.checked_at_ms = 1};
static const struct eds_selector_check missing = {
	.state = "invalid", .errors = "[]", .warnings = "[]", .checked_at_ms = 1};
static const struct eds_selector_check wild = {.state = "valid",
	.key_type = "rsa",
	.key_bits = 2048,
	.wildcard = true,
	.errors = "[]",
	.warnings = "[]",
	.checked_at_ms = 1};

/* Adds count selectors whose signatures failed, with this result of their checks in DNS. */
static const char *add_checked(
	const char *prefix, size_t count, const struct eds_selector_check *check, bool verified)
{
	struct eds_report_line line;
	struct eds_named_selector *named;

	next_event(EVENT_MS);
	line = verified ? line_of(prefix, prefix) : forged_line_of(prefix, prefix);
	named = many(prefix, count, false);
	for (size_t i = 0; i < count; i++) {
		named[i].check = check;
		named[i].next_at_ms = now_ms + DAY_MS;
	}
	assert_int_equal(add_line(&domain, &line, named, count), EDS_REPORT_ADDED);
	return line.outcomes;
}

static void at_most_thirty_discovered_selectors_have_no_key(void **state)
{
	(void)state;
	add_checked("a", 20, &missing, true);
	assert_string_equal(add_checked("b", 11, &missing, true), "nnnnnnnnnnd");
	assert_int_equal(discovered(), 30);
	add_checked("c", 20, &found, true);
	add_many("d", 20, true);
	assert_int_equal(discovered(), 70);
}

static void forged_reports_add_only_selectors_that_have_a_key(void **state)
{
	struct eds_selector selector;

	(void)state;
	assert_string_equal(add_checked("a", 2, &missing, false), "uu");
	assert_string_equal(add_checked("b", 1, NULL, false), "u");
	assert_string_equal(add_checked("c", 1, &wild, false), "u");
	assert_int_equal(discovered(), 0);
	assert_string_equal(add_checked("d", 1, &found, false), "n");
	get_selector(&domain, "d0", &selector);
	assert_int_equal(selector.fail_count, 0);
	assert_int_equal(selector.last_seen_ms, 0);
}

static void forged_evidence_counts_for_nothing(void **state)
{
	struct eds_named_selector named = named_of("s1", 7, 3);
	struct eds_report_line line;
	struct eds_selector selector;

	(void)state;
	add("a", "m1", &named, 1);
	next_event(EVENT_MS);
	line = forged_line_of("b", "m2");
	named = named_of("s1", 0, 1000000);
	add_line(&domain, &line, &named, 1);
	assert_string_equal(line.outcomes, "k");
	get_selector(&domain, "s1", &selector);
	assert_int_equal(selector.pass_count, 7);
	assert_int_equal(selector.fail_count, 3);
	next_event(EVENT_MS);
	named = named_of("s1", 1, 0);
	add("b", "m3", &named, 1);
	get_selector(&domain, "s1", &selector);
	assert_int_equal(selector.pass_count, 7);
}

/* All places for discovered selectors are taken: an attacker has filled as many as selectors
 * without a key may take, and selectors with a key have the rest. */
static void a_selector_with_a_key_replaces_one_without(void **state)
{
	(void)state;
	add_checked("a", 20, &missing, true);
	add_checked("b", 10, &missing, true);
	for (char prefix[] = "p"; prefix[0] < 't'; prefix[0]++)
		add_checked(prefix, 20, &found, true);
	assert_int_equal(discovered(), 100);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE state = 'invalid'"), 20);
	assert_string_equal(add_checked("t", 1, &missing, true), "f");
	assert_string_equal(add_checked("u", 20, &found, false), "nnnnnnnnnnnnnnnnnnnn");
	assert_int_equal(discovered(), 100);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE state = 'invalid'"), 0);
	assert_string_equal(add_checked("v", 1, &found, true), "f");
}

static void only_selectors_without_a_key_give_way(void **state)
{
	(void)state;
	add_checked("a", 1, &missing, true);
	for (char prefix[] = "p"; prefix[0] < 't'; prefix[0]++)
		add_checked(prefix, 20, &found, true);
	add_checked("t", 19, &found, true);
	assert_int_equal(discovered(), 100);
	assert_string_equal(add_checked("u", 2, &found, false), "nf");
	assert_int_equal(discovered(), 100);
}

static void a_selector_that_never_passed_gives_way_before_one_that_did(void **state)
{
	(void)state;
	add_many("a", 1, true);
	sql("UPDATE dkim_selectors SET state = 'invalid', key_bits = 0");
	add_checked("b", 1, &missing, true);
	for (char prefix[] = "p"; prefix[0] < 'u'; prefix[0]++)
		add_checked(prefix, 20, &found, true);
	assert_int_equal(discovered(), 100);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE name = 'b0'"), 0);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE name = 'a0'"), 0);
	sql("DELETE FROM dkim_selectors WHERE name IN ('p0', 'p1')");
	add_many("c", 1, true);
	sql("UPDATE dkim_selectors SET state = 'invalid', key_bits = 0 WHERE name = 'c0'");
	add_checked("d", 1, &missing, true);
	add_checked("x", 1, &found, true);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE name = 'd0'"), 0);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE name = 'c0'"), 1);
}

static void a_plan_names_the_outcome_for_each_selector(void **state)
{
	struct eds_named_selector named[3];

	(void)state;
	register_selector("known");
	named[0] = named_of("known", 1, 0);
	named[1] = named_of("new", 1, 0);
	named[2] = named_of("a.b", 1, 0);
	named[2].outcome = EDS_NAMED_DOTTED;
	assert_int_equal(eds_store_report_plan(&event, open_store(), named, 3), RT_OK);
	assert_int_equal(named[0].outcome, EDS_NAMED_KNOWN);
	assert_int_equal(named[1].outcome, EDS_NAMED_NEW);
	assert_int_equal(named[2].outcome, EDS_NAMED_DOTTED);
	assert_int_equal(discovered(), 0);
}

static void impossible_times_and_counts_are_bounded(void **state)
{
	struct eds_named_selector named = named_of("s1", INT64_C(1000000000000), 0);
	struct eds_selector selector;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct eds_report_line line = line_of(i == 0 ? "a" : "b", "m1");

		next_event(EVENT_MS);
		line.begins_at_ms = now_ms + 100 * DAY_MS;
		line.ends_at_ms = now_ms + 200 * DAY_MS;
		assert_int_equal(add_line(&domain, &line, &named, 1), EDS_REPORT_ADDED);
		sql("UPDATE dkim_selectors SET pass_count = 999999999999999");
	}
	get_selector(&domain, "s1", &selector);
	assert_true(selector.first_seen_ms == now_ms);
	assert_true(selector.last_seen_ms == now_ms);
	named = named_of("s1", 5, 0);
	add("c", "m3", &named, 1);
	get_selector(&domain, "s1", &selector);
	assert_true(selector.pass_count == INT64_C(1000000000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(an_unknown_selector_is_discovered_with_its_evidence),
		STORE_TEST(a_selector_without_an_answer_of_dns_is_due_at_once),
		STORE_TEST(a_registered_selector_stays_registered_and_gains_evidence),
		STORE_TEST(a_deleted_selector_comes_back_with_the_next_report),
		STORE_TEST(a_duplicate_report_does_not_bring_a_deleted_selector_back),
		STORE_TEST(signatures_of_a_monitored_subdomain_count_for_the_subdomain),
		STORE_TEST(a_report_to_two_addresses_of_a_domain_counts_once),
		STORE_TEST(one_report_adds_at_most_twenty_selectors),
		STORE_TEST(at_most_a_hundred_selectors_are_discovered_for_a_domain),
		STORE_TEST(at_most_thirty_discovered_selectors_have_no_key),
		STORE_TEST(forged_reports_add_only_selectors_that_have_a_key),
		STORE_TEST(forged_evidence_counts_for_nothing),
		STORE_TEST(a_selector_with_a_key_replaces_one_without),
		STORE_TEST(only_selectors_without_a_key_give_way),
		STORE_TEST(a_selector_that_never_passed_gives_way_before_one_that_did),
		STORE_TEST(a_plan_names_the_outcome_for_each_selector),
		STORE_TEST(impossible_times_and_counts_are_bounded),
	};

	return cmocka_run_group_tests_name(
		"store: selectors that reports name", tests, choose_database, remove_folder);
}
