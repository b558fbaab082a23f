/* Accounts, tokens and domains: what is stored, and what each account sees. */
#include "functions/lib/store/domains/domain-list.h"
#include "functions/lib/store/life/account-plan.h"
#include "functions/lib/store/tokens/token.h"
#include "tests/unit/store_fixture.h"

#include "functions/lib/store/life/account-first.h"
#include "functions/lib/store/life/domain-life.h"

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
/* Begins like DIGEST_A, because the index has only the first 16 characters of a digest. */
#define DIGEST_LIKE_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"

static struct eds_account alice;
static struct eds_account bob;
static struct eds_token token;
static struct eds_token_grant grant;

static void assert_fails(rt_status status, rt_status category, const char *code)
{
	assert_int_equal(status, category);
	assert_string_equal(event.failure.code, code);
	rt_fail_clear(&event);
}

static rt_status add_token(const char *account, int64_t expires_at_ms, const char *digest)
{
	return eds_store_token_create(
		&event, open_store(), account, "ci", expires_at_ms, digest, &token);
}

/* Copies the id, so that it outlives the event. */
static void keep_ids(struct eds_account *account, char kept[64])
{
	snprintf(kept, 64, "%s", account->id);
	account->id = kept;
}

static int two_accounts(void **state)
{
	static char ids[2][64];

	if (empty_database(state) != 0 ||
		eds_store_account_create(&event, open_store(), "alice", EDS_PLAN_PAID, &alice) !=
			RT_OK)
		return -1;
	keep_ids(&alice, ids[0]);
	if (eds_store_account_create(&event, open_store(), "bob", EDS_PLAN_FREE, &bob) != RT_OK)
		return -1;
	keep_ids(&bob, ids[1]);
	if (add_token("alice", 0, DIGEST_A) != RT_OK || add_token("bob", 0, DIGEST_B) != RT_OK)
		return -1;
	return 0;
}

static void the_name_of_an_account_is_unique(void **state)
{
	struct eds_account account;

	(void)state;
	assert_fails(
		eds_store_account_create(&event, open_store(), "alice", EDS_PLAN_FREE, &account),
		RT_CONFLICT, "account-exists");
	assert_int_equal(sql("SELECT count(*) FROM accounts"), 2);
}

static void a_plan_can_be_changed(void **state)
{
	struct eds_account account;

	(void)state;
	assert_int_equal(
		eds_store_account_set_plan(&event, open_store(), "bob", EDS_PLAN_PAID, &account),
		RT_OK);
	assert_int_equal(account.plan, EDS_PLAN_PAID);
	assert_string_equal(account.id, bob.id);
	assert_int_equal(
		eds_store_token_account(&event, open_store(), DIGEST_B, &account, &grant), RT_OK);
	assert_int_equal(account.plan, EDS_PLAN_PAID);
	assert_fails(
		eds_store_account_set_plan(&event, open_store(), "carol", EDS_PLAN_PAID, &account),
		RT_NOT_FOUND, "account-not-found");
}

static void a_token_acts_for_its_account_alone(void **state)
{
	struct eds_account account;

	(void)state;
	assert_int_equal(
		eds_store_token_account(&event, open_store(), DIGEST_A, &account, &grant), RT_OK);
	assert_string_equal(account.id, alice.id);
	assert_string_equal(account.name, "alice");
	assert_int_equal(account.plan, EDS_PLAN_PAID);
	assert_int_equal(
		eds_store_token_account(&event, open_store(), DIGEST_B, &account, &grant), RT_OK);
	assert_string_equal(account.id, bob.id);
}

static void the_whole_digest_must_agree(void **state)
{
	struct eds_account account;

	(void)state;
	assert_fails(eds_store_token_account(&event, open_store(), DIGEST_LIKE_A, &account, &grant),
		RT_UNAUTHORIZED, "token-invalid");
	assert_fails(
		eds_store_token_account(&event, open_store(), "aaaaaaaaaaaaaaaa", &account, &grant),
		RT_UNAUTHORIZED, "token-invalid");
	assert_fails(eds_store_token_account(&event, open_store(), "", &account, &grant),
		RT_UNAUTHORIZED, "token-invalid");
}

static void a_token_ends_at_its_time(void **state)
{
	struct eds_account account;
	struct eds_domain domain;

	(void)state;
	sql("UPDATE tokens SET expires_at_ms = 1 WHERE digest = '" DIGEST_A "'");
	assert_fails(eds_store_token_account(&event, open_store(), DIGEST_A, &account, &grant),
		RT_UNAUTHORIZED, "token-invalid");
	assert_fails(eds_store_token_domain(&event, open_store(), DIGEST_A, "x", &domain, &grant),
		RT_UNAUTHORIZED, "token-invalid");
	sql("UPDATE tokens SET expires_at_ms = 99999999999999");
	assert_int_equal(
		eds_store_token_account(&event, open_store(), DIGEST_A, &account, &grant), RT_OK);
}

