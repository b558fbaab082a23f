/* Domains that are due for a check: claimed, written, and due again when they should be. */
#include "functions/lib/mta-sts/cadence.h"
#include "functions/lib/store/life/domain-life.h"
#include "runtime/time.h"
#include "tests/unit/mta_sts_due_fixture.h"

enum {
	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
};

/* Copies the state before the first check, so that the copy outlives the event. */
static void claim_now(const struct eds_domain *of, struct eds_mta_sts_due *due)
{
	assert_int_equal(eds_store_mta_sts_claim(&event, open_store(), of, due), RT_OK);
	due->config.domain_id = of->id;
	due->config.name = of->name;
	due->config.policy_id = "unseen1";
	due->config.observed = (struct eds_mta_sts_observed){0};
}

/* Runs in the event of the claim, or of claim_now(); returns how many outcomes were written. */
static size_t write_outcome(struct eds_mta_sts_due *due, enum eds_mta_sts_outcome outcome)
{
	struct eds_mta_sts_due *claimed;
	struct eds_store *store;
	size_t written;
	size_t count;

	due->outcome = outcome;
	eds_mta_sts_set_times(due, rt_wall_ms());
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(
		eds_store_mta_sts_turn(&event, store, due, 1, &written, 0, &claimed, &count),
		RT_OK);
	assert_int_equal(count, 0);
	return written;
}

static struct eds_mta_sts_observed nothing(void)
{
	return (struct eds_mta_sts_observed){
		.checked_at_ms = rt_wall_ms(), .errors = "[]", .evidence = "{}"};
}

static struct eds_mta_sts_observed in_order(const struct eds_mta_sts_due *due)
{
	struct eds_mta_sts_observed seen = nothing();

	seen.dns_id = due->config.policy_id;
	seen.policy_fetched = true;
	seen.policy_mode = "testing";
	seen.valid = true;
	return seen;
}

static void make_due(void)
{
	sql("UPDATE mta_sts SET due_at_ms = 1, leased_until_ms = 0");
}

static int64_t due_in_ms(void)
{
	return sql("SELECT due_at_ms FROM mta_sts") - rt_wall_ms();
}

static void assert_due_in(int64_t pause_ms)
{
	int64_t early_ms = pause_ms - EDS_MTA_STS_EARLY_MS;

	assert_in_range(due_in_ms(), early_ms - EVENT_MS, early_ms);
}

static void a_new_domain_is_due_and_claimed_once(void **state)
{
	struct eds_mta_sts_due *due;

	(void)state;
	due = claim(1);
	assert_string_equal(due->config.name, "example.com");
	assert_string_equal(due->config.domain_id, domain.id);
	assert_int_equal(due->config.max_age_s, 604800);
	assert_true(due->lease > rt_wall_ms());
	claim(0);
}

static void domains_held_by_a_lost_process_are_due_again_after_its_lease(void **state)
{
	(void)state;
	claim(1);
	assert_in_range(sql("SELECT leased_until_ms FROM mta_sts") - rt_wall_ms(),
		EDS_MTA_STS_LEASE_MS - EVENT_MS, EDS_MTA_STS_LEASE_MS);
	sql("UPDATE mta_sts SET leased_until_ms = leased_until_ms - 120000");
	claim(1);
}

static void the_domain_that_is_due_longest_is_claimed_first(void **state)
{
	size_t count;

	(void)state;
	sql("UPDATE mta_sts SET due_at_ms = 2");
	sql_of(&twin, "UPDATE mta_sts SET due_at_ms = 1");
	assert_string_equal(claim_up_to(1, &count)->config.domain_id, twin.id);
	assert_int_equal(count, 1);
	assert_string_equal(claim(1)->config.domain_id, domain.id);
}

static void the_evidence_is_read_with_the_configuration(void **state)
{
	struct eds_mta_sts_due *due;
	struct eds_mta_sts config;

	(void)state;
	due = claim(1);
	due->seen = in_order(due);
	due->seen.errors = "[{\"code\":\"x\",\"message\":\"y\"}]";
	due->seen.evidence = "{\"mx\":[]}";
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	config = get(&domain);
	assert_string_equal(config.observed.dns_id, config.policy_id);
	assert_true(config.observed.policy_fetched);
	assert_string_equal(config.observed.policy_mode, "testing");
	assert_true(config.observed.valid);
	assert_string_equal(config.observed.errors, "[{\"code\":\"x\",\"message\":\"y\"}]");
	assert_string_equal(config.observed.evidence, "{\"mx\":[]}");
	assert_true(config.observed.checked_at_ms > 0);
	assert_true(config.fetched_at_ms == config.observed.checked_at_ms);
}

