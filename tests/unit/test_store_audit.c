/* The audit log: an entry is written with its change, and removed after its time. */
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#include <string.h>
#include <unistd.h>

#include "functions/lib/store/accounts/address-use.h"
#include "functions/lib/store/accounts/audit.h"
#include "functions/lib/store/life/domain-life.h"

static struct eds_account alice;
static char alice_id[64];
static struct eds_audit_entry *entries;
static size_t count;

static int an_account(void **state)
{
	if (empty_database(state) != 0 ||
		eds_store_account_create(&event, open_store(), "alice", EDS_PLAN_PAID, &alice) !=
			RT_OK)
		return -1;
	snprintf(alice_id, sizeof alice_id, "%s", alice.id);
	alice.id = alice_id;
	return 0;
}

/* A request for a change, in an event of its own. */
static struct eds_store *ask(const char *action, const char *domain)
{
	struct eds_store *store = open_store();

	eds_store_audit_begin(&event, store,
		&(struct eds_audit_entry){
			.account_id = alice.id,
			.token_id = "t1",
			.token_name = "ci",
			.action = action,
			.domain = domain,
		});
	return store;
}

static void list(const char *after, int limit)
{
	assert_int_equal(
		eds_store_audit_list(&event, open_store(), &alice, after, limit, &entries, &count),
		RT_OK);
}

static void a_change_is_logged_with_who_made_it(void **state)
{
	struct eds_domain domain;

	(void)state;
	assert_int_equal(eds_store_domain_create(&event, ask("createDomain", NULL), &alice,
				 "mine.example", &domain),
		RT_OK);
	list(NULL, 0);
	assert_int_equal(count, 1);
	assert_string_equal(entries[0].action, "createDomain");
	assert_string_equal(entries[0].token_id, "t1");
	assert_string_equal(entries[0].token_name, "ci");
	assert_string_equal(entries[0].domain, "mine.example");
	assert_null(entries[0].subject);
	assert_true(entries[0].at_ms > rt_wall_ms() - EVENT_MS);
}

static void a_refused_change_is_not_logged(void **state)
{
	struct eds_domain domain;

	(void)state;
	assert_int_equal(
		eds_store_domain_create(&event, open_store(), &alice, "mine.example", &domain),
		RT_OK);
	assert_int_equal(eds_store_domain_create(&event, ask("createDomain", NULL), &alice,
				 "mine.example", &domain),
		RT_CONFLICT);
	list(NULL, 0);
	assert_int_equal(count, 0);
}

static void a_request_of_two_transactions_has_one_entry(void **state)
{
	struct eds_store *store = ask("createDomain", NULL);
	struct eds_domain domain;

	(void)state;
	assert_int_equal(
		eds_store_domain_create(&event, store, &alice, "one.example", &domain), RT_OK);
	assert_int_equal(
		eds_store_domain_create(&event, store, &alice, "two.example", &domain), RT_OK);
	list(NULL, 0);
	assert_int_equal(count, 1);
	assert_string_equal(entries[0].domain, "one.example");
}

static void an_entry_left_by_an_earlier_event_is_not_written(void **state)
{
	struct eds_domain domain;

	(void)state;
	(void)ask("createDomain", NULL);
	next_event(EVENT_MS);
	assert_int_equal(
		eds_store_domain_create(&event, open_store(), &alice, "mine.example", &domain),
		RT_OK);
	list(NULL, 0);
	assert_int_equal(count, 0);
}

static void a_page_begins_after_the_one_before(void **state)
{
	static const char *const names[] = {"d0.example", "d1.example", "d2.example"};
	struct eds_domain domain;
	char after[64];

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(eds_store_domain_create(&event, ask("createDomain", NULL), &alice,
					 names[i], &domain),
			RT_OK);
		usleep(2000); /* entries made in the same millisecond have no defined order */
	}
	list(NULL, 2);
	assert_int_equal(count, 2);
	assert_string_equal(entries[0].domain, "d2.example");
	assert_string_equal(entries[1].domain, "d1.example");
	snprintf(after, sizeof after, "%s", entries[1].id);
	list(after, 2);
	assert_int_equal(count, 1);
	assert_string_equal(entries[0].domain, "d0.example");
}

static void insert_of(const char *token, int number, int64_t at_ms)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text,
		"INSERT INTO audit_log (account_id, id, at_ms, token_id, token_name, action)"
		" VALUES ('%s', '0193490a-0000-7000-8000-%012d', %lld, '%s', 'ci', 'checkPosture')",
		alice_id, number, (long long)at_ms, token);
	sql(text);
}

