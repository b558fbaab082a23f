/* Tokens that an account makes for itself: their rights are stored and read again. */
#include "functions/lib/store/domains/domain-list.h"
#include "functions/lib/store/tokens/token.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#include <string.h>

#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/tokens/token-own.h"

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define DIGEST_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static struct eds_account alice;
static struct eds_account bob;
static struct eds_account caller;
static struct eds_token_grant grant;
static struct eds_domain mine;
static struct eds_domain other;
static struct eds_domain foreign;
static struct eds_domain seen;

static void assert_fails(rt_status status, rt_status category, const char *code)
{
	assert_int_equal(status, category);
	assert_string_equal(event.failure.code, code);
	rt_fail_clear(&event);
}

/* Copies an id, so that it outlives the event. */
static const char *kept(const char *id)
{
	static char room[512][64];
	static size_t next;
	char *place = room[next++ % 512];

	snprintf(place, sizeof room[0], "%s", id);
	return place;
}

static int account(const char *name, enum eds_plan plan, struct eds_account *made)
{
	if (eds_store_account_create(&event, open_store(), name, plan, made) != RT_OK)
		return -1;
	made->id = kept(made->id);
	return 0;
}

static int domain(const struct eds_account *owner, const char *name, struct eds_domain *made)
{
	if (eds_store_domain_create(&event, open_store(), owner, name, made) != RT_OK)
		return -1;
	made->id = kept(made->id);
	return 0;
}

static int two_accounts(void **state)
{
	if (empty_database(state) != 0 || account("alice", EDS_PLAN_PAID, &alice) != 0 ||
		account("bob", EDS_PLAN_FREE, &bob) != 0)
		return -1;
	if (domain(&alice, "mine.example", &mine) != 0 ||
		domain(&alice, "other.example", &other) != 0)
		return -1;
	return domain(&bob, "foreign.example", &foreign);
}

static rt_status make(const struct eds_account *owner, const char *digest, bool read_only,
	const char *const *domains, size_t count, struct eds_own_token *token)
{
	rt_status status;

	*token = (struct eds_own_token){
		.name = "ci",
		.read_only = read_only,
		.some_domains = domains != NULL,
		.domains = (const char **)domains,
		.domain_count = count,
	};
	status = eds_store_own_token_create(&event, open_store(), owner, digest, token);
	token->id = kept(token->id);
	return status;
}

static rt_status ask(const char *digest)
{
	rt_status status = eds_store_token_account(&event, open_store(), digest, &caller, &grant);

	if (status == RT_OK)
		caller.id = kept(caller.id);
	if (caller.only_token != NULL)
		caller.only_token = kept(caller.only_token);
	return status;
}

static rt_status ask_domain(const char *digest, const struct eds_domain *domain)
{
	return eds_store_token_domain(&event, open_store(), digest, domain->id, &seen, &grant);
}

static void the_rights_of_a_token_are_found_with_its_account(void **state)
{
	struct eds_own_token token;

	(void)state;
	assert_int_equal(make(&alice, DIGEST_A, false, NULL, 0, &token), RT_OK);
	assert_int_equal(make(&alice, DIGEST_B, true, NULL, 0, &token), RT_OK);
	assert_int_equal(ask(DIGEST_A), RT_OK);
	assert_string_equal(caller.name, "alice");
	assert_false(grant.read_only);
	assert_false(grant.some_domains);
	assert_null(caller.only_token);
	assert_int_equal(ask(DIGEST_B), RT_OK);
	assert_true(grant.read_only);
	assert_string_equal(grant.id, token.id);
	assert_int_equal(ask_domain(DIGEST_B, &mine), RT_OK);
	assert_true(grant.read_only);
	assert_string_equal(seen.name, "mine.example");
}

