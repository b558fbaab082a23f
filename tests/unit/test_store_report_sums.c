/* Sums of DMARC reports, in the store. */
#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/reports/report-expiry.h"
#include "functions/lib/store/reports/report-fold.h"
#include "functions/lib/store/reports/report-sources.h"
#include "functions/lib/store/reports/report-sums.h"
#include "functions/lib/store/reports/report-unsummed.h"
#include "tests/unit/report_fixture.h"

static const struct eds_report_row_sum told[] = {
	{"192.0.2.1", 1, 1, "example.com dkim+example.com", 5},
	{"192.0.2.1", 1, 1, "example.com spf+example.com", 2}, {"198.51.100.7", 4, 0, "-", 2},
	{"", 0, 2, "-", 1}};

enum { TOLD = sizeof told / sizeof told[0] };

static enum eds_report_added add_told(struct eds_report_line *line, size_t count)
{
	struct eds_report_item item = {.line = line, .sums = told, .sum_count = count};

	next_event(EVENT_MS);
	assert_int_equal(eds_store_reports_add(&event, open_store(), &domain, &item, 1), RT_OK);
	return item.added;
}

static void add_of(const char *identity, const char *reporter, bool verified)
{
	struct eds_report_line line = line_of(identity, identity);

	line.origin.reporter = reporter;
	line.origin.verified = line.counts = verified;
	add_told(&line, TOLD);
}

static size_t sums_by(enum eds_report_sum_by by, struct eds_report_sum **sums)
{
	const struct eds_report_sums_query query = {
		.by = by, .to_day = INT32_MAX, .class = -1, .reporter = ""};
	size_t count;

	next_event(EVENT_MS);
	assert_int_equal(
		eds_store_report_sums(&event, open_store(), &domain, &query, sums, &count), RT_OK);
	return count;
}

static void fold_all(void)
{
	next_event(EVENT_MS);
	assert_int_equal(eds_store_report_fold(&event, open_store(), domain.id), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM report_unfolded"), 0);
}

static void decide(const char *reporter, const char *standing)
{
	struct eds_reporter decided;

	next_event(EVENT_MS);
	assert_int_equal(eds_store_reporter_decide(
				 &event, open_store(), &domain, reporter, standing, &decided),
		RT_OK);
}

/* All possible sums, as one text, so that two answers can be compared completely. */
static char *all_sums(const char *reporter)
{
	char *text = calloc(1, 1 << 16);
	size_t length = 0;

	for (int by = 0; by < EDS_SUM_BYS; by++) {
		for (int class = -1; class < 3; class ++) {
			const struct eds_report_sums_query query = {
				.by = (enum eds_report_sum_by)by,
				.from_day = 1,
				.to_day = INT32_MAX,
				.class = class,
				.reporter = reporter};
			struct eds_report_sum *sums;
			size_t count;

			next_event(EVENT_MS);
			assert_int_equal(eds_store_report_sums(&event, open_store(), &domain,
						 &query, &sums, &count),
				RT_OK);
			for (size_t i = 0; i < count; i++)
				length += (size_t)snprintf(text + length, (1 << 16) - length,
					"%d %d %s %lld %lld %lld %lld %lld\n", by, class,
					sums[i].key, (long long)sums[i].passed,
					(long long)sums[i].forwarded, (long long)sums[i].failed,
					(long long)sums[i].first_day, (long long)sums[i].last_day);
		}
	}
	assert_true(length < (1 << 16) - 1);
	return text;
}

static void sums_stay_the_same(void (*change)(void))
{
	char *before = all_sums("");
	char *of_one = all_sums("two.example");
	char *after;

	assert_true(strlen(before) > 0);
	change();
	after = all_sums("");
	assert_string_equal(after, before);
	free(after);
	after = all_sums("two.example");
	assert_string_equal(after, of_one);
	free(after);
	free(of_one);
	free(before);
}

static void only_reports_that_count_are_summed(void **state)
{
	struct eds_report_sum *sums;

	(void)state;
	add_of("a", "one.example", true);
	add_of("b", "two.example", true);
	add_of("c", "forger.example", false);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 3);
	assert_string_equal(sums[0].key, "192.0.2.1");
	assert_int_equal(sums[0].passed, 14);
	assert_string_equal(sums[1].key, "198.51.100.7");
	assert_int_equal(sums[1].failed, 4);
	assert_string_equal(sums[2].key, "");
	assert_int_equal(sums[2].forwarded, 2);
	assert_int_equal(sums[0].first_day, now_ms / DAY_MS - 2);
	assert_int_equal(sums_by(EDS_SUM_BY_REPORTER, &sums), 2);
	assert_int_equal(sums_by(EDS_SUM_BY_DAY, &sums), 1);
}