static void insert_old(int number, int64_t at_ms)
{
	insert_of("t1", number, at_ms);
}

static void entries_go_after_180_days(void **state)
{
	int64_t until_ms = rt_wall_ms() - INT64_C(180) * 86400 * 1000;
	size_t removed;

	(void)state;
	insert_old(1, until_ms - 1);
	insert_old(2, until_ms + 60000);
	list(NULL, 0);
	assert_int_equal(count, 1);
	assert_int_equal(eds_store_audit_expire(&event, open_store(), &removed), RT_OK);
	assert_int_equal(removed, 1);
	assert_int_equal(sql("SELECT count(*) FROM audit_log"), 1);
	assert_int_equal(eds_store_audit_expire(&event, open_store(), &removed), RT_OK);
	assert_int_equal(removed, 0);
}

static void only_the_newest_entries_of_a_busy_account_are_kept(void **state)
{
	int64_t now_ms = rt_wall_ms();
	size_t removed;

	(void)state;
	for (int i = 0; i < 30; i++)
		insert_old(i, now_ms - 1000 + i);
	assert_int_equal(eds_store_audit_trim(&event, open_store(), 30, &removed), RT_OK);
	assert_int_equal(removed, 0);
	assert_int_equal(eds_store_audit_trim(&event, open_store(), 20, &removed), RT_OK);
	assert_int_equal(removed, 10);
	list(NULL, 0);
	assert_int_equal(count, 20);
	assert_string_equal(entries[19].id, "0193490a-0000-7000-8000-000000000010");
	assert_int_equal(eds_store_audit_trim(&event, open_store(), 20, &removed), RT_OK);
	assert_int_equal(removed, 0);
}

static void the_oldest_entries_of_the_busiest_token_are_deleted_first(void **state)
{
	int64_t now_ms = rt_wall_ms();
	size_t removed;

	(void)state;
	for (int i = 0; i < 5; i++)
		insert_of("quiet", i, now_ms - 2000 + i);
	for (int i = 5; i < 35; i++)
		insert_of("busy", i, now_ms - 1000 + i);
	assert_int_equal(eds_store_audit_trim(&event, open_store(), 20, &removed), RT_OK);
	assert_int_equal(removed, 15);
	assert_int_equal(sql("SELECT count(*) FROM audit_log WHERE token_id = 'quiet'"), 5);
	list(NULL, 0);
	assert_int_equal(count, 20);
	assert_string_equal(entries[14].id, "0193490a-0000-7000-8000-000000000020");
	assert_int_equal(eds_store_audit_trim(&event, open_store(), 4, &removed), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM audit_log WHERE token_id = 'quiet'"), 2);
	assert_int_equal(sql("SELECT count(*) FROM audit_log WHERE token_id = 'busy'"), 2);
}

static void an_account_cannot_make_more_changes_than_are_removed(void **state)
{
	int64_t left = 10600;
	bool taken;

	(void)state;
	for (int i = 0; i < 5; i++)
		insert_of("quiet", i, rt_wall_ms() - 2000);
	sql(rt_printf(&event,
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10600)"
		" INSERT INTO audit_log (account_id, id, at_ms, token_id, token_name, action)"
		" SELECT '%s', '0193490b-' || i, 1, 'busy', 'ci', 'updateMtaSts' FROM n",
		alice_id));
	for (int i = 0; i < 5000 && left > 10200; i++) {
		next_event(EVENT_MS);
		assert_int_equal(eds_store_address_use(&event, ask("updateMtaSts", "d.example"),
					 alice_id, "policy 192.0.2.1", 1, 1000000, &taken),
			RT_OK);
		left = sql("SELECT count(*) FROM audit_log");
	}
	assert_true(left <= 10200);
	assert_int_equal(sql("SELECT count(*) FROM audit_log WHERE token_id = 'quiet'"), 5);
}

#define AUDIT_TEST(name) cmocka_unit_test_setup(name, an_account)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(a_change_is_logged_with_who_made_it),
		AUDIT_TEST(a_refused_change_is_not_logged),
		AUDIT_TEST(a_request_of_two_transactions_has_one_entry),
		AUDIT_TEST(an_entry_left_by_an_earlier_event_is_not_written),
		AUDIT_TEST(a_page_begins_after_the_one_before),
		AUDIT_TEST(entries_go_after_180_days),
		AUDIT_TEST(only_the_newest_entries_of_a_busy_account_are_kept),
		AUDIT_TEST(the_oldest_entries_of_the_busiest_token_are_deleted_first),
		AUDIT_TEST(an_account_cannot_make_more_changes_than_are_removed),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