static void a_token_limited_to_some_domains_finds_no_others(void **state)
{
	const char *const ids[] = {mine.id};
	struct eds_own_token token;
	struct eds_domain *domains;
	size_t count;

	(void)state;
	assert_int_equal(make(&alice, DIGEST_A, false, ids, 1, &token), RT_OK);
	assert_int_equal(ask_domain(DIGEST_A, &mine), RT_OK);
	assert_string_equal(seen.name, "mine.example");
	assert_fails(ask_domain(DIGEST_A, &other), RT_NOT_FOUND, "domain-not-found");
	assert_fails(ask_domain(DIGEST_A, &foreign), RT_NOT_FOUND, "domain-not-found");
	assert_int_equal(ask(DIGEST_A), RT_OK);
	assert_true(grant.some_domains);
	assert_int_equal(eds_store_domain_list(&event, open_store(), &caller,
				 &(struct eds_domain_query){0}, &domains, &count),
		RT_OK);
	assert_int_equal(count, 1);
	assert_string_equal(domains[0].name, "mine.example");
	/* a token for some domains, all of which are deleted, is valid for no domain instead of for
	 * all */
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &mine), RT_OK);
	assert_fails(ask_domain(DIGEST_A, &other), RT_NOT_FOUND, "domain-not-found");
	assert_int_equal(ask(DIGEST_A), RT_OK);
	assert_int_equal(eds_store_domain_list(&event, open_store(), &caller,
				 &(struct eds_domain_query){0}, &domains, &count),
		RT_OK);
	assert_int_equal(count, 0);
}

static void no_token_is_made_for_another_accounts_domain(void **state)
{
	const char *const ids[] = {mine.id, foreign.id};
	struct eds_own_token token;

	(void)state;
	assert_int_equal(make(&alice, DIGEST_A, false, ids, 2, &token), RT_BAD_INPUT);
	assert_string_equal(event.failure.fields[0].field, "domains[1]");
	rt_fail_clear(&event);
	assert_int_equal(sql("SELECT count(*) FROM tokens"), 0);
	assert_int_equal(sql("SELECT count(*) FROM token_domains"), 0);
}

static void a_release_without_token_limits_does_not_find_limited_tokens(void **state)
{
	const char *const ids[] = {mine.id};
	struct eds_own_token token;

	(void)state;
	assert_int_equal(make(&alice, DIGEST_A, false, NULL, 0, &token), RT_OK);
	assert_int_equal(make(&alice, DIGEST_B, true, NULL, 0, &token), RT_OK);
	assert_int_equal(make(&alice, DIGEST_C, false, ids, 1, &token), RT_OK);
	/* the statement by which the previous release finds a token */
	assert_int_equal(
		sql("SELECT count(*) FROM tokens WHERE digest_head = 'aaaaaaaaaaaaaaaa'"), 1);
	assert_int_equal(sql("SELECT count(*) FROM tokens WHERE digest_head IN"
			     " ('bbbbbbbbbbbbbbbb', 'cccccccccccccccc')"),
		0);
}

static void the_use_of_a_token_is_written_at_most_once_an_hour(void **state)
{
	struct eds_own_token token;
	int64_t before_ms = rt_wall_ms();

	(void)state;
	assert_int_equal(make(&alice, DIGEST_A, false, NULL, 0, &token), RT_OK);
	assert_int_equal(sql("SELECT used_at_ms FROM tokens"), 0);
	assert_int_equal(ask(DIGEST_A), RT_OK);
	assert_true(sql("SELECT used_at_ms FROM tokens") >= before_ms);
	sql("UPDATE tokens SET used_at_ms = used_at_ms - 3590000");
	assert_int_equal(ask_domain(DIGEST_A, &mine), RT_OK);
	assert_true(sql("SELECT used_at_ms FROM tokens") < before_ms);
	sql("UPDATE tokens SET used_at_ms = used_at_ms - 11000");
	assert_int_equal(ask_domain(DIGEST_A, &mine), RT_OK);
	assert_true(sql("SELECT used_at_ms FROM tokens") >= before_ms);
}

