/* MTA-STS configurations: created with their domains, read, changed. */
#include "runtime/time.h"
#include "tests/unit/mta_sts_fixture.h"

#include <ctype.h>

static void a_new_domain_has_a_configuration(void **state)
{
	struct eds_mta_sts config;

	(void)state;
	config = get(&domain);
	assert_string_equal(config.domain_id, domain.id);
	assert_string_equal(config.name, "example.com");
	assert_false(config.enabled);
	assert_int_equal(config.mode, EDS_POLICY_TESTING);
	assert_int_equal(config.max_age_s, 604800);
	assert_int_equal(config.patterns.count, 0);
	assert_true(config.hosted);
	assert_int_equal(config.updated_at_ms, domain.created_at_ms);
	assert_int_equal(config.observed.checked_at_ms, 0);
	assert_false(config.proven);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids"), 1);
}

static void the_configuration_is_deleted_with_its_domain(void **state)
{
	(void)state;
	change(&domain, one_day_more);
	delete_domain();
	assert_int_equal(sql("SELECT count(*) FROM mta_sts"), 0);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids"), 0);
}

static void a_deleted_domain_has_no_configuration(void **state)
{
	struct eds_mta_sts config;

	(void)state;
	delete_domain();
	assert_int_equal(
		eds_store_mta_sts_get(&event, open_store(), &domain, &config), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "domain-not-found");
	assert_int_equal(
		eds_mta_sts_update(&event, open_store(), &domain, switch_on, NULL, &config),
		RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "domain-not-found");
}

static void a_changed_configuration_is_read_back(void **state)
{
	struct eds_mta_sts config;

	(void)state;
	change(&domain, enforce_for_two_hosts);
	config = get(&domain);
	assert_true(config.enabled);
	assert_int_equal(config.mode, EDS_POLICY_ENFORCE);
	assert_int_equal(config.patterns.count, 2);
	assert_string_equal(config.patterns.items[0], "mx.example.com");
	assert_string_equal(config.patterns.items[1], "*.example.net");
	assert_true(config.updated_at_ms >= domain.created_at_ms);
}

static rt_status refuse(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	(void)arg;
	config->max_age_s = 1;
	return rt_fail(ctx, RT_BAD_INPUT, "no", "no");
}

static void a_failed_edit_changes_nothing(void **state)
{
	struct eds_mta_sts config;

	(void)state;
	assert_int_equal(eds_mta_sts_update(&event, open_store(), &domain, refuse, NULL, &config),
		RT_BAD_INPUT);
	assert_string_equal(event.failure.code, "no");
	assert_int_equal(get(&domain).max_age_s, 604800);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids"), 1);
}

static enum eds_plan plan_seen;

static rt_status look_at_plan(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	(void)ctx;
	(void)arg;
	plan_seen = config->plan;
	return RT_OK;
}

static void an_edit_sees_the_current_plan(void **state)
{
	(void)state;
	sql("UPDATE accounts SET plan = 'free'");
	change(&domain, look_at_plan);
	assert_int_equal(plan_seen, EDS_PLAN_FREE);
	sql("UPDATE accounts SET plan = 'paid'");
	change(&domain, look_at_plan);
	assert_int_equal(plan_seen, EDS_PLAN_PAID);
}

static void ids_are_letters_and_digits_and_never_repeat(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		const char *id = change(&domain, one_day_more).policy_id;

		assert_in_range(strlen(id), 1, EDS_POLICY_ID_MAX);
		for (; *id != '\0'; id++)
			assert_true(isalnum((unsigned char)*id));
	}
	/* 50 changes within a second or two, and the first id: each has a different id */
	assert_int_equal(sql("SELECT count(DISTINCT policy_id) FROM mta_sts_ids"), 51);
}

static void a_hundred_ids_are_kept_including_the_current_one(void **state)
{
	(void)state;
	for (int i = 0; i < 110; i++)
		change(&domain, one_day_more);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids"), EDS_POLICY_IDS_KEPT);
	/* the ids so far are from a clock that was a day ahead and was then set back */
	sql("UPDATE mta_sts_ids SET issued_at_ms = issued_at_ms + 86400000");
	change(&domain, one_day_more);
	change(&domain, one_day_more);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids i JOIN mta_sts m ON m.domain_id ="
			     " i.domain_id AND m.policy_id = i.policy_id"),
		1);
	assert_in_range(sql("SELECT count(*) FROM mta_sts_ids"), 1, EDS_POLICY_IDS_KEPT + 1);
}

static void enforce_is_held_for_the_longest_max_age_it_had(void **state)
{
	int64_t until_ms;
	int64_t now_ms;

	(void)state;
	change(&domain, enforce_for_two_hosts);
	now_ms = rt_wall_ms();
	change(&domain, one_day_more);
	until_ms = get(&domain).enforce_held_until_ms;
	assert_in_range(until_ms, now_ms + 604800000, now_ms + 604800000 + EVENT_MS);
	change(&domain, switch_off);
	until_ms = get(&domain).enforce_held_until_ms;
	assert_in_range(until_ms, now_ms + 691200000, now_ms + 691200000 + EVENT_MS);
	change(&domain, one_day_more);
	assert_true(get(&domain).enforce_held_until_ms == until_ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_new_domain_has_a_configuration, one_domain),
		cmocka_unit_test_setup(the_configuration_is_deleted_with_its_domain, one_domain),
		cmocka_unit_test_setup(a_deleted_domain_has_no_configuration, one_domain),
		cmocka_unit_test_setup(a_changed_configuration_is_read_back, one_domain),
		cmocka_unit_test_setup(a_failed_edit_changes_nothing, one_domain),
		cmocka_unit_test_setup(an_edit_sees_the_current_plan, one_domain),
		cmocka_unit_test_setup(ids_are_letters_and_digits_and_never_repeat, one_domain),
		cmocka_unit_test_setup(
			a_hundred_ids_are_kept_including_the_current_one, one_domain),
		cmocka_unit_test_setup(enforce_is_held_for_the_longest_max_age_it_had, one_domain),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
