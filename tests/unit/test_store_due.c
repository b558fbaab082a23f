/* Leases of due work: they have a column beside the due time, and programs of the previous release
 * respect them, too. */
#include "functions/lib/store/due.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/store_selector_fixture.h"

static size_t write_outcome(struct eds_selector_due *due, enum eds_due_outcome outcome,
	const struct eds_selector_check *check, int64_t next_at_ms)
{
	struct eds_selector_due *claimed;
	struct eds_store *store;
	size_t written;
	size_t count;

	due->outcome = outcome;
	due->check = check;
	due->next_at_ms = next_at_ms;
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_selectors_turn(&event, store, due, 1, &written, 0, &claimed, &count),
		RT_OK);
	return written;
}

/* Claims the only selector, and copies it so that later events can use it. */
static struct eds_selector_due claim_own(void)
{
	struct eds_selector_due due;
	size_t count;

	due = *claim_up_to(100, &count);
	assert_int_equal(count, 1);
	due.domain_id = domain.id;
	due.name = "s1";
	return due;
}

static size_t claimable(void)
{
	size_t count;

	claim_up_to(100, &count);
	return count;
}

static int64_t number_of(const char *column, const char *view, const char *index)
{
	char text[SQL_MAX_BYTES];

	/* PostgreSQL publishes the statistics of a connection only when the connection ends */
	disconnect_others();
	snprintf(text, sizeof text,
		"SELECT sum(%s) FROM %s WHERE relname = 'dkim_selectors'"
		" AND schemaname = current_schema() AND %s",
		column, view, index);
	return sql(text);
}

/* An update of columns that are in no index (a HOT update in PostgreSQL) writes no index entries,
 * which saves most of the log. */
static void a_claim_writes_no_index_entries(void **state)
{
	size_t count;

	(void)state;
	if (!on_postgres())
		skip();
	assert_int_equal(add_due_at("s", 1), RT_OK);
	copy_selector(100, "i");
	claim_up_to(4, &count);
	assert_int_equal(count, 4);
	assert_int_equal(number_of("n_tup_hot_upd", "pg_stat_user_tables", "true"), 4);
}

static int64_t read_by_due_time(void)
{
	return number_of(
		"idx_tup_read", "pg_stat_user_indexes", "indexrelname = 'dkim_selectors_by_due'");
}

/* If the page of an item has no room for another version of its row, a claim adds a second entry to
 * the index; later claims must not read more than these two. */
static void a_claim_passes_each_leased_item_once(void **state)
{
	enum { MANY = 20000, LEASED = 500, CLAIMED = 10 };
	int64_t before;
	size_t count;

	(void)state;
	if (!on_postgres())
		skip();
	assert_int_equal(add_due_at("s", rt_wall_ms() - 2 * MINUTE_MS), RT_OK);
	copy_selector(MANY, "due_at_ms + i");
	claim_up_to(LEASED, &count);
	before = read_by_due_time();
	claim_up_to(CLAIMED, &count);
	assert_int_equal(count, CLAIMED);
	assert_in_range(read_by_due_time() - before, LEASED, 2 * LEASED + 4 * CLAIMED);
}

/* The items are late, so a claim reads them in two ways: by due time, and from a random time on so
 * that accounts take turns. No item may be read in both. */
static void a_claim_reads_no_due_item_twice(void **state)
{
	enum { MANY = 400 };
	int64_t before;
	size_t count;

	(void)state;
	if (!on_postgres())
		skip();
	assert_int_equal(add_due_at("s", rt_wall_ms() - 3 * MINUTE_MS), RT_OK);
	copy_selector(MANY, "due_at_ms + i * 400");
	before = read_by_due_time();
	claim_up_to(MANY, &count);
	assert_int_equal(count, MANY);
	assert_in_range(read_by_due_time() - before, MANY, MANY + 10);
}

static void an_outcome_ends_the_lease_even_if_the_next_check_is_soon(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_due due;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	due = claim_own();
	assert_int_equal(write_outcome(&due, EDS_DUE_SAME, &check, 1), 1);
	due = claim_own();
	assert_int_equal(write_outcome(&due, EDS_DUE_KEPT, NULL, 1), 1);
	assert_int_equal(claimable(), 1);
	assert_int_equal(claimable(), 0);
}

static void lease_ends_in(int64_t ms)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text, "UPDATE dkim_selectors SET leased_until_ms = %lld",
		(long long)(rt_wall_ms() + ms));
	sql(text);
}

