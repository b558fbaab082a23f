/* Each step of a change fails in turn, as on a broken disk: the call reports the failure, and the
 * database keeps no part of the change. */
#include "functions/lib/store/alerts/alert.h"
#include "functions/lib/store/life/account-plan.h"
#include "functions/lib/store/reports/report-expiry.h"
#include "functions/lib/store/reports/report-fold.h"
#include "functions/lib/store/tokens/token-own.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/store_steps_fixture.h"

static rt_status add_report(struct eds_store *store)
{
	static const struct eds_report_row_sum sums[] = {
		{"192.0.2.1", 1, 1, "example.com dkim+example.com", 5}, {"", 0, 2, "-", 1}};
	static const uint16_t of_signature[] = {0, 1};
	struct eds_named_selector named[] = {named_of("s1", 5, 0), named_of("s2", 0, 1)};
	struct eds_report_line line = line_of("a|b|1", "m1");
	struct eds_report_item item = {.line = &line,
		.named = named,
		.named_count = 2,
		.of_signature = of_signature,
		.signature_count = 2,
		.sums = sums,
		.sum_count = 2};

	return eds_store_reports_add(&event, store, &domain, &item, 1);
}

static void a_report_is_added_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(add_report, 10);
}

static rt_status add_report_again(struct eds_store *store)
{
	struct eds_report_line line = line_of("a|b|1", "m2");
	struct eds_report_item item = {.line = &line};

	return eds_store_reports_add(&event, store, &domain, &item, 1);
}

static void a_report_that_comes_again_is_noted_whole_or_not_at_all(void **state)
{
	(void)state;
	if (!on_postgres())
		assert_int_equal(with_failing_step(add_report, 0), RT_OK);
	assert_each_step_counts(add_report_again, 5);
}

static rt_status fold(struct eds_store *store)
{
	return eds_store_report_fold(&event, store, domain.id);
}

static void days_are_summed_whole_or_not_at_all(void **state)
{
	(void)state;
	if (!on_postgres())
		assert_int_equal(with_failing_step(add_report, 0), RT_OK);
	assert_each_step_counts(fold, 5);
}

static rt_status decide(struct eds_store *store)
{
	struct eds_reporter decided;

	return eds_store_reporter_decide(
		&event, store, &domain, "reporter.example", "blocked", &decided);
}

static void a_decision_about_a_reporter_is_stored_whole_or_not_at_all(void **state)
{
	(void)state;
	if (!on_postgres())
		assert_int_equal(with_failing_step(add_report, 0), RT_OK);
	assert_each_step_counts(decide, 4);
}

static rt_status delete_domain(struct eds_store *store)
{
	return eds_store_domain_delete(&event, store, &domain);
}

static void a_domain_is_deleted_whole_or_not_at_all(void **state)
{
	(void)state;
	if (!on_postgres())
		assert_int_equal(with_failing_step(add_report, 0), RT_OK);
	assert_each_step_counts(delete_domain, 5);
}

static rt_status another_domain(struct eds_store *store)
{
	const struct eds_account account = {.id = ids[2], .name = "one", .plan = EDS_PLAN_FREE};
	struct eds_domain created;

	return eds_store_domain_create(&event, store, &account, "other.example", &created);
}

static void a_domain_is_created_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(another_domain, 5);
}

static rt_status add_account(struct eds_store *store)
{
	struct eds_account account;

	return eds_store_account_create(&event, store, "two", EDS_PLAN_FREE, &account);
}

static void an_account_is_created_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(add_account, 1);
}

static rt_status set_plan(struct eds_store *store)
{
	struct eds_account account;

	return eds_store_account_set_plan(&event, store, "one", EDS_PLAN_PAID, &account);
}

static void a_plan_is_changed_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(set_plan, 3);
}

static rt_status add_token(struct eds_store *store)
{
	const struct eds_account account = {.id = ids[2], .name = "one", .plan = EDS_PLAN_FREE};
	const char *domains[] = {ids[0], ids[1]};
	struct eds_own_token token = {
		.name = "ci", .some_domains = true, .domains = domains, .domain_count = 2};

	return eds_store_own_token_create(&event, store, &account,
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", &token);
}

static void a_token_is_created_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(add_token, 5);
}

static rt_status expire_reports(struct eds_store *store)
{
	size_t removed;

	return eds_store_reports_expire(&event, store, &removed);
}

static void reports_are_removed_whole_or_not_at_all(void **state)
{
	(void)state;
	if (!on_postgres()) {
		assert_int_equal(with_failing_step(add_report, 0), RT_OK);
		sql("UPDATE reports SET received_at_ms = 1");
	}
	assert_each_step_counts(expire_reports, 5);
}

static rt_status add_selector(struct eds_store *store)
{
	const struct eds_selector_check check = {.state = "valid",
		.key_type = "rsa",
		.key_bits = 2048,
		.errors = "[]",
		.warnings = "[]",
		.probed_at_ms = now_ms,
		.checked_at_ms = now_ms};
	bool discovered;

	return eds_store_selector_add(
		&event, store, &domain, "s1", &check, now_ms + DAY_MS, &discovered);
}

static void a_selector_is_added_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(add_selector, 4);
}

static rt_status add_alert(struct eds_store *store)
{
	const struct eds_alert_scope scope = {ids[2], ids[0]};
	struct eds_alert alert = {
		.url = "https://hooks.example/1", .secret = "whsec_x", .events = 1};

	return eds_store_alert_create(&event, store, &scope, &alert);
}

static void an_alert_is_created_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(add_alert, 3);
}

static rt_status add_session(struct eds_store *store)
{
	struct eds_session session;

	return eds_store_session_create(&event, store, "192.0.2.1", 0, &session);
}

static void a_session_is_created_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_each_step_counts(add_session, 3);
}

static char session_id[EDS_TEST_ID_LENGTH + 1];

static rt_status complete_session(struct eds_store *store)
{
	const struct eds_session_message message = {
		.message_id = "m1", .received_at_ms = 1, .mail_from = ""};

	return eds_store_session_complete(
		&event, store, session_id, &message, "{\"verdict\":\"ham\"}");
}

static void a_session_is_completed_whole_or_not_at_all(void **state)
{
	(void)state;
	new_session(session_id);
	assert_each_step_counts(complete_session, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_report_is_added_whole_or_not_at_all),
		STORE_TEST(a_report_that_comes_again_is_noted_whole_or_not_at_all),
		STORE_TEST(days_are_summed_whole_or_not_at_all),
		STORE_TEST(a_decision_about_a_reporter_is_stored_whole_or_not_at_all),
		STORE_TEST(a_domain_is_deleted_whole_or_not_at_all),
		STORE_TEST(a_domain_is_created_whole_or_not_at_all),
		STORE_TEST(an_account_is_created_whole_or_not_at_all),
		STORE_TEST(a_plan_is_changed_whole_or_not_at_all),
		STORE_TEST(a_token_is_created_whole_or_not_at_all),
		STORE_TEST(reports_are_removed_whole_or_not_at_all),
		STORE_TEST(a_selector_is_added_whole_or_not_at_all),
		STORE_TEST(an_alert_is_created_whole_or_not_at_all),
		STORE_TEST(a_session_is_created_whole_or_not_at_all),
		STORE_TEST(a_session_is_completed_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
