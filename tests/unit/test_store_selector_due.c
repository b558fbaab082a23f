/* Selectors that are due: claims, checks, outcomes, and the history of changes. */
#include "functions/lib/store/selectors/selector-due.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/store_selector_fixture.h"

#define FINDING "[{\"code\":\"key-missing\",\"message\":\"The name does not exist.\"}]"

static struct eds_selector_check missing_check(void)
{
	return (struct eds_selector_check){
		.state = "invalid",
		.alias = "gone.provider.test",
		.errors = FINDING,
		.warnings = "[]",
		.digest = 99,
		.checked_at_ms = rt_wall_ms(),
	};
}

static struct eds_selector_due *claim(size_t expected)
{
	size_t count;
	struct eds_selector_due *claimed = claim_up_to(100, &count);

	assert_int_equal(count, expected);
	return claimed;
}

/* Writes one outcome in the event of the claim; returns how many were written. */
static size_t write_outcome(struct eds_selector_due *due)
{
	struct eds_selector_due *claimed;
	struct eds_store *store;
	size_t written;
	size_t count;

	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_selectors_turn(&event, store, due, 1, &written, 0, &claimed, &count),
		RT_OK);
	assert_int_equal(count, 0);
	return written;
}

static size_t write_check(struct eds_selector_due *due, enum eds_due_outcome outcome,
	const struct eds_selector_check *check, int64_t next_at_ms)
{
	due->outcome = outcome;
	due->check = check;
	due->next_at_ms = next_at_ms;
	return write_outcome(due);
}

static size_t history_of(const char *name, struct eds_selector_change **changes)
{
	size_t count;

	assert_int_equal(
		eds_store_selector_history(&event, open_store(), &domain, name, changes, &count),
		RT_OK);
	return count;
}

static void end_leases(void)
{
	sql("UPDATE dkim_selectors SET leased_until_ms = 1");
}

static void a_due_selector_is_claimed_once(void **state)
{
	struct eds_selector_due *due;

	(void)state;
	assert_int_equal(add_due_at("s1", rt_wall_ms()), RT_OK);
	assert_int_equal(add_due_at("later", rt_wall_ms() + MINUTE_MS), RT_OK);
	due = claim(1);
	assert_string_equal(due->name, "s1");
	assert_string_equal(due->domain, "example.com");
	assert_string_equal(due->domain_id, domain.id);
	assert_true(due->digest == INT64_MIN + 7);
	assert_true(due->probed_at_ms > 0);
	assert_true(due->changed_at_ms > 0);
	claim(0);
}

static void the_selectors_due_longest_are_claimed_first(void **state)
{
	int64_t now_ms = rt_wall_ms();
	struct eds_selector_due *due;
	size_t count;

	(void)state;
	assert_int_equal(add_due_at("new", now_ms - 1), RT_OK);
	assert_int_equal(add_due_at("oldest", now_ms - 3), RT_OK);
	assert_int_equal(add_due_at("old", now_ms - 2), RT_OK);
	due = claim_up_to(2, &count);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++)
		assert_string_not_equal(due[i].name, "new");
	assert_string_equal(claim(1)->name, "new");
}

/* Only on PostgreSQL, because SQLite has only one writer at a time. */
static void selectors_being_claimed_by_another_process_are_skipped(void **state)
{
	struct eds_selector_due *due;
	size_t count;

	(void)state;
	if (!on_postgres())
		skip();
	assert_int_equal(add_due_at("old", 1), RT_OK);
	assert_int_equal(add_due_at("new", 2), RT_OK);
	sql("BEGIN; SELECT 1 FROM dkim_selectors WHERE name = 'old' FOR UPDATE");
	due = claim_up_to(1, &count);
	sql("ROLLBACK");
	assert_int_equal(count, 1);
	assert_string_equal(due->name, "new");
	assert_string_equal(claim(1)->name, "old");
}

static int64_t read_by_due_time(void)
{
	return sql("SELECT idx_tup_read FROM pg_stat_user_indexes"
		   " WHERE indexrelname = 'dkim_selectors_by_due'"
		   " AND schemaname = current_schema()");
}