static void tokens_are_listed_with_their_domains_and_without_revoked_ones(void **state)
{
	const char *const ids[] = {mine.id, other.id};
	struct eds_own_token made[3];
	struct eds_own_token *tokens;
	size_t count;

	(void)state;
	assert_int_equal(make(&alice, DIGEST_A, true, ids, 2, &made[0]), RT_OK);
	assert_int_equal(make(&alice, DIGEST_B, false, NULL, 0, &made[1]), RT_OK);
	assert_int_equal(make(&bob, DIGEST_C, false, NULL, 0, &made[2]), RT_OK);
	/* The tokens may have been made in the same millisecond, so the test sets an earlier time
	 * for one. */
	sql("UPDATE tokens SET created_at_ms = created_at_ms - 1000 WHERE read_only = 1");
	assert_int_equal(
		eds_store_own_token_list(&event, open_store(), &alice, &tokens, &count), RT_OK);
	assert_int_equal(count, 2);
	assert_string_equal(tokens[0].id, made[0].id);
	assert_true(tokens[0].read_only);
	assert_int_equal(tokens[0].domain_count, 2);
	assert_int_equal(tokens[1].domain_count, 0);
	assert_false(tokens[1].some_domains);
	assert_int_equal(eds_store_token_revoke(&event, open_store(), made[0].id), RT_OK);
	assert_int_equal(
		eds_store_own_token_list(&event, open_store(), &alice, &tokens, &count), RT_OK);
	assert_int_equal(count, 1);
}

static void a_token_is_deleted_only_by_its_account(void **state)
{
	const char *const ids[] = {mine.id};
	struct eds_own_token token;

	(void)state;
	assert_int_equal(make(&alice, DIGEST_A, false, ids, 1, &token), RT_OK);
	assert_fails(eds_store_own_token_delete(&event, open_store(), &bob, token.id), RT_NOT_FOUND,
		"token-not-found");
	assert_int_equal(ask(DIGEST_A), RT_OK);
	assert_int_equal(eds_store_own_token_delete(&event, open_store(), &alice, token.id), RT_OK);
	assert_fails(ask(DIGEST_A), RT_UNAUTHORIZED, "token-invalid");
	assert_int_equal(sql("SELECT count(*) FROM token_domains"), 0);
	assert_fails(eds_store_own_token_delete(&event, open_store(), &alice, token.id),
		RT_NOT_FOUND, "token-not-found");
}

static void an_account_has_at_most_a_hundred_tokens(void **state)
{
	struct eds_own_token token;
	char digest[65] = DIGEST_A;

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(digest, sizeof digest, "%064d", i + 1);
		memcpy(digest, digest + 48, 16);
		assert_int_equal(make(&alice, digest, false, NULL, 0, &token), RT_OK);
	}
	assert_fails(make(&alice, DIGEST_B, false, NULL, 0, &token), RT_FORBIDDEN, "token-limit");
	assert_int_equal(make(&bob, DIGEST_B, false, NULL, 0, &token), RT_OK);
	sql("DELETE FROM tokens WHERE id = (SELECT min(id) FROM tokens)");
	assert_int_equal(make(&alice, DIGEST_C, false, NULL, 0, &token), RT_OK);
}

#define OWN_TEST(name) cmocka_unit_test_setup(name, two_accounts)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OWN_TEST(the_rights_of_a_token_are_found_with_its_account),
		OWN_TEST(a_token_limited_to_some_domains_finds_no_others),
		OWN_TEST(no_token_is_made_for_another_accounts_domain),
		OWN_TEST(a_release_without_token_limits_does_not_find_limited_tokens),
		OWN_TEST(the_use_of_a_token_is_written_at_most_once_an_hour),
		OWN_TEST(tokens_are_listed_with_their_domains_and_without_revoked_ones),
		OWN_TEST(a_token_is_deleted_only_by_its_account),
		OWN_TEST(an_account_has_at_most_a_hundred_tokens),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