static void a_lease_taken_while_a_clock_was_ahead_counts_for_nothing(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_due ahead;
	struct eds_selector_due due;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	ahead = claim_own();
	lease_ends_in(9 * MINUTE_MS);
	assert_int_equal(claimable(), 0);
	lease_ends_in(11 * MINUTE_MS);
	due = claim_own();
	assert_int_equal(claimable(), 0);
	assert_int_equal(write_outcome(&ahead, EDS_DUE_SAME, &check, 1), 0);
	assert_int_equal(write_outcome(&due, EDS_DUE_SAME, &check, rt_wall_ms() + MINUTE_MS), 1);
}

static void late_items_with_leases_of_a_clock_that_was_ahead_are_claimed_in_turns(void **state)
{
	(void)state;
	assert_int_equal(add_due_at("s1", rt_wall_ms() - 60 * MINUTE_MS), RT_OK);
	assert_int_equal(add_due_at("s2", rt_wall_ms() - 59 * MINUTE_MS), RT_OK);
	assert_int_equal(claimable(), 2);
	lease_ends_in(INT64_C(400) * 24 * 60 * MINUTE_MS);
	assert_int_equal(claimable(), 2);
	assert_int_equal(claimable(), 0);
}

/* As programs of the release before claim all that is due. */
static int64_t claimed_by_the_release_before(void)
{
	int64_t now_ms = rt_wall_ms();
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text,
		"UPDATE dkim_selectors SET due_at_ms = %lld WHERE due_at_ms <= %lld",
		(long long)(now_ms + EDS_SELECTOR_LEASE_MS), (long long)now_ms);
	sql(text);
	return now_ms + EDS_SELECTOR_LEASE_MS;
}

/* Writes an outcome with the statement of the previous release; true when it was written. */
static bool written_by_the_release_before(int64_t lease_ms, int64_t checked_at_ms)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text,
		"UPDATE dkim_selectors SET due_at_ms = %lld, checked_at_ms = %lld"
		" WHERE due_at_ms + 0 = %lld",
		(long long)(rt_wall_ms() + 60 * MINUTE_MS), (long long)checked_at_ms,
		(long long)lease_ms);
	sql(text);
	return sql("SELECT checked_at_ms FROM dkim_selectors") == checked_at_ms;
}

static void a_claim_of_the_release_before_ends_a_lease(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_due due;
	int64_t theirs;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	due = claim_own();
	theirs = claimed_by_the_release_before();
	assert_int_equal(claimable(), 0);
	assert_int_equal(write_outcome(&due, EDS_DUE_SAME, &check, 1), 0);
	assert_true(written_by_the_release_before(theirs, 4711));
	assert_int_equal(write_outcome(&due, EDS_DUE_SAME, &check, 1), 0);
	assert_int_equal(sql("SELECT checked_at_ms FROM dkim_selectors"), 4711);
}

static void a_lease_of_the_release_before_is_respected_until_it_ends(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_due due;
	int64_t theirs;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	theirs = claimed_by_the_release_before();
	assert_int_equal(claimable(), 0);
	sql("UPDATE dkim_selectors SET due_at_ms = due_at_ms - 120001");
	theirs -= 120001;
	due = claim_own();
	assert_int_equal(write_outcome(&due, EDS_DUE_SAME, &check, rt_wall_ms() + MINUTE_MS), 1);
	assert_false(written_by_the_release_before(theirs, 4711));
}

static void a_check_on_demand_ends_the_lease_of_either_release(void **state)
{
	struct eds_selector_check check = valid_check();
	struct eds_selector_due due;
	struct eds_selector_due now;
	int64_t theirs;

	(void)state;
	assert_int_equal(add_due_at("s1", 1), RT_OK);
	due = claim_own();
	theirs = claimed_by_the_release_before();
	assert_int_equal(
		eds_store_selector_claim(&event, open_store(), &domain, "s1", &now), RT_OK);
	now.domain_id = domain.id;
	now.name = "s1";
	assert_int_equal(write_outcome(&due, EDS_DUE_SAME, &check, 1), 0);
	assert_false(written_by_the_release_before(theirs, 4711));
	assert_int_equal(claimable(), 0);
	assert_int_equal(write_outcome(&now, EDS_DUE_KEPT, NULL, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_claim_writes_no_index_entries),
		STORE_TEST(a_claim_passes_each_leased_item_once),
		STORE_TEST(a_claim_reads_no_due_item_twice),
		STORE_TEST(an_outcome_ends_the_lease_even_if_the_next_check_is_soon),
		STORE_TEST(a_lease_taken_while_a_clock_was_ahead_counts_for_nothing),
		STORE_TEST(late_items_with_leases_of_a_clock_that_was_ahead_are_claimed_in_turns),
		STORE_TEST(a_claim_of_the_release_before_ends_a_lease),
		STORE_TEST(a_lease_of_the_release_before_is_respected_until_it_ends),
		STORE_TEST(a_check_on_demand_ends_the_lease_of_either_release),
	};

	return cmocka_run_group_tests_name("store: leases", tests, choose_database, remove_folder);
}