/* Selectors that were registered together may all be due at the same moment. Then the index by due
 * time leads to all of them, so each must be found by its name. */
static void each_of_many_selectors_due_at_once_is_found_by_name(void **state)
{
	enum { MANY = 2000, WRITTEN = 50 };
	struct eds_selector_due *due;
	struct eds_selector_due *none;
	struct eds_store *store;
	size_t written;
	size_t count;

	(void)state;
	if (!on_postgres())
		skip();
	assert_int_equal(add_due_at("s", 1), RT_OK);
	copy_selector(MANY, "1");
	due = claim_up_to(MANY, &count);
	assert_int_equal(count, MANY);
	for (size_t i = 0; i < WRITTEN; i++) {
		due[i].outcome = EDS_DUE_KEPT;
		due[i].next_at_ms = INT64_MAX;
	}
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_selectors_turn(&event, store, due, WRITTEN, &written, 0, &none, &count),
		RT_OK);
	assert_int_equal(written, WRITTEN);
	/* PostgreSQL publishes the statistics of a connection only when the connection ends */
	disconnect_others();
	assert_in_range(read_by_due_time(), MANY, 2 * MANY);
}

static void selectors_held_by_a_lost_process_are_due_again_after_its_lease(void **state)
{
	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	claim(1);
	claim(0);
	assert_true(sql("SELECT leased_until_ms FROM dkim_selectors") >
		rt_wall_ms() + EDS_SELECTOR_LEASE_MS - MINUTE_MS);
	end_leases();
	claim(1);
}

static void an_unchanged_result_updates_only_its_times(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_change *changes;
	struct eds_selector selector;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	check.checked_at_ms += 5000;
	check.probed_at_ms = 77;
	assert_int_equal(write_check(claim(1), EDS_DUE_SAME, &check, check.checked_at_ms), 1);
	assert_int_equal(get("s1", &selector), RT_OK);
	assert_true(selector.check.checked_at_ms == check.checked_at_ms);
	assert_int_equal(sql("SELECT probed_at_ms FROM dkim_selectors"), 77);
	assert_int_equal(history_of("s1", &changes), 1);
	assert_true(sql("SELECT due_at_ms FROM dkim_selectors") == check.checked_at_ms);
}

static void a_changed_result_is_shown_and_remembered(void **state)
{
	struct eds_selector_due *due;
	struct eds_selector_check check = missing_check();
	struct eds_selector_change *changes;
	struct eds_selector selector;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	check.checked_at_ms += 5000;
	check.wildcard = true;
	assert_int_equal(write_check(claim(1), EDS_DUE_CHANGED, &check, 2), 1);
	assert_int_equal(get("s1", &selector), RT_OK);
	assert_string_equal(selector.check.state, "invalid");
	assert_null(selector.check.key_type);
	assert_int_equal(selector.check.key_bits, 0);
	assert_string_equal(selector.check.alias, "gone.provider.test");
	assert_string_equal(selector.check.errors, FINDING);
	assert_int_equal(history_of("s1", &changes), 2);
	assert_string_equal(changes[0].state, "invalid");
	assert_string_equal(changes[0].errors, FINDING);
	assert_true(changes[0].at_ms == check.checked_at_ms);
	assert_string_equal(changes[1].state, "valid");
	assert_string_equal(changes[1].key_type, "rsa");
	due = claim(1);
	assert_true(due->changed_at_ms == check.checked_at_ms);
	assert_int_equal(due->digest, 99);
	assert_true(due->wildcard);
}

static void a_check_without_an_answer_keeps_the_result_and_is_tried_again(void **state)
{
	struct eds_selector after;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	assert_int_equal(write_check(claim(1), EDS_DUE_KEPT, NULL, 4242), 1);
	assert_int_equal(sql("SELECT due_at_ms FROM dkim_selectors"), 4242);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE state = 'valid'"), 1);
	assert_int_equal(get("s1", &after), RT_OK);
	assert_string_equal(after.check.state, "valid");
}

