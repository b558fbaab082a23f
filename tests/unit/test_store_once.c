/* Keys of requests (Idempotency-Key) in the store: one request at a time holds a key, and later
 * requests with the key get the stored answer. */
#include "tests/unit/store_fixture.h"

#include <string.h>

#include "functions/lib/store/accounts/account.h"
#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/once.h"

static struct eds_account alice;
static char alice_id[64];

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

static struct eds_once_claim claim_of(const char *request, const char *holder)
{
	return (struct eds_once_claim){alice_id, "key", request, holder};
}

/* Claims the key in an event of its own. */
static struct eds_once_found claim(const char *request, const char *holder)
{
	const struct eds_once_claim wanted = claim_of(request, holder);
	struct eds_once_found found;

	assert_int_equal(eds_store_once_claim(&event, open_store(), &wanted, &found), RT_OK);
	return found;
}

static rt_status keep_answer(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	return eds_store_once_keep(ctx, store, arg, "the answer");
}

/* Makes an object and stores the answer under the claimed key, in one transaction. */
static rt_status make(struct eds_once_claim *own, const char *name)
{
	struct eds_store *store = open_store();
	struct eds_domain domain;

	eds_store_also(store, keep_answer, own);
	return eds_store_domain_create(&event, store, &alice, name, &domain);
}

static void an_idempotency_key_is_held_by_the_first_request(void **state)
{
	(void)state;
	assert_int_equal(claim("r", "first").state, EDS_ONCE_OURS);
	assert_int_equal(claim("r", "second").state, EDS_ONCE_BUSY);
	assert_int_equal(claim("another", "third").state, EDS_ONCE_OTHER);
}

static void the_answer_is_stored_together_with_the_change(void **state)
{
	struct eds_once_claim own = claim_of("r", "first");
	struct eds_once_found found;

	(void)state;
	claim("r", "first");
	assert_int_equal(make(&own, "mine.example"), RT_OK);
	found = claim("r", "second");
	assert_int_equal(found.state, EDS_ONCE_DONE);
	assert_string_equal(found.answer, "the answer");
	assert_string_equal(found.holder, "first");
	assert_int_equal(claim("another", "third").state, EDS_ONCE_OTHER);
}

static void a_failed_change_stores_no_answer(void **state)
{
	struct eds_once_claim own = claim_of("r", "first");

	(void)state;
	claim("r", "first");
	assert_int_equal(make(&own, "mine.example"), RT_OK);
	sql("UPDATE once_answers SET answer = NULL");
	assert_int_equal(make(&own, "mine.example"), RT_CONFLICT);
	assert_string_equal(event.failure.code, "domain-exists");
	assert_int_equal(claim("r", "second").state, EDS_ONCE_BUSY);
}

static void a_request_that_held_its_key_for_too_long_changes_nothing(void **state)
{
	struct eds_once_claim own = claim_of("r", "first");

	(void)state;
	claim("r", "first");
	sql("UPDATE once_answers SET until_ms = 1");
	assert_int_equal(claim("r", "second").state, EDS_ONCE_OURS);
	assert_int_equal(make(&own, "mine.example"), RT_CONFLICT);
	assert_string_equal(event.failure.code, "idempotency-key-busy");
	assert_int_equal(sql("SELECT count(*) FROM domains"), 0);
}

static void a_released_key_is_free_again_and_a_stored_answer_stays(void **state)
{
	struct eds_once_claim own = claim_of("r", "first");

	(void)state;
	claim("r", "first");
	assert_int_equal(eds_store_once_drop(&event, open_store(), &own), RT_OK);
	assert_int_equal(claim("another", "first").state, EDS_ONCE_OURS);
	assert_int_equal(make(&own, "mine.example"), RT_OK);
	assert_int_equal(eds_store_once_drop(&event, open_store(), &own), RT_OK);
	assert_int_equal(claim("another", "second").state, EDS_ONCE_DONE);
}

static void the_keys_of_an_account_are_limited(void **state)
{
	size_t removed;

	(void)state;
	sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)"
	    " INSERT INTO once_answers (account_id, key, request, holder, at_ms, until_ms)"
	    " SELECT (SELECT id FROM accounts), 'k' || i, 'r', 'h', 1, 1 FROM n");
	assert_int_equal(claim("r", "first").state, EDS_ONCE_OURS);
	sql("UPDATE once_answers SET key = 'k0' WHERE key = 'key'");
	assert_int_equal(claim("r", "second").state, EDS_ONCE_FULL);
	assert_int_equal(eds_store_once_expire(&event, open_store(), &removed), RT_OK);
	assert_int_equal(removed, 500);
	assert_int_equal(claim("r", "third").state, EDS_ONCE_OURS);
}

#define ONCE_TEST(name) cmocka_unit_test_setup(name, an_account)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ONCE_TEST(an_idempotency_key_is_held_by_the_first_request),
		ONCE_TEST(the_answer_is_stored_together_with_the_change),
		ONCE_TEST(a_failed_change_stores_no_answer),
		ONCE_TEST(a_request_that_held_its_key_for_too_long_changes_nothing),
		ONCE_TEST(a_released_key_is_free_again_and_a_stored_answer_stays),
		ONCE_TEST(the_keys_of_an_account_are_limited),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
