/* Code shared by the tests of stored selectors: a domain, checks and their outcomes. */
#ifndef STORE_SELECTOR_FIXTURE_H
#define STORE_SELECTOR_FIXTURE_H

#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/selectors/selector-due.h"
#include "functions/lib/store/selectors/selector-list.h"
#include "functions/lib/store/selectors/selector.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

enum {
	MINUTE_MS = 60 * 1000,
};

static struct eds_domain domain;

/* An account with one domain, whose names outlive the events. */
static inline int empty_domain(void **state)
{
	static char id[64];
	static char account_id[64];
	struct eds_account account;
	struct eds_store *store;

	if (empty_database(state) != 0)
		return -1;
	store = open_store();
	if (eds_store_account_create(&event, store, "one", EDS_PLAN_PAID, &account) != RT_OK ||
		eds_store_domain_create(&event, store, &account, "example.com", &domain) != RT_OK)
		return -1;
	snprintf(id, sizeof id, "%s", domain.id);
	snprintf(account_id, sizeof account_id, "%s", domain.account_id);
	domain.id = id;
	domain.account_id = account_id;
	domain.name = "example.com";
	return 0;
}

static inline struct eds_selector_check valid_check(void)
{
	return (struct eds_selector_check){
		.state = "valid",
		.key_type = "rsa",
		.key_bits = 2048,
		.errors = "[]",
		.warnings = "[]",
		.digest = INT64_MIN + 7,
		.probed_at_ms = rt_wall_ms(),
		.checked_at_ms = rt_wall_ms(),
	};
}

static inline rt_status add_due_at(const char *name, int64_t next_at_ms)
{
	struct eds_selector_check check = valid_check();

	bool discovered;

	return eds_store_selector_add(
		&event, open_store(), &domain, name, &check, next_at_ms, &discovered);
}

static inline rt_status add(const char *name)
{
	return add_due_at(name, rt_wall_ms() + MINUTE_MS);
}

static inline rt_status get(const char *name, struct eds_selector *selector)
{
	return eds_store_selector_get(&event, open_store(), &domain, name, selector);
}

static inline struct eds_selector_due *claim_up_to(size_t max, size_t *count)
{
	struct eds_selector_due *claimed;
	size_t written;

	assert_int_equal(eds_store_selectors_turn(
				 &event, open_store(), NULL, 0, &written, max, &claimed, count),
		RT_OK);
	return claimed;
}

/* Only on PostgreSQL: copies the only selector s until there are many of them, named s2, s3 and so
 * on. due_ms is an SQL expression of the number i: the time when selector i is due. */
static inline void copy_selector(int many, const char *due_ms)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text,
		"INSERT INTO dkim_selectors SELECT domain_id, name || i, shown, domain, manual,"
		" created_at_ms, %s, checked_at_ms, changed_at_ms, probed_at_ms, digest, wildcard,"
		" first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, state, key_type,"
		" key_bits, alias, errors, warnings FROM dkim_selectors, generate_series(2, %d) i;"
		" ANALYZE dkim_selectors",
		due_ms, many);
	sql(text);
}

#define STORE_TEST(name) cmocka_unit_test_setup(name, empty_domain)

#endif
