/* Selectors of a domain: registered, listed, deleted. */
#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/selectors/selector-due.h"
#include "functions/lib/store/selectors/selector-list.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/store_selector_fixture.h"

static void a_registered_selector_is_found_with_its_check(void **state)
{
	struct eds_selector selector;

	(void)state;
	assert_int_equal(add("S1"), RT_OK);
	assert_int_equal(get("s1", &selector), RT_OK);
	assert_string_equal(selector.name, "S1");
	assert_true(selector.manual);
	assert_string_equal(selector.check.state, "valid");
	assert_string_equal(selector.check.key_type, "rsa");
	assert_int_equal(selector.check.key_bits, 2048);
	assert_null(selector.check.alias);
	assert_string_equal(selector.check.errors, "[]");
	assert_true(selector.check.checked_at_ms > 0);
	assert_int_equal(selector.first_seen_ms, 0);
	assert_int_equal(selector.last_seen_ms, 0);
	assert_int_equal(selector.pass_count, 0);
	assert_int_equal(selector.fail_count, 0);
}

static void a_selector_is_registered_once_whatever_its_case(void **state)
{
	(void)state;
	assert_int_equal(add("s1"), RT_OK);
	assert_int_equal(add("S1"), RT_CONFLICT);
	assert_string_equal(event.failure.code, "selector-exists");
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 1);
}

static void a_discovered_selector_is_registered_once_with_its_evidence(void **state)
{
	struct eds_selector selector;

	(void)state;
	assert_int_equal(add("s1"), RT_OK);
	sql("UPDATE dkim_selectors SET manual = 0, pass_count = 7, last_seen_at_ms = 9");
	assert_int_equal(add("S1"), RT_OK);
	assert_int_equal(get("s1", &selector), RT_OK);
	assert_true(selector.manual);
	assert_string_equal(selector.name, "S1");
	assert_int_equal(selector.pass_count, 7);
	assert_int_equal(selector.last_seen_ms, 9);
	assert_int_equal(add("s1"), RT_CONFLICT);
}

static void a_deleted_domain_accepts_no_selector(void **state)
{
	(void)state;
	sql("DELETE FROM domains");
	assert_int_equal(add("s1"), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "domain-not-found");
}

static void selectors_and_their_history_are_deleted_with_their_domain(void **state)
{
	(void)state;
	assert_int_equal(add("s1"), RT_OK);
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &domain), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 0);
	assert_int_equal(sql("SELECT count(*) FROM dkim_changes"), 0);
}

static void selectors_are_listed_by_name_without_regard_to_case(void **state)
{
	static const char *const expected[] = {"-a", "2", "_", "a", "B", "b1"};
	struct eds_selector *selectors;
	size_t count;

	(void)state;
	assert_int_equal(add("b1"), RT_OK);
	assert_int_equal(add("_"), RT_OK);
	assert_int_equal(add("a"), RT_OK);
	assert_int_equal(add("B"), RT_OK);
	assert_int_equal(add("2"), RT_OK);
	assert_int_equal(add("-a"), RT_OK);
	assert_int_equal(eds_store_selector_list(&event, open_store(), &domain,
				 &(struct eds_selector_query){0}, &selectors, &count),
		RT_OK);
	assert_int_equal(count, 6);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(selectors[i].name, expected[i]);
}

static void a_page_begins_after_its_cursor(void **state)
{
	struct eds_selector *selectors;
	size_t count;

	(void)state;
	assert_int_equal(add("a"), RT_OK);
	assert_int_equal(add("b"), RT_OK);
	assert_int_equal(add("c"), RT_OK);
	assert_int_equal(eds_store_selector_list(&event, open_store(), &domain,
				 &(struct eds_selector_query){
					 .after = &(struct eds_selector){.name = "A"}, .limit = 1},
				 &selectors, &count),
		RT_OK);
	assert_int_equal(count, 1);
	assert_string_equal(selectors[0].name, "b");
	assert_int_equal(eds_store_selector_list(&event, open_store(), &domain,
				 &(struct eds_selector_query){
					 .after = &(struct eds_selector){.name = "c"}, .limit = 5},
				 &selectors, &count),
		RT_OK);
	assert_int_equal(count, 0);
}

static void a_selector_is_deleted_with_its_history(void **state)
{
	struct eds_selector selector;
	const char *shown;

	(void)state;
	assert_int_equal(add("Mixed"), RT_OK);
	assert_int_equal(
		eds_store_selector_delete(&event, open_store(), &domain, "mIXED", &shown), RT_OK);
	assert_string_equal(shown, "Mixed");
	assert_int_equal(get("mixed", &selector), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "selector-not-found");
	assert_int_equal(sql("SELECT count(*) FROM dkim_changes"), 0);
	assert_int_equal(add("mixed"), RT_OK);
}

static void a_missing_selector_is_not_found(void **state)
{
	struct eds_selector_change *changes;
	struct eds_selector_due due;
	const char *shown;
	size_t count;

	(void)state;
	assert_int_equal(eds_store_selector_delete(&event, open_store(), &domain, "s1", &shown),
		RT_NOT_FOUND);
	assert_int_equal(
		eds_store_selector_history(&event, open_store(), &domain, "s1", &changes, &count),
		RT_NOT_FOUND);
	assert_int_equal(
		eds_store_selector_claim(&event, open_store(), &domain, "s1", &due), RT_NOT_FOUND);
	assert_string_equal(event.failure.code, "selector-not-found");
}

static void a_name_with_sql_is_treated_as_text(void **state)
{
	struct eds_selector selector;
	const char *shown;

	(void)state;
	assert_int_equal(add("s1"), RT_OK);
	assert_int_equal(get("s1' OR '1'='1", &selector), RT_NOT_FOUND);
	rt_fail_clear(&event);
	assert_int_equal(eds_store_selector_delete(&event, open_store(), &domain,
				 "%' ; DELETE FROM dkim_selectors --", &shown),
		RT_NOT_FOUND);
	assert_int_equal(sql("SELECT count(*) FROM dkim_selectors"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_registered_selector_is_found_with_its_check),
		STORE_TEST(a_selector_is_registered_once_whatever_its_case),
		STORE_TEST(a_discovered_selector_is_registered_once_with_its_evidence),
		STORE_TEST(a_deleted_domain_accepts_no_selector),
		STORE_TEST(selectors_and_their_history_are_deleted_with_their_domain),
		STORE_TEST(selectors_are_listed_by_name_without_regard_to_case),
		STORE_TEST(a_page_begins_after_its_cursor),
		STORE_TEST(a_selector_is_deleted_with_its_history),
		STORE_TEST(a_missing_selector_is_not_found),
		STORE_TEST(a_name_with_sql_is_treated_as_text),
	};

	return cmocka_run_group_tests_name(
		"store: selectors", tests, choose_database, remove_folder);
}