static void nothing_is_written_after_the_lease(void **state)
{
	struct eds_selector_check check = missing_check();
	struct eds_selector_due late;
	struct eds_selector_due *due;
	char id[64];

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	late = *claim(1);
	snprintf(id, sizeof id, "%s", late.domain_id);
	end_leases();
	due = claim(1);
	assert_true(late.lease <= due->lease);
	late.domain_id = id;
	late.name = "s1";
	/* the lease is no longer ours: another process has claimed the selector */
	late.lease = 12345;
	assert_int_equal(write_check(&late, EDS_DUE_CHANGED, &check, 1), 0);
	assert_int_equal(write_check(&late, EDS_DUE_SAME, &check, 1), 0);
	assert_int_equal(write_check(&late, EDS_DUE_KEPT, &check, 1), 0);
	assert_int_equal(sql("SELECT count(*) FROM dkim_changes"), 1);
	assert_int_equal(write_check(due, EDS_DUE_CHANGED, &check, 1), 1);
}

static void a_selector_deleted_during_its_check_stays_deleted(void **state)
{
	struct eds_selector_check check = missing_check();
	struct eds_selector_due *due;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	due = claim(1);
	sql("DELETE FROM dkim_changes");
	sql("DELETE FROM dkim_selectors");
	assert_int_equal(write_check(due, EDS_DUE_CHANGED, &check, 1), 0);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 0);
	assert_int_equal(sql("SELECT count(*) FROM dkim_changes"), 0);
}

static void a_selector_without_an_outcome_stays_leased(void **state)
{
	struct eds_selector_due *due;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	due = claim(1);
	assert_int_equal(write_check(due, EDS_DUE_OPEN, NULL, 1), 0);
	claim(0);
}

static void outcomes_are_written_with_the_next_claim(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_due *claimed;
	struct eds_selector_due *due;
	struct eds_store *store;
	size_t written;
	size_t count;

	(void)state;
	assert_int_equal(add_due_at("a", 1), RT_OK);
	assert_int_equal(add_due_at("b", 2), RT_OK);
	due = claim_up_to(1, &count);
	assert_string_equal(due->name, "a");
	due->outcome = EDS_DUE_SAME;
	due->check = &check;
	due->next_at_ms = rt_wall_ms() + MINUTE_MS;
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_selectors_turn(&event, store, due, 1, &written, 5, &claimed, &count),
		RT_OK);
	assert_int_equal(written, 1);
	assert_int_equal(count, 1);
	assert_string_equal(claimed->name, "b");
}

/* There are more outcomes than one statement writes, and some differ from the others. */
static void each_of_many_outcomes_is_written_to_its_own_selector(void **state)
{
	enum { MANY = 75, LATE = 40, KEPT = 41 };
	struct eds_selector_check checks[MANY];
	struct eds_selector_due *claimed;
	struct eds_selector_due *due;
	struct eds_store *store;
	size_t written;
	size_t count;
	char name[16];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "s%02d", i);
		assert_int_equal(add_due_at(name, 1), RT_OK);
	}
	due = claim(MANY);
	for (int i = 0; i < MANY; i++) {
		int number = atoi(due[i].name + 1);

		checks[i] = valid_check();
		checks[i].checked_at_ms = 1000 + number;
		checks[i].probed_at_ms = 2000 + number;
		due[i].outcome = number == KEPT ? EDS_DUE_KEPT : EDS_DUE_SAME;
		due[i].check = &checks[i];
		due[i].next_at_ms = 3000 + number;
		due[i].lease += number == LATE;
	}
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_selectors_turn(&event, store, due, MANY, &written, 0, &claimed, &count),
		RT_OK);
	assert_int_equal(written, MANY - 1);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE due_at_ms = 3000 +"
			     " CAST(substr(name, 2) AS BIGINT)"),
		MANY - 1);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE checked_at_ms = due_at_ms -"
			     " 2000 AND probed_at_ms = due_at_ms - 1000"),
		MANY - 2);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors WHERE name = 's40' AND"
			     " due_at_ms = 1 AND checked_at_ms > 4000"),
		1);
}

