/* What a check of a selector leaves in the store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/selector/outcome.h"
#include "runtime/json.h"

static struct rt_ctx ctx;

static int begin(void **state)
{
	(void)state;
	ctx.arena = rt_arena_new();
	rt_json_use_arena(ctx.arena);
	return 0;
}

static int end(void **state)
{
	(void)state;
	rt_json_use_arena(NULL);
	rt_arena_free(ctx.arena);
	return 0;
}

static void a_changed_selector_is_written_with_all_that_was_found(void **state)
{
	struct eds_selector_due due = {.domain_id = "1",
		.name = "s1",
		.domain = "example.com",
		.state = "valid",
		.digest = 5,
		.record_digest = 5,
		.key_digest = 8,
		.key_hash = "88"};
	const struct eds_dkim_check check = {.state = EDS_SELECTOR_VALID,
		.digest = 6,
		.key_digest = 7,
		.key_hash = "77",
		.record = "v=DKIM1; p=k",
		.key_type = "rsa",
		.key_bits = 2048,
		.alias = "s1.sender.example",
		.wildcard = true,
		.checked_at_ms = 3,
		.probed_at_ms = 2};

	(void)state;
	eds_outcome_settle(&ctx, &due, &check);
	assert_int_equal(due.outcome, EDS_DUE_CHANGED);
	assert_string_equal(due.check->state, "valid");
	assert_string_equal(due.check->record, "v=DKIM1; p=k");
	assert_string_equal(due.check->key_hash, "77");
	assert_int_equal(due.check->key_digest, 7);
	assert_int_equal(due.check->digest, 6);
	assert_string_equal(due.check->key_type, "rsa");
	assert_int_equal(due.check->key_bits, 2048);
	assert_string_equal(due.check->alias, "s1.sender.example");
	assert_string_equal(due.check->errors, "[]");
	assert_string_equal(due.check->warnings, "[]");
	assert_true(due.check->wildcard);
	assert_true(due.check->key_changed);
	assert_int_equal(due.check->checked_at_ms, 3);
	assert_int_equal(due.check->probed_at_ms, 2);
}

static size_t news_of_a_valid_key(const char *state_before)
{
	struct eds_selector_due due = {.domain_id = "1",
		.name = "s1",
		.domain = "example.com",
		.state = state_before,
		.digest = 5};
	const struct eds_dkim_check check = {.state = EDS_SELECTOR_VALID, .digest = 6};

	eds_outcome_settle(&ctx, &due, &check);
	assert_int_equal(due.outcome, EDS_DUE_CHANGED);
	return due.news.count;
}

static void a_first_valid_result_is_no_news_and_one_after_an_invalid_result_is(void **state)
{
	(void)state;
	assert_int_equal(news_of_a_valid_key("unknown"), 0);
	assert_int_equal(news_of_a_valid_key("invalid"), 1);
	assert_int_equal(news_of_a_valid_key("revoked"), 1);
}

static void an_alert_about_a_broken_selector_gives_its_first_error(void **state)
{
	struct eds_selector_due due = {.domain_id = "1",
		.name = "s1",
		.domain = "example.com",
		.state = "valid",
		.digest = 5};
	struct eds_dkim_check check = {.state = EDS_SELECTOR_INVALID, .digest = 6};

	(void)state;
	for (check.errors.count = 1; check.errors.count <= 2; check.errors.count++) {
		check.errors.items[0].message = "The first.";
		check.errors.items[1].message = "The second.";
		eds_outcome_settle(&ctx, &due, &check);
		assert_int_equal(due.news.count, 1);
		assert_non_null(strstr(due.news.items[0].body,
			"\"what\":\"The DKIM selector s1 of example.com was valid and is now "
			"invalid: The first.\""));
	}
}

static void the_digest_is_known_before_the_record_and_its_key_are_copied(void **state)
{
	static const char text[] =
		"v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
	struct eds_dns_record record = {.txt = text, .txt_length = sizeof text - 1};
	const struct eds_dns_answer answer = {.name = "s1._domainkey.example.com",
		.canonical = "s1._domainkey.example.com",
		.type = EDS_DNS_TXT,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.records = &record,
		.count = 1};
	struct eds_dkim_check whole;
	struct eds_dkim_check got;
	struct eds_key_record key;

	(void)state;
	eds_dkim_check_read(&ctx, &answer, &whole);
	eds_dkim_check_begin(&ctx, &answer, &key, &got);
	assert_int_equal(got.digest, whole.digest);
	assert_null(got.record);
	assert_null(got.key_hash);
	assert_int_equal(got.key_digest, 0);
	eds_dkim_check_complete(&ctx, &key, &got);
	assert_string_equal(got.record, text);
	assert_string_equal(
		got.key_hash, "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9");
	assert_int_equal(got.key_digest, whole.key_digest);
	assert_int_not_equal(got.key_digest, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_digest_is_known_before_the_record_and_its_key_are_copied),
		cmocka_unit_test(a_changed_selector_is_written_with_all_that_was_found),
		cmocka_unit_test(
			a_first_valid_result_is_no_news_and_one_after_an_invalid_result_is),
		cmocka_unit_test(an_alert_about_a_broken_selector_gives_its_first_error),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
