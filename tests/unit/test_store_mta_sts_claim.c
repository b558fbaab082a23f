/* Which row may serve a name: it depends on the id in the TXT record, on the present owners of the
 * name, and on earlier ones. */
#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts-served.h"
#include "runtime/time.h"
#include "tests/unit/mta_sts_fixture.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

static struct eds_mta_sts_served served;

static rt_status serve(void)
{
	rt_status status = eds_store_mta_sts_served(&event, open_store(), "example.com", &served);

	if (status != RT_OK) {
		assert_int_equal(status, RT_NOT_FOUND);
		assert_string_equal(event.failure.code, "policy-not-found");
	}
	return status;
}

static void assert_nobody_is_served(void)
{
	assert_int_equal(serve(), RT_NOT_FOUND);
}

static void assert_served(const struct eds_domain *of)
{
	assert_int_equal(serve(), RT_OK);
	assert_string_equal(served.domain_id, of->id);
}

static void an_enabled_hosted_policy_is_served_by_name(void **state)
{
	char id[ID_MAX];

	(void)state;
	assert_nobody_is_served();
	keep(id, change(&domain, enforce_for_two_hosts).policy_id);
	look(NULL);
	assert_served(&domain);
	assert_int_equal(served.mode, EDS_POLICY_ENFORCE);
	assert_int_equal(served.max_age_s, 604800);
	assert_int_equal(served.patterns.count, 2);
	assert_string_equal(served.policy_id, id);
	change(&domain, host_elsewhere);
	assert_nobody_is_served();
}

static void no_policy_is_served_before_the_first_look_at_the_txt_record(void **state)
{
	(void)state;
	change(&domain, switch_on);
	assert_nobody_is_served();
	look(NULL);
	assert_served(&domain);
	/* a changed policy at the same host needs no new check of the TXT record; switching MTA-STS
	 * off and on again does */
	change(&domain, one_day_more);
	assert_served(&domain);
	change(&domain, switch_off);
	change(&domain, switch_on);
	assert_nobody_is_served();
}

static void the_proven_domain_is_served_at_once_when_switched_on_again(void **state)
{
	(void)state;
	change(&domain, switch_on);
	look(get(&domain).policy_id);
	change(&domain, switch_off);
	assert_nobody_is_served();
	change(&domain, switch_on);
	assert_served(&domain);
}

static void the_only_account_of_a_name_is_served_even_if_dns_has_a_foreign_id(void **state)
{
	(void)state;
	change(&domain, switch_on);
	look("20260131T010203");
	assert_served(&domain);
}

static void neither_of_two_accounts_with_a_name_is_served_until_one_is_proven(void **state)
{
	char theirs[ID_MAX];

	(void)state;
	change(&domain, switch_on);
	look(NULL);
	assert_served(&domain);
	change(&twin, one_day_more);
	assert_served(&domain);
	keep(theirs, change(&twin, switch_on).policy_id);
	look(NULL);
	assert_nobody_is_served();
	look(theirs);
	assert_served(&twin);
	change(&twin, switch_off);
	assert_nobody_is_served();
}

static void the_last_proven_account_is_served_when_the_record_is_gone(void **state)
{
	(void)state;
	change(&domain, switch_on);
	change(&twin, switch_on);
	look(get(&domain).policy_id);
	assert_served(&domain);
	look(NULL);
	assert_served(&domain);
	look("elsewhere1");
	assert_served(&domain);
}

static void an_id_issued_to_another_account_keeps_all_others_out(void **state)
{
	(void)state;
	/* the account that issued the id hosts its policy elsewhere */
	change(&domain, host_elsewhere);
	change(&twin, switch_on);
	look(NULL);
	assert_served(&twin);
	look(get(&domain).policy_id);
	assert_nobody_is_served();
	assert_true(get(&twin).kept_out);
	look(NULL);
	/* the row of the other account was proven last and still exists, so it keeps this one
	 * out */
	assert_nobody_is_served();
	look(get(&twin).policy_id);
	assert_served(&twin);
}

/* The attack: a domain is deleted from an account, but its DNS records stay; another account then
 * adds the domain, to serve its own policy. */
static void a_later_account_is_not_served_under_the_id_of_a_deleted_domain(void **state)
{
	char left[ID_MAX];

	(void)state;
	keep(left, change(&domain, switch_on).policy_id);
	look(left);
	assert_served(&domain);
	delete_domain();
	change(&twin, enforce_for_two_hosts);
	assert_nobody_is_served();
	look(left);
	assert_nobody_is_served();
	look(NULL);
	assert_served(&twin);
	look(left);
	assert_nobody_is_served();
	look(get(&twin).policy_id);
	assert_served(&twin);
}