static void a_check_on_demand_takes_over_the_lease(void **state)
{
	struct eds_selector_check check = missing_check();
	struct eds_selector_due first;
	struct eds_selector_due second;
	struct eds_store *store;

	(void)state;
	assert_int_equal(add("S1"), RT_OK);
	store = open_store();
	assert_int_equal(eds_store_selector_claim(&event, store, &domain, "s1", &first), RT_OK);
	assert_int_equal(eds_store_selector_claim(&event, store, &domain, "S1", &second), RT_OK);
	assert_true(first.lease != second.lease);
	assert_int_equal(write_check(&first, EDS_DUE_CHANGED, &check, 1), 0);
	assert_int_equal(write_check(&second, EDS_DUE_CHANGED, &check, 1), 1);
}

static void history_is_deleted_after_90_days(void **state)
{
	struct eds_selector_change *changes;
	int64_t removed;

	(void)state;
	assert_int_equal(add("s1"), RT_OK);
	assert_int_equal(add("s2"), RT_OK);
	sql("UPDATE dkim_changes SET changed_at_ms = changed_at_ms - 7776000000"
	    " WHERE name = 's1'");
	assert_int_equal(history_of("s1", &changes), 0);
	assert_int_equal(history_of("s2", &changes), 1);
	assert_int_equal(eds_store_selector_history_prune(&event, open_store(), &removed), RT_OK);
	assert_int_equal(removed, 1);
	assert_int_equal(sql("SELECT count(*) FROM dkim_changes"), 1);
}

static void history_keeps_the_latest_200_changes(void **state)
{
	struct eds_selector_check check = missing_check();
	struct eds_selector_change *changes;

	(void)state;
	check.checked_at_ms += 5000;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)"
	    " INSERT INTO dkim_changes (domain_id, name, changed_at_ms, state, key_bits, errors,"
	    " warnings) SELECT c.domain_id, c.name, c.changed_at_ms - n.i, c.state, 0, '[]', '[]'"
	    " FROM dkim_changes c, n");
	assert_int_equal(history_of("s1", &changes), 251);
	assert_int_equal(write_check(claim(1), EDS_DUE_CHANGED, &check, 1), 1);
	assert_int_equal(history_of("s1", &changes), 200);
	assert_string_equal(changes[0].state, "invalid");
}

static void a_failed_first_check_leaves_no_history(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_change *changes;
	bool discovered;

	(void)state;
	check.state = "unknown";
	assert_int_equal(
		eds_store_selector_add(&event, open_store(), &domain, "s1", &check, 1, &discovered),
		RT_OK);
	assert_int_equal(history_of("s1", &changes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_due_selector_is_claimed_once),
		STORE_TEST(the_selectors_due_longest_are_claimed_first),
		STORE_TEST(selectors_being_claimed_by_another_process_are_skipped),
		STORE_TEST(each_of_many_selectors_due_at_once_is_found_by_name),
		STORE_TEST(selectors_held_by_a_lost_process_are_due_again_after_its_lease),
		STORE_TEST(an_unchanged_result_updates_only_its_times),
		STORE_TEST(a_changed_result_is_shown_and_remembered),
		STORE_TEST(a_check_without_an_answer_keeps_the_result_and_is_tried_again),
		STORE_TEST(nothing_is_written_after_the_lease),
		STORE_TEST(a_selector_deleted_during_its_check_stays_deleted),
		STORE_TEST(a_selector_without_an_outcome_stays_leased),
		STORE_TEST(outcomes_are_written_with_the_next_claim),
		STORE_TEST(each_of_many_outcomes_is_written_to_its_own_selector),
		STORE_TEST(a_check_on_demand_takes_over_the_lease),
		STORE_TEST(history_is_deleted_after_90_days),
		STORE_TEST(history_keeps_the_latest_200_changes),
		STORE_TEST(a_failed_first_check_leaves_no_history),
	};

	return cmocka_run_group_tests_name(
		"store: selectors", tests, choose_database, remove_folder);
}
