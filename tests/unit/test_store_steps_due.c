/* What the jobs write is kept whole or not at all, whichever step fails. */
#include "functions/lib/store/alerts/alert.h"
#include "functions/lib/store/mta-sts/mta-sts-due.h"
#include "functions/lib/store/posture/posture-due.h"
#include "tests/unit/mta_sts_fixture.h"
#include "tests/unit/store_steps_fixture.h"

static rt_status host_policy(struct eds_store *store)
{
	struct eds_mta_sts config;

	return eds_mta_sts_update(&event, store, &domain, enforce_for_two_hosts, NULL, &config);
}

static void a_policy_is_changed_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(host_policy, 5);
}

static rt_status claim_mta_sts(struct eds_store *store)
{
	struct eds_mta_sts_due due;

	return eds_store_mta_sts_claim(&event, store, &domain, &due);
}

static void a_check_of_mta_sts_is_claimed_or_not(void **state)
{
	(void)state;
	assert_each_step_counts(claim_mta_sts, 2);
}

static int64_t lease;

static rt_status claim_posture(struct eds_store *store)
{
	struct eds_posture_due due;

	RT_TRY(eds_store_posture_claim(&event, store, &domain, &due));
	lease = due.lease;
	return RT_OK;
}

static void a_look_at_a_domain_is_claimed_or_not(void **state)
{
	(void)state;
	assert_each_step_counts(claim_posture, 2);
}

static const char *const found[] = {"s1", "s2"};

static rt_status write_posture(struct eds_store *store)
{
	const struct eds_posture_due done = {
		.domain_id = domain.id,
		.name = "example.com",
		.lease = lease,
		.outcome = EDS_POSTURE_SEEN,
		.next_at_ms = rt_wall_ms() + 3600 * 1000,
		.after = {.state = "warning",
			.checked_at_ms = rt_wall_ms(),
			.changed_at_ms = 5,
			.items = "[1]",
			.records = "[2]"},
		.changes = {{.id = "1",
			.at_ms = rt_wall_ms(),
			.item = "dmarc",
			.old = {"ok", NULL, ""},
			.now = {"warning", "v=DMARC1; p=none", "dmarc-policy-none"}}},
		.change_count = 1,
		.selectors = found,
		.selector_count = 2,
	};
	struct eds_posture_due *claimed;
	size_t written;
	size_t count;

	RT_TRY(eds_store_posture_turn(&event, store, &done, 1, &written, 10, &claimed, &count));
	assert_int_equal(written, 1);
	return RT_OK;
}

static void what_was_seen_of_a_domain_is_written_whole_or_not_at_all(void **state)
{
	(void)state;
	if (!on_postgres())
		assert_int_equal(with_failing_step(claim_posture, 0), RT_OK);
	assert_each_step_counts(write_posture, 8);
	if (!on_postgres()) {
		assert_int_equal(sql("SELECT count(*) FROM posture_changes"), 1);
		assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_policy_is_changed_whole_or_not_at_all, one_domain),
		cmocka_unit_test_setup(a_check_of_mta_sts_is_claimed_or_not, one_domain),
		cmocka_unit_test_setup(a_look_at_a_domain_is_claimed_or_not, one_domain),
		cmocka_unit_test_setup(
			what_was_seen_of_a_domain_is_written_whole_or_not_at_all, one_domain),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
