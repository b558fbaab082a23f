/* Which of the domains that are due for a check of MTA-STS a claim takes first. */
#include "runtime/time.h"
#include "tests/unit/mta_sts_due_fixture.h"

enum { MINUTE_MS = 60 * 1000 };

/* Fifty more domains of the account of `domain`. */
static void make_fifty(void)
{
	struct eds_account account = {.id = domain.account_id, .plan = EDS_PLAN_PAID};

	for (int i = 0; i < 50; i++) {
		struct eds_domain made;
		char name[32];

		snprintf(name, sizeof name, "d%d.example", i);
		assert_int_equal(
			eds_store_domain_create(&event, open_store(), &account, name, &made),
			RT_OK);
	}
}

static void make_due_since(const struct eds_domain *of, int64_t seconds)
{
	char text[64];

	snprintf(text, sizeof text, "UPDATE mta_sts SET due_at_ms = %lld",
		(long long)(rt_wall_ms() - seconds * 1000));
	if (of == NULL)
		sql(text);
	else
		sql_of(of, text);
}

static void domains_that_are_due_for_a_minute_are_claimed_in_order_of_due_time(void **state)
{
	const struct eds_mta_sts_due *claimed;
	size_t count;

	(void)state;
	make_fifty();
	make_due_since(NULL, 60);
	make_due_since(&twin, 59);
	claimed = claim_up_to(51, &count);
	assert_int_equal(count, 51);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(claimed[i].config.account_id, domain.account_id);
	assert_string_equal(claim(1)->config.domain_id, twin.id);
}

/* Domains of the account of `domain`, all due before the one of the other. */
static void accounts_take_turns_regardless_of_their_number_of_domains(void **state)
{
	struct eds_mta_sts_due *claimed;
	size_t of_twin = 0;
	size_t count;

	(void)state;
	make_fifty();
	sql("UPDATE mta_sts SET due_at_ms = 1");
	sql_of(&twin, "UPDATE mta_sts SET due_at_ms = 2");
	claimed = claim_up_to(10, &count);
	assert_int_equal(count, 10);
	for (size_t i = 0; i < count; i++) {
		bool own = strcmp(claimed[i].config.account_id, twin.account_id) == 0;

		assert_int_equal(own, strcmp(claimed[i].config.domain_id, twin.id) == 0);
		of_twin += own;
	}
	assert_int_equal(of_twin, 1);
	claim(42);
}

/* One account has 20,000 due domains, more than a claim reads, and all are due before the domain of
 * the other account. */
static void an_account_with_more_domains_than_a_claim_reads_delays_no_other(void **state)
{
	char text[SQL_MAX_BYTES];
	char late[64];
	int claims = 0;
	bool found = false;

	(void)state;
	snprintf(text, sizeof text,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
		" INSERT INTO domains (id, account_id, name, created_at_ms)"
		" SELECT 'd' || i, '%s', 'd' || i || '.example', 1 FROM n",
		domain.account_id);
	sql(text);
	snprintf(text, sizeof text,
		"INSERT INTO mta_sts (domain_id, name, hosted, policy_id, updated_at_ms, due_at_ms,"
		" changed_at_ms) SELECT id, name, 0, id, 1, %lld - length(id), 1 FROM domains WHERE"
		" id LIKE 'd%%'",
		(long long)(rt_wall_ms() - 10 * MINUTE_MS));
	sql(text);
	snprintf(late, sizeof late, "UPDATE mta_sts SET due_at_ms = %lld",
		(long long)(rt_wall_ms() - 1000));
	sql_of(&twin, late);
	while (!found && ++claims <= 15) {
		size_t count;
		const struct eds_mta_sts_due *claimed = claim_up_to(100, &count);

		for (size_t i = 0; i < count; i++)
			found = found || strcmp(claimed[i].config.domain_id, twin.id) == 0;
	}
	assert_in_range(claims, 1, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			domains_that_are_due_for_a_minute_are_claimed_in_order_of_due_time,
			two_domains),
		cmocka_unit_test_setup(
			accounts_take_turns_regardless_of_their_number_of_domains, two_domains),
		cmocka_unit_test_setup(
			an_account_with_more_domains_than_a_claim_reads_delays_no_other,
			two_domains),
	};

	return cmocka_run_group_tests_name(
		"store: turns of MTA-STS", tests, choose_database, remove_folder);
}