static void a_successful_fetch_is_remembered(void **state)
{
	struct eds_mta_sts_due *due;
	int64_t fetched_at_ms;

	(void)state;
	due = claim(1);
	due->seen = in_order(due);
	fetched_at_ms = due->seen.checked_at_ms;
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	make_due();
	due = claim(1);
	due->seen = nothing();
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	assert_true(get(&domain).fetched_at_ms == fetched_at_ms);
	assert_false(get(&domain).observed.policy_fetched);
	assert_null(get(&domain).observed.dns_id);
}

static void evidence_from_before_a_change_is_not_written_after_it(void **state)
{
	struct eds_mta_sts_due due;

	(void)state;
	claim_now(&domain, &due);
	change(&domain, one_day_more);
	due.seen = nothing();
	assert_int_equal(write_outcome(&due, EDS_MTA_STS_CHECKED), 0);
	assert_int_equal(get(&domain).observed.checked_at_ms, 0);
	claim(1);
}

static void a_domain_changed_during_its_check_is_due_at_once(void **state)
{
	struct eds_mta_sts_due due;

	(void)state;
	due = *claim(1);
	due.config.domain_id = domain.id;
	change(&domain, one_day_more);
	due.seen = nothing();
	assert_int_equal(write_outcome(&due, EDS_MTA_STS_CHECKED), 0);
	claim(1);
}

static void a_domain_changed_in_the_millisecond_in_which_it_was_due_is_due_at_once(void **state)
{
	struct eds_mta_sts_due due;
	char text[64];

	(void)state;
	snprintf(text, sizeof text, "UPDATE mta_sts SET due_at_ms = %lld",
		(long long)sql("SELECT due_at_ms FROM mta_sts"));
	due = *claim(1);
	due.config.domain_id = domain.id;
	change(&domain, one_day_more);
	sql(text);
	due.seen = nothing();
	assert_int_equal(write_outcome(&due, EDS_MTA_STS_CHECKED), 0);
	claim(1);
}

static void claiming_a_single_domain_ends_the_lease_before(void **state)
{
	struct eds_mta_sts_due first;
	struct eds_mta_sts_due second;

	(void)state;
	claim_now(&domain, &first);
	claim_now(&domain, &second);
	first.seen = nothing();
	second.seen = nothing();
	assert_int_equal(write_outcome(&first, EDS_MTA_STS_CHECKED), 0);
	assert_int_equal(write_outcome(&second, EDS_MTA_STS_CHECKED), 1);
}

static void a_deleted_domain_is_not_claimed(void **state)
{
	struct eds_mta_sts_due due;

	(void)state;
	delete_domain();
	assert_int_equal(
		eds_store_mta_sts_claim(&event, open_store(), &domain, &due), RT_NOT_FOUND);
	claim(0);
}

static void without_an_answer_the_last_result_stays_and_the_check_is_due_in_a_minute(void **state)
{
	struct eds_mta_sts_due *due;

	(void)state;
	change(&domain, switch_on);
	due = claim(1);
	due->seen = in_order(due);
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	make_due();
	assert_int_equal(write_outcome(claim(1), EDS_MTA_STS_KEPT), 1);
	assert_true(get(&domain).observed.valid);
	assert_due_in(MINUTE_MS);
}

static void a_domain_in_order_is_due_in_an_hour_and_at_once_after_a_change(void **state)
{
	struct eds_mta_sts_due *due;

	(void)state;
	change(&domain, switch_on);
	due = claim(1);
	due->seen = in_order(due);
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	assert_due_in(HOUR_MS);
	change(&domain, one_day_more);
	assert_true(due_in_ms() <= 0);
}

static void a_domain_switched_off_is_due_in_a_day(void **state)
{
	struct eds_mta_sts_due *due = claim(1);

	(void)state;
	due->seen = nothing();
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	assert_due_in(DAY_MS);
}

