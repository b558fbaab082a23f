/* What the jobs write is kept whole or not at all, whichever step fails. */
#include "functions/lib/store/alerts/alert.h"
#include "functions/lib/store/alerts/outbox-due.h"
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

static void a_check_of_mta_sts_is_claimed_whole_or_not_at_all(void **state)
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

static void a_look_at_a_domain_is_claimed_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(claim_posture, 2);
}

static const char *const found[] = {"s1", "s2"};

static const struct eds_alert_news news = {.event = EDS_ALERT_MTA_STS_BROKEN,
	.subject = "mta-sts",
	.change = "c1",
	.body = "{\"type\":\"mta-sts.broken\"}"};

static rt_status make_alert(struct eds_store *store)
{
	const struct eds_alert_scope scope = {domain.account_id, domain.id};
	struct eds_alert alert = {.url = "https://hooks.example/1",
		.secret = "whsec_x",
		.events = INT64_C(1) << EDS_ALERT_MTA_STS_BROKEN};

	return eds_store_alert_create(&event, store, &scope, &alert);
}

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
		.news = {.items = &news, .count = 1},
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

static void results_of_a_look_and_their_alerts_are_written_whole_or_not_at_all(void **state)
{
	(void)state;
	if (on_postgres())
		skip();
	assert_int_equal(with_failing_step(make_alert, 0), RT_OK);
	assert_int_equal(with_failing_step(claim_posture, 0), RT_OK);
	assert_each_step_counts(write_posture, 10);
	assert_int_equal(sql("SELECT count(*) FROM posture_changes"), 1);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 2);
	assert_int_equal(sql("SELECT count(*) FROM outbox"), 1);
}

static struct eds_outbox_due sent;
static char sent_id[64];

static rt_status claim_sending(struct eds_store *store)
{
	struct eds_outbox_due *claimed;
	size_t count;

	RT_TRY(eds_store_outbox_turn(&event, store, NULL, 0, "", 10, &claimed, &count));
	assert_int_equal(count, 1);
	snprintf(sent_id, sizeof sent_id, "%s", claimed[0].id);
	sent = (struct eds_outbox_due){.id = sent_id,
		.lease_ms = claimed[0].lease_ms,
		.outcome = EDS_OUTBOX_DELIVERED,
		.status = 204};
	return RT_OK;
}

static rt_status write_sent(struct eds_store *store)
{
	struct eds_outbox_due *claimed;
	size_t count;

	return eds_store_outbox_turn(&event, store, &sent, 1, "", 10, &claimed, &count);
}

static void the_outcome_of_a_delivery_is_written_whole_or_not_at_all(void **state)
{
	(void)state;
	if (on_postgres())
		skip();
	assert_int_equal(with_failing_step(make_alert, 0), RT_OK);
	assert_int_equal(with_failing_step(claim_posture, 0), RT_OK);
	assert_int_equal(with_failing_step(write_posture, 0), RT_OK);
	assert_each_step_counts(claim_sending, 3);
	assert_each_step_counts(write_sent, 3);
	assert_int_equal(sql("SELECT count(*) FROM outbox WHERE status = 204"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_policy_is_changed_whole_or_not_at_all, one_domain),
		cmocka_unit_test_setup(
			a_check_of_mta_sts_is_claimed_whole_or_not_at_all, one_domain),
		cmocka_unit_test_setup(
			a_look_at_a_domain_is_claimed_whole_or_not_at_all, one_domain),
		cmocka_unit_test_setup(
			results_of_a_look_and_their_alerts_are_written_whole_or_not_at_all,
			one_domain),
		cmocka_unit_test_setup(
			the_outcome_of_a_delivery_is_written_whole_or_not_at_all, one_domain),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