static void a_revoked_token_is_treated_as_an_unknown_one(void **state)
{
	struct eds_account account;
	struct eds_store *store;
	const char *id;

	(void)state;
	store = open_store();
	assert_int_equal(
		eds_store_token_create(&event, store, "bob", "old", 0,
			"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc", &token),
		RT_OK);
	id = token.id;
	assert_int_equal(eds_store_token_revoke(&event, store, id), RT_OK);
	assert_int_equal(eds_store_token_revoke(&event, store, id), RT_OK);
	assert_fails(eds_store_token_account(&event, store,
			     "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
			     &account, &grant),
		RT_UNAUTHORIZED, "token-invalid");
	assert_int_equal(eds_store_token_account(&event, store, DIGEST_B, &account, &grant), RT_OK);
	assert_fails(eds_store_token_revoke(&event, store, "x"), RT_NOT_FOUND, "token-not-found");
}

static void the_text_of_a_token_is_nowhere_in_the_database(void **state)
{
	(void)state;
	assert_int_equal(sql("SELECT count(*) FROM tokens WHERE digest LIKE 'eds_%'"), 0);
	assert_int_equal(sql("SELECT min(length(digest)) FROM tokens"), EDS_TOKEN_DIGEST_LENGTH);
}

static void accounts_and_tokens_are_listed_by_name(void **state)
{
	struct eds_store *store = open_store();
	struct eds_account *accounts;
	struct eds_account account;
	struct eds_token *tokens;
	size_t count;

	(void)state;
	assert_int_equal(
		eds_store_account_create(&event, store, "Zoe", EDS_PLAN_FREE, &account), RT_OK);
	assert_int_equal(eds_store_account_list(&event, store, &accounts, &count), RT_OK);
	assert_int_equal(count, 3);
	/* sorted octet by octet, for any language of the database */
	assert_string_equal(accounts[0].name, "Zoe");
	assert_string_equal(accounts[1].name, "alice");
	assert_string_equal(accounts[2].name, "bob");
	assert_int_equal(eds_store_token_list(&event, store, &tokens, &count), RT_OK);
	assert_int_equal(count, 2);
	assert_string_equal(tokens[0].account_name, "alice");
	assert_string_equal(tokens[1].account_name, "bob");
	assert_int_equal(tokens[1].revoked_at_ms, 0);
}

static void a_first_account_is_made_only_in_an_empty_database(void **state)
{
	struct eds_account account;
	bool made;

	assert_int_equal(empty_database(state), 0);
	assert_int_equal(eds_store_account_create_first(
				 &event, open_store(), "dev", EDS_PLAN_PAID, DIGEST_A, &made),
		RT_OK);
	assert_true(made);
	assert_int_equal(
		eds_store_token_account(&event, open_store(), DIGEST_A, &account, &grant), RT_OK);
	assert_string_equal(account.name, "dev");
	assert_int_equal(eds_store_account_create_first(
				 &event, open_store(), "dev", EDS_PLAN_PAID, DIGEST_B, &made),
		RT_OK);
	assert_false(made);
	assert_int_equal(sql("SELECT count(*) FROM accounts"), 1);
	assert_int_equal(sql("SELECT count(*) FROM tokens"), 1);
}

static const char *add_domain(const struct eds_account *account, const char *name)
{
	static char id[2][64];
	static int next;
	struct eds_domain domain;

	assert_int_equal(
		eds_store_domain_create(&event, open_store(), account, name, &domain), RT_OK);
	next = !next;
	snprintf(id[next], sizeof id[next], "%s", domain.id);
	return id[next];
}

static void a_domain_is_unique_in_an_account_but_not_across_accounts(void **state)
{
	struct eds_domain domain;

	(void)state;
	add_domain(&alice, "example.com");
	add_domain(&bob, "example.com");
	assert_fails(eds_store_domain_create(&event, open_store(), &alice, "example.com", &domain),
		RT_CONFLICT, "domain-exists");
	assert_int_equal(sql("SELECT count(*) FROM domains"), 2);
}

static void a_domain_is_found_with_the_plan_of_its_account(void **state)
{
	const char *id = add_domain(&alice, "example.com");
	struct eds_domain domain;

	(void)state;
	assert_int_equal(
		eds_store_token_domain(&event, open_store(), DIGEST_A, id, &domain, &grant), RT_OK);
	assert_string_equal(domain.id, id);
	assert_string_equal(domain.name, "example.com");
	assert_string_equal(domain.account_id, alice.id);
	assert_int_equal(domain.plan, EDS_PLAN_PAID);
	assert_true(domain.created_at_ms > 0);
}