static void a_decision_about_a_reporter_holds_for_earlier_reports_too(void **state)
{
	struct eds_reporter reporter;
	struct eds_report_sum *sums;

	(void)state;
	add_of("a", "one.example", true);
	add_of("b", "forger.example", false);
	assert_int_equal(eds_store_reporter_decide(&event, open_store(), &domain, "one.example",
				 "blocked", &reporter),
		RT_OK);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 0);
	assert_int_equal(eds_store_reporter_decide(&event, open_store(), &domain, "forger.example",
				 "accepted", &reporter),
		RT_OK);
	assert_int_equal(sums_by(EDS_SUM_BY_REPORTER, &sums), 1);
	assert_string_equal(sums[0].key, "forger.example");
}

static void a_report_that_comes_again_adds_nothing(void **state)
{
	struct eds_report_sum *sums;

	(void)state;
	add_of("a", "one.example", true);
	add_of("a", "one.example", true);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 3);
	assert_int_equal(sums[0].passed, 7);
}

static void a_truncated_report_leaves_the_sums_when_the_whole_one_comes(void **state)
{
	struct eds_report_line part = line_of("a|cut", "m1");
	struct eds_report_line whole = line_of("a", "m2");
	struct eds_report_sum *sums;

	(void)state;
	part.whole_identity = "a";
	part.origin.reporter = whole.origin.reporter;
	add_told(&part, 1);
	add_of("b", "two.example", false);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 1);
	assert_int_equal(sums[0].passed, 5);
	fold_all();
	assert_int_equal(add_told(&whole, TOLD), EDS_REPORT_ADDED);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 3);
	assert_int_equal(sums[0].passed, 7);
	assert_int_equal(sums_by(EDS_SUM_BY_REPORTER, &sums), 1);
	assert_int_equal(sums[0].passed, 7);
	sums_stay_the_same(fold_all);
}

enum { MANY = 3000 };

/* Rows and addresses that outlive the events. */
static struct eds_report_row_sum many[MANY];
static char addresses[MANY][sizeof "10.255.255.255 is more than enough"];

static void tell_many(void)
{
	for (int i = 0; i < MANY; i++) {
		snprintf(addresses[i], sizeof addresses[i], "10.0.%d.%d", i / 100 % 100, i % 100);
		many[i] = (struct eds_report_row_sum){addresses[i], 1, 1, "-", i % 100 + 1};
	}
}

static void folding_rows_changes_no_sum(void **state)
{
	(void)state;
	add_of("a", "one.example", true);
	add_of("b", "two.example", true);
	add_of("c", "forger.example", false);
	sums_stay_the_same(fold_all);
	assert_int_equal(sql("SELECT sum(reports) FROM report_day_packs"), 3);
	add_of("d", "two.example", true);
	add_of("e", "three.example", true);
	sums_stay_the_same(fold_all);
	assert_int_equal(sql("SELECT count(*) FROM report_day_packs"), 1);
	decide("two.example", "blocked");
	decide("forger.example", "accepted");
	add_of("f", "forger.example", false);
	add_of("g", "two.example", true);
	sums_stay_the_same(fold_all);
	assert_int_equal(sql("SELECT sum(reports) FROM report_day_packs"), 7);
}

static void a_source_tells_who_signed(const char *most, size_t count)
{
	const struct eds_report_sums_query query = {
		.to_day = INT32_MAX, .class = -1, .reporter = ""};
	struct eds_report_source *sources;
	size_t found;

	next_event(EVENT_MS);
	assert_int_equal(
		eds_store_report_sources(&event, open_store(), &domain, &query, &sources, &found),
		RT_OK);
	assert_true(found > 0);
	assert_string_equal(sources[0].sum.key, "192.0.2.1");
	assert_int_equal(sources[0].auth_count, count);
	assert_string_equal(sources[0].auths[0].auth, most);
}

static void signers_are_shown_whether_rows_are_folded_or_not(void **state)
{
	(void)state;
	add_of("a", "one.example", true);
	a_source_tells_who_signed("example.com dkim+example.com", 2);
	fold_all();
	a_source_tells_who_signed("example.com dkim+example.com", 2);
	add_of("b", "forger.example", false);
	fold_all();
	decide("forger.example", "accepted");
	decide("one.example", "blocked");
	a_source_tells_who_signed("example.com dkim+example.com", 2);
}