static void a_domain_that_breaks_is_checked_often_again(void **state)
{
	struct eds_mta_sts_due *due;

	(void)state;
	change(&domain, switch_on);
	due = claim(1);
	due->seen = in_order(due);
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	sql("UPDATE mta_sts SET due_at_ms = 1, leased_until_ms = 0, changed_at_ms = 2");
	due = claim(1);
	due->seen = nothing();
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	assert_due_in(MINUTE_MS);
	/* the fault has lasted for a day, so the domain is checked less often */
	sql("UPDATE mta_sts SET due_at_ms = 1, leased_until_ms = 0, changed_at_ms = 2");
	due = claim(1);
	due->seen = nothing();
	assert_int_equal(write_outcome(due, EDS_MTA_STS_CHECKED), 1);
	assert_due_in(HOUR_MS);
}

/* Checks a domain whose TXT record has this id. Returns the account that may then serve the domain:
 * 1 or 2, or 0 if none may. */
static int64_t proven_after(const struct eds_domain *of, const char *id)
{
	struct eds_mta_sts_due due;
	char text[SQL_MAX_BYTES];

	claim_now(of, &due);
	due.seen = nothing();
	due.seen.dns_id = id;
	assert_int_equal(write_outcome(&due, EDS_MTA_STS_CHECKED), 1);
	snprintf(text, sizeof text,
		"SELECT sum(CASE WHEN domain_id = '%s' THEN 1 ELSE 2 END) FROM mta_sts WHERE proven "
		"= 1",
		domain.id);
	return sql(text);
}

static void the_id_in_the_txt_record_proves_which_account_owns_the_name(void **state)
{
	char first[ID_MAX];
	char theirs[ID_MAX];

	(void)state;
	keep(first, get(&domain).policy_id);
	keep(theirs, get(&twin).policy_id);
	assert_int_equal(proven_after(&domain, NULL), 0);
	assert_int_equal(proven_after(&domain, "unknown1"), 0);
	assert_int_equal(proven_after(&domain, first), 1);
	assert_int_equal(proven_after(&domain, NULL), 1);
	assert_int_equal(proven_after(&domain, "unknown1"), 1);
	/* an older id of an account also proves that account, in checks by either account */
	change(&domain, one_day_more);
	assert_int_equal(proven_after(&twin, first), 1);
	assert_int_equal(proven_after(&domain, theirs), 2);
	assert_int_equal(proven_after(&twin, theirs), 2);
	assert_int_equal(proven_after(&domain, first), 1);
}

static void an_id_issued_for_another_name_proves_nothing(void **state)
{
	char theirs[ID_MAX];

	(void)state;
	keep(theirs, get(&twin).policy_id);
	sql_of(&twin, "UPDATE mta_sts SET name = 'example.org'");
	assert_int_equal(proven_after(&domain, theirs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_domain_is_due_and_claimed_once, one_domain),
		cmocka_unit_test_setup(
			domains_held_by_a_lost_process_are_due_again_after_its_lease, one_domain),
		cmocka_unit_test_setup(
			the_domain_that_is_due_longest_is_claimed_first, two_domains),
		cmocka_unit_test_setup(the_evidence_is_read_with_the_configuration, one_domain),
		cmocka_unit_test_setup(a_successful_fetch_is_remembered, one_domain),
		cmocka_unit_test_setup(
			evidence_from_before_a_change_is_not_written_after_it, one_domain),
		cmocka_unit_test_setup(
			a_domain_changed_during_its_check_is_due_at_once, one_domain),
		cmocka_unit_test_setup(
			a_domain_changed_in_the_millisecond_in_which_it_was_due_is_due_at_once,
			one_domain),
		cmocka_unit_test_setup(claiming_a_single_domain_ends_the_lease_before, one_domain),
		cmocka_unit_test_setup(a_deleted_domain_is_not_claimed, one_domain),
		cmocka_unit_test_setup(
			without_an_answer_the_last_result_stays_and_the_check_is_due_in_a_minute,
			one_domain),
		cmocka_unit_test_setup(
			a_domain_in_order_is_due_in_an_hour_and_at_once_after_a_change, one_domain),
		cmocka_unit_test_setup(a_domain_switched_off_is_due_in_a_day, one_domain),
		cmocka_unit_test_setup(a_domain_that_breaks_is_checked_often_again, one_domain),
		cmocka_unit_test_setup(
			the_id_in_the_txt_record_proves_which_account_owns_the_name, two_domains),
		cmocka_unit_test_setup(an_id_issued_for_another_name_proves_nothing, two_domains),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