static void another_accounts_domain_is_treated_as_missing(void **state)
{
	const char *id = add_domain(&alice, "example.com");
	const char *const ids[] = {id, "01900000-0000-7000-8000-000000000000", "", "x' OR '1'='1"};
	const char *sentence = NULL;
	struct eds_domain domain;

	(void)state;
	open_store();
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		struct eds_store *store;

		assert_int_equal(eds_store_open(&event, &store), RT_OK);
		assert_int_equal(
			eds_store_token_domain(&event, store, DIGEST_B, ids[i], &domain, &grant),
			RT_NOT_FOUND);
		assert_string_equal(event.failure.code, "domain-not-found");
		if (sentence != NULL)
			assert_string_equal(event.failure.detail, sentence);
		sentence = event.failure.detail;
		rt_fail_clear(&event);
	}
}

static void domains_are_listed_by_name_and_page_by_page(void **state)
{
	static const char *const names[] = {"b.example", "a-b.example", "a.example", "ab.example"};
	static const char *const sorted[] = {"a-b.example", "a.example", "ab.example", "b.example"};
	struct eds_domain *domains;
	size_t count;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		add_domain(&alice, names[i]);
	add_domain(&bob, "aa.example");
	assert_int_equal(eds_store_domain_list(&event, open_store(), &alice,
				 &(struct eds_domain_query){0}, &domains, &count),
		RT_OK);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(domains[i].name, sorted[i]);
	assert_int_equal(
		eds_store_domain_list(&event, open_store(), &alice,
			&(struct eds_domain_query){
				.after = &(struct eds_domain){.name = "a.example"}, .limit = 1},
			&domains, &count),
		RT_OK);
	assert_int_equal(count, 1);
	assert_string_equal(domains[0].name, "ab.example");
}

static void a_hundred_domains_are_listed_whole(void **state)
{
	struct eds_domain *domains;
	size_t count;
	char name[32];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "d%02d.example", i);
		add_domain(&alice, name);
	}
	assert_int_equal(eds_store_domain_list(&event, open_store(), &alice,
				 &(struct eds_domain_query){0}, &domains, &count),
		RT_OK);
	assert_int_equal(count, 100);
	assert_string_equal(domains[0].name, "d00.example");
	assert_string_equal(domains[99].name, "d99.example");
}

static void a_deleted_domain_is_gone_and_its_name_free(void **state)
{
	const char *id = add_domain(&alice, "example.com");
	struct eds_domain domain = {.id = id, .account_id = bob.id, .name = "example.com"};

	(void)state;
	assert_fails(eds_store_domain_delete(&event, open_store(), &domain), RT_NOT_FOUND,
		"domain-not-found");
	domain.account_id = alice.id;
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &domain), RT_OK);
	assert_fails(eds_store_domain_delete(&event, open_store(), &domain), RT_NOT_FOUND,
		"domain-not-found");
	add_domain(&alice, "example.com");
}

static void strange_text_is_stored_unchanged(void **state)
{
	static const char *const names[] = {
		"x'; DROP TABLE accounts; --", "\xc3\xa4\xe2\x82\xac", "$1 %s \\ \"", "\x01\x7f"};
	struct eds_account account;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		assert_int_equal(eds_store_account_create(
					 &event, open_store(), names[i], EDS_PLAN_FREE, &account),
			RT_OK);
		assert_int_equal(
			eds_store_account_get(&event, open_store(), names[i], &account), RT_OK);
		assert_string_equal(account.name, names[i]);
	}
}

#define ACCOUNTS_TEST(name) cmocka_unit_test_setup(name, two_accounts)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ACCOUNTS_TEST(the_name_of_an_account_is_unique),
		ACCOUNTS_TEST(a_plan_can_be_changed),
		ACCOUNTS_TEST(a_token_acts_for_its_account_alone),
		ACCOUNTS_TEST(the_whole_digest_must_agree),
		ACCOUNTS_TEST(a_token_ends_at_its_time),
		ACCOUNTS_TEST(a_revoked_token_is_treated_as_an_unknown_one),
		ACCOUNTS_TEST(the_text_of_a_token_is_nowhere_in_the_database),
		ACCOUNTS_TEST(accounts_and_tokens_are_listed_by_name),
		ACCOUNTS_TEST(a_first_account_is_made_only_in_an_empty_database),
		ACCOUNTS_TEST(a_domain_is_unique_in_an_account_but_not_across_accounts),
		ACCOUNTS_TEST(a_domain_is_found_with_the_plan_of_its_account),
		ACCOUNTS_TEST(another_accounts_domain_is_treated_as_missing),
		ACCOUNTS_TEST(domains_are_listed_by_name_and_page_by_page),
		ACCOUNTS_TEST(a_hundred_domains_are_listed_whole),
		ACCOUNTS_TEST(a_deleted_domain_is_gone_and_its_name_free),
		ACCOUNTS_TEST(strange_text_is_stored_unchanged),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
