/* Accounts take turns when more selectors are due than one claim takes. */
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/store_selector_fixture.h"

/* Adds this many domains of another account, each with selectors s0 to s19, whose due times are
 * spread over a period that ended at ended_ms. */
static void make_crowd(int domains, int64_t ended_ms)
{
	char text[SQL_MAX_BYTES];

	sql("INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('crowd', 'crowd', 'paid',"
	    " 1)");
	snprintf(text, sizeof text,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
		" INSERT INTO domains (id, account_id, name, created_at_ms)"
		" SELECT 'd' || i, 'crowd', 'd' || i || '.example', 1 FROM n",
		domains);
	sql(text);
	snprintf(text, sizeof text,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)"
		" INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms,"
		" due_at_ms, checked_at_ms, changed_at_ms, probed_at_ms, digest, wildcard,"
		" first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, state, key_type,"
		" key_bits, alias, errors, warnings, key_digest) SELECT d.id, 's' || i, 's' || i, d.name, 1, 1,"
		" %lld - 3 * i * length(d.id), 1, 1, 1, 1, 0, 0, 0, 0, 0, 'valid', 'rsa', 2048,"
		" NULL, '[]', '[]', 0 FROM domains d, n WHERE d.account_id = 'crowd'",
		(long long)ended_ms);
	sql(text);
}

/* The number of claims after which all selectors of `domain`, which became due last, are claimed; 0
 * if 20 claims are not enough. */
static int claims_until_own(size_t own)
{
	for (int claims = 1; claims <= 20; claims++) {
		size_t count;
		const struct eds_selector_due *due = claim_up_to(500, &count);

		for (size_t i = 0; i < count; i++)
			own -= strcmp(due[i].domain_id, domain.id) == 0;
		if (own == 0)
			return claims;
	}
	return 0;
}

/* 20,000 selectors of one account have been due for minutes, as when its DNS is silent. */
static void an_account_with_many_late_selectors_does_not_delay_another(void **state)
{
	(void)state;
	make_crowd(1000, rt_wall_ms() - 10 * MINUTE_MS);
	for (int i = 0; i < 10; i++) {
		char name[16];

		snprintf(name, sizeof name, "own%d", i);
		assert_int_equal(add_due_at(name, rt_wall_ms() - 1000), RT_OK);
	}
	assert_in_range(claims_until_own(10), 1, 10);
}

static void each_of_many_late_selectors_is_claimed_exactly_once(void **state)
{
	size_t claimed = 0;
	size_t count;

	(void)state;
	make_crowd(100, rt_wall_ms() - 10 * MINUTE_MS);
	do {
		claim_up_to(300, &count);
		claimed += count;
	} while (count > 0 && claimed <= 2000);
	assert_int_equal(claimed, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(an_account_with_many_late_selectors_does_not_delay_another),
		STORE_TEST(each_of_many_late_selectors_is_claimed_exactly_once),
	};

	return cmocka_run_group_tests_name(
		"store: turns of selectors", tests, choose_database, remove_folder);
}