static void many_sources_are_all_summed(void **state)
{
	struct eds_report_line line = line_of("a", "m1");
	struct eds_report_item item = {.line = &line, .sums = many, .sum_count = MANY};
	struct eds_report_sum *sums;

	(void)state;
	tell_many();
	assert_int_equal(eds_store_reports_add(&event, open_store(), &domain, &item, 1), RT_OK);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 1000);
	assert_string_equal(sums[0].key, "10.0.0.99");
	assert_int_equal(sums[0].passed, 100);
	assert_int_equal(sums_by(EDS_SUM_BY_DAY, &sums), 1);
	assert_int_equal(sums[0].passed, 30 * 5050);
}

/* A large day is stored in parts: when one is full, later rows go into the next. */
static void a_large_day_is_stored_in_parts(void **state)
{
	struct eds_report_line line = line_of("a", "m1");
	struct eds_report_item item = {.line = &line, .sums = many, .sum_count = MANY};
	static const char *const identities[] = {"1", "2", "3", "4"};
	struct eds_report_sum *sums;

	(void)state;
	tell_many();
	for (int i = 0; i < MANY; i++)
		many[i].auth = "a-domain-of-a-name-that-is-long.example.com dkim+example.com";
	for (int i = 0; i < 4; i++) {
		line.identity = identities[i];
		for (int j = 0; j < MANY; j++)
			snprintf(addresses[j], sizeof addresses[j], "10.%d.%d.%d", i, j / 100,
				j % 100);
		assert_int_equal(
			eds_store_reports_add(&event, open_store(), &domain, &item, 1), RT_OK);
		fold_all();
	}
	assert_int_equal(sql("SELECT count(*) FROM report_day_packs"), 2);
	assert_int_equal(sums_by(EDS_SUM_BY_DAY, &sums), 1);
	assert_int_equal(sums[0].passed, 4 * 30 * 5050);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 1000);
	assert_int_equal(sums[0].passed, 100);
}

static void reports_pushed_out_by_a_flood_leave_the_sums(void **state)
{
	struct eds_report_sum *sums;
	char identity[16];
	size_t removed;

	(void)state;
	add_of("a", "one.example", true);
	for (int i = 0; i < 95; i++) {
		usleep(1000); /* ids made in the same millisecond have no defined order */
		snprintf(identity, sizeof identity, "b%d", i);
		add_of(identity, "two.example", true);
	}
	fold_all();
	next_event(EVENT_MS);
	assert_int_equal(eds_store_reports_trim(&event, open_store(), 90, &removed), RT_OK);
	assert_int_equal(removed, 6);
	assert_int_equal(sums_by(EDS_SUM_BY_REPORTER, &sums), 1);
	assert_string_equal(sums[0].key, "two.example");
	assert_int_equal(sums[0].passed, 90 * 7);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 3);
	assert_int_equal(sums[0].passed, 90 * 7);
	assert_int_equal(sums[1].failed, 90 * 2);
	sums_stay_the_same(fold_all);
}

/* Makes a line look as an earlier release adds it, without rows for the sums. */
static void forget_rows_of(const char *identity)
{
	const char *of = rt_printf(
		&event, "(SELECT id FROM reports WHERE identity = '%s')", identity);

	sql(rt_printf(&event, "DELETE FROM report_unfolded WHERE report_id IN %s", of));
	sql(rt_printf(&event, "DELETE FROM report_packs WHERE report_id IN %s", of));
	sql(rt_printf(&event, "UPDATE reports SET packed = 0 WHERE identity = '%s'", identity));
}

static size_t keep_unsummed(int limit)
{
	struct eds_store *store = open_store();
	struct eds_report_unsummed *lines;
	size_t count;

	assert_int_equal(eds_store_report_unsummed(&event, store, limit, &lines, &count), RT_OK);
	for (size_t i = 0; i < count; i++)
		for (int twice = 0; twice < 2; twice++)
			assert_int_equal(eds_store_report_unsummed_keep(
						 &event, store, &lines[i], told, TOLD),
				RT_OK);
	if (count > 0)
		assert_int_equal(eds_store_report_unsummed_end(&event, store, domain.id), RT_OK);
	return count;
}

static bool is_complete(void)
{
	bool complete;

	assert_int_equal(
		eds_store_report_sums_complete(&event, open_store(), &domain, &complete), RT_OK);
	return complete;
}

/* Programs of an earlier release have added two lines without sums, and removed a line whose rows
 * are in the sum of its day. */