static void every_id_of_a_deleted_domain_keeps_other_accounts_out(void **state)
{
	char first[ID_MAX];
	char second[ID_MAX];

	(void)state;
	keep(first, get(&domain).policy_id);
	keep(second, change(&domain, one_day_more).policy_id);
	delete_domain();
	change(&twin, switch_on);
	look(first);
	assert_nobody_is_served();
	look(second);
	assert_nobody_is_served();
}

static void another_account_with_the_name_is_checked_again_when_a_domain_is_deleted(void **state)
{
	(void)state;
	change(&twin, switch_on);
	look(NULL);
	assert_served(&twin);
	sql("UPDATE mta_sts SET due_at_ms = 9999999999999");
	delete_domain();
	assert_nobody_is_served();
	assert_true(sql("SELECT due_at_ms FROM mta_sts") <= rt_wall_ms());
	look(NULL);
	assert_served(&twin);
}

static void an_id_issued_for_another_name_blocks_no_account(void **state)
{
	char theirs[ID_MAX];

	(void)state;
	keep(theirs, get(&domain).policy_id);
	sql("UPDATE mta_sts SET name = 'example.org' WHERE hosted = 1 AND domain_id IN (SELECT id"
	    " FROM domains WHERE account_id IN (SELECT id FROM accounts WHERE name = 'one'))");
	domain.name = "example.org";
	change(&twin, switch_on);
	look(theirs);
	assert_served(&twin);
	delete_domain();
	domain.name = "example.com";
	look(theirs);
	assert_served(&twin);
}

static void make_past_older(int64_t days)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text, "UPDATE mta_sts_past SET month = %lld",
		(long long)((rt_wall_ms() - days * DAY_MS) / (30 * DAY_MS)));
	sql(text);
}

static void forget(void)
{
	assert_int_equal(eds_store_mta_sts_forget(&event, open_store()), RT_OK);
}

static void the_id_of_a_deleted_domain_keeps_others_out_for_a_year_and_a_month(void **state)
{
	char left[ID_MAX];

	(void)state;
	keep(left, get(&domain).policy_id);
	delete_domain();
	change(&twin, switch_on);
	make_past_older(365 + 31);
	forget();
	look(left);
	assert_nobody_is_served();
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_past"), 1);
	make_past_older(365 + 31 + 60);
	look(left);
	assert_served(&twin);
	forget();
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_past"), 0);
}

static void the_id_in_the_txt_record_is_kept_however_many_ids_follow(void **state)
{
	char shown[ID_MAX];
	char text[SQL_MAX_BYTES];

	(void)state;
	keep(shown, get(&domain).policy_id);
	snprintf(text, sizeof text, "UPDATE mta_sts SET dns_id = '%s' WHERE domain_id = '%s'",
		shown, domain.id);
	sql(text);
	for (int i = 0; i < 110; i++)
		change(&domain, one_day_more);
	delete_domain();
	change(&twin, switch_on);
	look(shown);
	assert_nobody_is_served();
}

static void a_deleted_id_takes_little_space(void **state)
{
	(void)state;
	for (int i = 0; i < 9; i++)
		change(&domain, one_day_more);
	delete_domain();
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_past"), 10);
	assert_int_equal(sql("SELECT count(DISTINCT digest) FROM mta_sts_past"), 10);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_past WHERE digest < 0"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_enabled_hosted_policy_is_served_by_name, one_domain),
		cmocka_unit_test_setup(
			no_policy_is_served_before_the_first_look_at_the_txt_record, one_domain),
		cmocka_unit_test_setup(
			the_proven_domain_is_served_at_once_when_switched_on_again, one_domain),
		cmocka_unit_test_setup(
			the_only_account_of_a_name_is_served_even_if_dns_has_a_foreign_id,
			one_domain),
		cmocka_unit_test_setup(
			neither_of_two_accounts_with_a_name_is_served_until_one_is_proven,
			two_domains),
		cmocka_unit_test_setup(
			the_last_proven_account_is_served_when_the_record_is_gone, two_domains),
		cmocka_unit_test_setup(
			an_id_issued_to_another_account_keeps_all_others_out, two_domains),
		cmocka_unit_test_setup(
			a_later_account_is_not_served_under_the_id_of_a_deleted_domain,
			two_domains),
		cmocka_unit_test_setup(
			every_id_of_a_deleted_domain_keeps_other_accounts_out, two_domains),
		cmocka_unit_test_setup(
			another_account_with_the_name_is_checked_again_when_a_domain_is_deleted,
			two_domains),
		cmocka_unit_test_setup(
			an_id_issued_for_another_name_blocks_no_account, two_domains),
		cmocka_unit_test_setup(
			the_id_of_a_deleted_domain_keeps_others_out_for_a_year_and_a_month,
			two_domains),
		cmocka_unit_test_setup(
			the_id_in_the_txt_record_is_kept_however_many_ids_follow, two_domains),
		cmocka_unit_test_setup(a_deleted_id_takes_little_space, one_domain),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
