/* The stored state of domains in DNS: claims, outcomes written under a lease, and the history of
 * changes.
 */
#include "functions/lib/store/posture/posture-due.h"
#include "functions/lib/store/posture/posture.h"
#include "runtime/time.h"
#include "tests/unit/mta_sts_fixture.h"

static struct eds_posture_due *turn(
	const struct eds_posture_due *done, size_t done_count, size_t *written, size_t expected)
{
	struct eds_posture_due *claimed;
	size_t count;

	assert_int_equal(eds_store_posture_turn(&event, open_store(), done, done_count, written,
				 100, &claimed, &count),
		RT_OK);
	assert_int_equal(count, expected);
	return claimed;
}

/* One claimed domain whose dmarc record changed, in memory that outlives the event. */
static struct eds_posture_due seen(int64_t lease, const char *change_id)
{
	struct eds_posture_due due = {
		.domain_id = domain.id,
		.lease = lease,
		.outcome = EDS_POSTURE_SEEN,
		.next_at_ms = rt_wall_ms() + 3600 * 1000,
		.after = {.state = "warning",
			.checked_at_ms = rt_wall_ms(),
			.changed_at_ms = 5,
			.items = "[1]",
			.records = "[2]"},
	};

	if (change_id != NULL)
		due.changes[due.change_count++] = (struct eds_posture_change){.id = change_id,
			.at_ms = rt_wall_ms(),
			.item = "dmarc",
			.old = {"ok", NULL, ""},
			.now = {"warning", "v=DMARC1; p=none", "dmarc-policy-none"}};
	return due;
}

static void a_new_domain_is_due_and_claimed_once(void **state)
{
	struct eds_posture_due *claimed;
	size_t written;

	(void)state;
	claimed = turn(NULL, 0, &written, 1);
	assert_string_equal(claimed[0].domain_id, domain.id);
	assert_string_equal(claimed[0].name, "example.com");
	assert_false(claimed[0].hosted);
	assert_int_equal(claimed[0].before.checked_at_ms, 0);
	turn(NULL, 0, &written, 0);
	sql("UPDATE posture SET leased_until_ms = leased_until_ms - 120000");
	turn(NULL, 0, &written, 1);
}

static void a_claim_reads_whether_the_policy_is_hosted(void **state)
{
	struct eds_posture_due *claimed;
	size_t written;

	(void)state;
	change(&domain, switch_on);
	claimed = turn(NULL, 0, &written, 1);
	assert_true(claimed[0].hosted);
}

static void results_are_written_during_the_lease_and_read_back(void **state)
{
	struct eds_posture_due done;
	struct eds_posture_kept kept;
	size_t written;

	(void)state;
	done = seen(turn(NULL, 0, &written, 1)[0].lease, "1");
	turn(&done, 1, &written, 0);
	assert_int_equal(written, 1);
	assert_int_equal(eds_store_posture_get(&event, open_store(), &domain, &kept), RT_OK);
	assert_string_equal(kept.state, "warning");
	assert_int_equal(kept.changed_at_ms, 5);
	assert_string_equal(kept.items, "[1]");
	assert_string_equal(kept.records, "[2]");
	assert_int_equal(sql("SELECT count(*) FROM posture_changes"), 1);
}

static void results_after_the_lease_are_neither_written_nor_remembered(void **state)
{
	struct eds_posture_due done;
	struct eds_posture_due now;
	size_t written;

	(void)state;
	done = seen(turn(NULL, 0, &written, 1)[0].lease, "1");
	assert_int_equal(eds_store_posture_claim(&event, open_store(), &domain, &now), RT_OK);
	assert_true(now.lease != done.lease);
	turn(&done, 1, &written, 0);
	assert_int_equal(written, 0);
	assert_int_equal(sql("SELECT checked_at_ms FROM posture"), 0);
	assert_int_equal(sql("SELECT count(*) FROM posture_changes"), 0);
	done.outcome = EDS_POSTURE_SAME;
	turn(&done, 1, &written, 0);
	assert_int_equal(written, 0);
}

static void the_newest_five_hundred_changes_of_a_domain_are_kept(void **state)
{
	struct eds_posture_change *changes;
	struct eds_posture_due done;
	size_t written;
	size_t count;
	char text[SQL_MAX_BYTES];

	(void)state;
	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof text,
			"INSERT INTO posture_changes (domain_id, id, changed_at_ms, item,"
			" old_state, old_findings, new_state, new_findings) VALUES ('%s', '%04d',"
			" %lld, 'mx', 'ok', '', 'ok', '')",
			domain.id, i, (long long)rt_wall_ms());
		sql(text);
	}
	done = seen(turn(NULL, 0, &written, 1)[0].lease, "9999");
	turn(&done, 1, &written, 0);
	assert_int_equal(sql("SELECT count(*) FROM posture_changes"), 500);
	assert_int_equal(sql("SELECT count(*) FROM posture_changes WHERE id = '0000'"), 0);
	assert_int_equal(
		eds_store_posture_history(&event, open_store(), &domain, NULL, 2, &changes, &count),
		RT_OK);
	assert_int_equal(count, 2);
	assert_string_equal(changes[0].item, "dmarc");
	assert_null(changes[0].old.record);
	assert_string_equal(changes[0].now.record, "v=DMARC1; p=none");
	assert_string_equal(changes[1].id, "0499");
}

static void a_deleted_domain_leaves_no_rows(void **state)
{
	struct eds_posture_due due;
	struct eds_posture_due done;
	size_t written;

	(void)state;
	done = seen(turn(NULL, 0, &written, 1)[0].lease, "1");
	turn(&done, 1, &written, 0);
	delete_domain();
	assert_int_equal(sql("SELECT count(*) FROM posture"), 0);
	assert_int_equal(sql("SELECT count(*) FROM posture_changes"), 0);
	assert_int_equal(
		eds_store_posture_claim(&event, open_store(), &domain, &due), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "domain-not-found");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_domain_is_due_and_claimed_once, one_domain),
		cmocka_unit_test_setup(a_claim_reads_whether_the_policy_is_hosted, one_domain),
		cmocka_unit_test_setup(
			results_are_written_during_the_lease_and_read_back, one_domain),
		cmocka_unit_test_setup(
			results_after_the_lease_are_neither_written_nor_remembered, one_domain),
		cmocka_unit_test_setup(
			the_newest_five_hundred_changes_of_a_domain_are_kept, one_domain),
		cmocka_unit_test_setup(a_deleted_domain_leaves_no_rows, one_domain),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