static void earlier_lines_are_summed_in_as_many_runs_as_needed(void **state)
{
	struct eds_report_sum *sums;

	(void)state;
	add_of("a", "one.example", true);
	add_of("b", "two.example", true);
	forget_rows_of("a");
	forget_rows_of("b");
	add_of("c", "three.example", true);
	add_of("d", "four.example", true);
	fold_all();
	/* a foreign key deletes these rows together with the line where foreign keys are
	 * enforced */
	forget_rows_of("c");
	sql("DELETE FROM reports WHERE identity = 'c'");
	assert_false(is_complete());
	assert_int_equal(keep_unsummed(1), 1);
	assert_false(is_complete());
	assert_int_equal(keep_unsummed(10), 1);
	assert_true(is_complete());
	assert_int_equal(keep_unsummed(10), 0);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 3);
	assert_int_equal(sums[0].passed, 21);
	assert_int_equal(sums[1].failed, 6);
	assert_int_equal(sums_by(EDS_SUM_BY_REPORTER, &sums), 3);
	assert_string_equal(sums[0].key, "four.example");
	assert_int_equal(sums[0].passed, 7);
	assert_int_equal(sums[2].passed, 7);
	assert_int_equal(sql("SELECT count(*) FROM report_unfolded"), 0);
}

/* There are more rows, of several days, than one transaction folds. */
static void many_reports_are_folded_in_parts(void **state)
{
	char identity[16];

	(void)state;
	for (int i = 0; i < 150; i++) {
		struct eds_report_line line = line_of(identity, "m1");

		snprintf(identity, sizeof identity, "b%d", i);
		line.origin.reporter = i % 3 > 0 ? "one.example" : "two.example";
		line.begins_at_ms = now_ms - (2 + i % 4) * DAY_MS;
		add_told(&line, 1 + (size_t)i % TOLD);
	}
	sums_stay_the_same(fold_all);
	assert_int_equal(sql("SELECT sum(reports) FROM report_day_packs"), 150);
	assert_int_equal(sql("SELECT count(*) FROM report_day_packs"), 4);
}

static void a_source_known_only_from_a_blocked_reporter_counts_as_never_seen(void **state)
{
	struct eds_report_line line = line_of("b", "m2");
	struct eds_reporter reporter;
	struct eds_report_sum *sums;

	(void)state;
	add_of("a", "one.example", true);
	line.origin.reporter = "two.example";
	line.begins_at_ms = now_ms - 9 * DAY_MS;
	add_told(&line, TOLD);
	sums_by(EDS_SUM_BY_SOURCE, &sums);
	assert_int_equal(sums[0].first_day, now_ms / DAY_MS - 9);
	assert_int_equal(eds_store_reporter_decide(&event, open_store(), &domain, "two.example",
				 "blocked", &reporter),
		RT_OK);
	assert_int_equal(sums_by(EDS_SUM_BY_SOURCE, &sums), 3);
	assert_int_equal(sums[0].passed, 7);
	assert_int_equal(sums[0].first_day, now_ms / DAY_MS - 2);
}

static void sums_are_deleted_after_90_days(void **state)
{
	struct eds_report_line line = line_of("a", "m1");
	size_t removed;

	(void)state;
	line.begins_at_ms = now_ms - 91 * DAY_MS;
	add_told(&line, TOLD);
	line = line_of("b", "m2");
	line.begins_at_ms = now_ms - 89 * DAY_MS;
	add_told(&line, TOLD);
	next_event(EVENT_MS);
	fold_all();
	assert_int_equal(sql("SELECT count(*) FROM report_day_packs"), 2);
	next_event(EVENT_MS);
	assert_int_equal(eds_store_reports_expire(&event, open_store(), &removed), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM report_day_packs"), 1);
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &domain), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM report_day_packs"), 0);
	assert_int_equal(sql("SELECT count(*) FROM report_packs"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(only_reports_that_count_are_summed),
		STORE_TEST(a_decision_about_a_reporter_holds_for_earlier_reports_too),
		STORE_TEST(a_report_that_comes_again_adds_nothing),
		STORE_TEST(a_truncated_report_leaves_the_sums_when_the_whole_one_comes),
		STORE_TEST(many_sources_are_all_summed),
		STORE_TEST(reports_pushed_out_by_a_flood_leave_the_sums),
		STORE_TEST(earlier_lines_are_summed_in_as_many_runs_as_needed),
		STORE_TEST(many_reports_are_folded_in_parts),
		STORE_TEST(folding_rows_changes_no_sum),
		STORE_TEST(signers_are_shown_whether_rows_are_folded_or_not),
		STORE_TEST(a_large_day_is_stored_in_parts),
		STORE_TEST(a_source_known_only_from_a_blocked_reporter_counts_as_never_seen),
		STORE_TEST(sums_are_deleted_after_90_days),
	};

	return cmocka_run_group_tests_name(
		"store: sums of reports", tests, choose_database, remove_folder);
}
