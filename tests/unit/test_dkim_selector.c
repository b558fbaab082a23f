#include "runtime/time.h"
#include "tests/support/test-event.h"

#include "functions/lib/dkim/selector.h"
#include "functions/lib/dns/resolver.h"
#include "runtime/buffer.h"
#include "runtime/config/config.h"
#include "tests/support/dnsd-process.h"
#include "tests/unit/dkim_fixture.h"

enum {
	ZONE_BYTES_MAX = 64 * 1024,
	STRING_MAX = 255, /* characters in one string of a TXT record */
	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
};

#define NOW INT64_C(1800000000000)

static struct dnsd dnsd;
static char *zone;

static struct eds_dkim_check *check_at(const char *domain, const char *selector)
{
	struct eds_dkim_check *check = rt_alloc(&test_event, sizeof *check);

	assert_int_equal(eds_dkim_check_selector(&test_event, domain, selector, check), RT_OK);
	return check;
}

static struct eds_dkim_check *check(const char *selector)
{
	return check_at("example.com", selector);
}

static void assert_only_error(const struct eds_dkim_check *got, const char *code)
{
	assert_int_equal(got->errors.count, 1);
	assert_string_equal(got->errors.items[0].code, code);
	assert_int_not_equal(got->state, EDS_SELECTOR_VALID);
}

static void assert_only_warning(const struct eds_dkim_check *got, const char *code)
{
	assert_int_equal(got->errors.count, 0);
	assert_int_equal(got->warnings.count, 1);
	assert_string_equal(got->warnings.items[0].code, code);
	assert_int_equal(got->state, EDS_SELECTOR_VALID);
}

static void assert_valid(const struct eds_dkim_check *got, const char *type, unsigned bits)
{
	assert_int_equal(got->errors.count, 0);
	assert_int_equal(got->warnings.count, 0);
	assert_int_equal(got->state, EDS_SELECTOR_VALID);
	assert_string_equal(got->key_type, type);
	assert_int_equal(got->key_bits, bits);
}

static void a_key_of_2048_bits_split_over_strings_is_valid(void **state)
{
	(void)state;
	assert_valid(check("rsa"), "rsa", 2048);
}

static void an_ed25519_key_is_valid(void **state)
{
	(void)state;
	assert_valid(check("ed"), "ed25519", 256);
}

static void case_makes_no_difference(void **state)
{
	(void)state;
	assert_valid(check_at("Example.COM", "RSA"), "rsa", 2048);
}

static void a_name_that_does_not_exist_is_missing(void **state)
{
	(void)state;
	assert_only_error(check("nowhere"), "key-missing");
	assert_null(check("nowhere")->key_type);
	assert_int_equal(check("nowhere")->key_bits, 0);
	assert_false(check("nowhere")->found);
}

static void a_domain_that_does_not_exist_has_no_selectors(void **state)
{
	(void)state;
	assert_only_error(check_at("gone.test", "s1"), "key-missing");
}

static void a_name_too_long_for_dns_is_missing(void **state)
{
	char domain[4 * 60 + 1];

	(void)state;
	memset(domain, 'a', sizeof domain);
	for (size_t i = 59; i < sizeof domain; i += 60)
		domain[i] = '.';
	domain[sizeof domain - 1] = '\0';
	assert_only_error(check_at(domain, "s1"), "key-missing");
}

static void a_name_without_txt_has_another_error_than_a_missing_name(void **state)
{
	(void)state;
	assert_only_error(check("address"), "key-no-txt");
	assert_false(check("address")->found);
}

static void a_txt_record_of_another_kind_is_not_a_key(void **state)
{
	(void)state;
	assert_only_error(check("spf"), "key-no-txt");
	assert_true(check("spf")->found);
}

static void each_failure_of_dns_is_temporary(void **state)
{
	static const char *const selectors[] = {"servfail", "refused", "garbage", "rcode"};

	(void)state;
	for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++) {
		struct eds_dkim_check *got = check(selectors[i]);

		assert_only_error(got, "key-temporary");
		assert_int_equal(got->state, EDS_SELECTOR_UNKNOWN);
	}
}

static void a_silent_server_is_temporary_at_the_deadline(void **state)
{
	(void)state;
	test_event.deadline_ms = rt_monotonic_ms() + 200;
	assert_int_equal(check("drop")->state, EDS_SELECTOR_UNKNOWN);
}

static void an_answer_too_large_for_udp_comes_over_tcp(void **state)
{
	(void)state;
	assert_valid(check("tcp"), "rsa", 2048);
}

static void an_alias_is_evidence_and_gives_no_warning(void **state)
{
	struct eds_dkim_check *got = check("alias");

	(void)state;
	assert_valid(got, "rsa", 2048);
	assert_string_equal(got->alias, "s1.provider.test");
	assert_null(check("rsa")->alias);
}

static void a_dangling_alias_has_its_own_error_and_says_where_it_leads(void **state)
{
	struct eds_dkim_check *got = check("dangling");

	(void)state;
	assert_only_error(got, "key-cname-dangling");
	assert_string_equal(got->alias, "gone.provider.test");
}

static void several_keys_at_one_name_are_invalid(void **state)
{
	(void)state;
	assert_only_error(check("several"), "key-several");
	assert_int_equal(check("several")->state, EDS_SELECTOR_INVALID);
}

static void a_revoked_key_has_a_state_of_its_own(void **state)
{
	struct eds_dkim_check *got = check("revoked");

	(void)state;
	assert_only_error(got, "key-revoked");
	assert_int_equal(got->state, EDS_SELECTOR_REVOKED);
	assert_int_equal(got->key_bits, 0);
}

static void a_short_key_is_invalid_and_its_size_is_shown(void **state)
{
	struct eds_dkim_check *got = check("short");

	(void)state;
	assert_only_error(got, "key-too-short");
	assert_int_equal(got->state, EDS_SELECTOR_INVALID);
	assert_string_equal(got->key_type, "rsa");
	assert_int_equal(got->key_bits, 768);
}

static void a_weak_key_is_valid_with_a_warning(void **state)
{
	(void)state;
	assert_only_warning(check("weak"), "key-short");
	assert_int_equal(check("weak")->key_bits, 1024);
}

static void a_wildcard_that_answers_gives_a_warning(void **state)
{
	struct eds_dkim_check *got = check_at("wild.test", "s1");

	(void)state;
	assert_only_warning(got, "key-wildcard");
	assert_true(got->wildcard);
	assert_true(got->probed_at_ms > 0);
	assert_false(check("rsa")->wildcard);
}

static void a_wildcard_changes_nothing_for_a_name_without_a_key(void **state)
{
	(void)state;
	assert_only_error(check_at("wild.test", "address"), "key-no-txt");
	assert_false(check_at("wild.test", "address")->wildcard);
}

static void a_failed_wildcard_probe_leaves_the_key_valid_and_is_repeated(void **state)
{
	struct eds_dkim_check *got = check_at("half.test", "s1");

	(void)state;
	assert_valid(got, "rsa", 2048);
	assert_int_equal(got->probed_at_ms, 0);
}

static void a_check_is_two_questions_sent_together(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	assert_valid(check("slow"), "rsa", 2048);
	assert_int_equal(dnsd_queries(&dnsd, NULL), 2);
	assert_int_equal(dnsd_queries(&dnsd, "slow._domainkey.example.com TXT"), 1);
}

static void only_the_same_answer_has_the_same_digest(void **state)
{
	int64_t digest = check("rsa")->digest;

	(void)state;
	assert_true(check("rsa")->digest == digest);
	assert_true(check("ed")->digest != digest);
	assert_true(check("other")->digest != digest);
	assert_true(check("alias")->digest != digest);
	assert_true(check("nowhere")->digest != check("address")->digest);
}

static void the_wildcard_is_left_out_of_the_digest(void **state)
{
	(void)state;
	assert_true(check_at("wild.test", "s1")->digest == check("rsa")->digest);
}

static void names_of_letters_digits_underscore_and_hyphen_are_selectors(void **state)
{
	static const char *const good[] = {"s1", "S1", "a", "_", "-", "2024-01_B",
		"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_int_equal(eds_dkim_selector_validate(&test_event, good[i]), RT_OK);
}

static void other_names_are_not_selectors(void **state)
{
	static const char *const bad[] = {"", "s1.", "s1._domainkey.example.com", "a.b", "s 1",
		" s1", "s1\n", "s\xc3\xa4", "s1'; DROP TABLE dkim_selectors; --", "../s1", "%73",
		"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_4"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(eds_dkim_selector_validate(&test_event, bad[i]), RT_BAD_INPUT);
		assert_string_equal(test_event.failure.code, "selector-invalid");
		assert_string_equal(test_event.failure.fields[0].field, "selector");
		rt_fail_clear(&test_event);
	}
}

static void each_wildcard_probe_asks_for_a_new_name(void **state)
{
	char *one = eds_dkim_sibling_name(&test_event, "example.com");

	(void)state;
	assert_string_not_equal(one, eds_dkim_sibling_name(&test_event, "example.com"));
	assert_non_null(strstr(one, "._domainkey.example.com"));
}

/* The time from the check until the next one is due. */
static int64_t wait_of(enum eds_selector_state state, int64_t unchanged_ms, uint32_t ttl_s)
{
	struct eds_dkim_check check = {.state = state, .ttl_s = ttl_s, .checked_at_ms = NOW};

	return eds_dkim_next_check_ms(&check, NOW - unchanged_ms) - NOW;
}

static void the_next_check_is_due_as_the_table_says(void **state)
{
	static const struct {
		enum eds_selector_state state;
		int64_t unchanged_ms;
		uint32_t ttl_s;
		int64_t wait_ms;
	} table[] = {
		{EDS_SELECTOR_VALID, 0, 300, HOUR_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_VALID, INT64_C(400) * DAY_MS, 300, HOUR_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_VALID, 0, 0, HOUR_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_VALID, 0, 86400, HOUR_MS},
		{EDS_SELECTOR_INVALID, 0, 60, 10 * MINUTE_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_INVALID, DAY_MS - 1, 60, 10 * MINUTE_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_INVALID, DAY_MS, 60, HOUR_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_INVALID, 7 * DAY_MS - 1, 60, HOUR_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_INVALID, 7 * DAY_MS, 60, DAY_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_INVALID, 0, 1800, 30 * MINUTE_MS},
		{EDS_SELECTOR_INVALID, 0, 3601, HOUR_MS},
		{EDS_SELECTOR_INVALID, 0, 86400, HOUR_MS},
		{EDS_SELECTOR_INVALID, 7 * DAY_MS, 86400, DAY_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_REVOKED, 0, 60, 10 * MINUTE_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_REVOKED, DAY_MS, 60, HOUR_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_UNKNOWN, 0, 0, MINUTE_MS - EDS_RECHECK_EARLY_MS},
		{EDS_SELECTOR_UNKNOWN, 7 * DAY_MS, 86400, MINUTE_MS - EDS_RECHECK_EARLY_MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_int_equal(wait_of(table[i].state, table[i].unchanged_ms, table[i].ttl_s),
			table[i].wait_ms);
}

static void add_txt(
	struct rt_buffer *lines, const char *name, const char *behavior, const char *text)
{
	rt_buffer_format(lines, "%s TXT %s 300", name, behavior);
	for (size_t left = strlen(text); left > 0;) {
		size_t part = left < STRING_MAX ? left : STRING_MAX;

		rt_buffer_format(lines, " \"%.*s\"", (int)part, text);
		text += part;
		left -= part;
	}
	rt_buffer_text(lines, "\n");
}

static char *rsa_record(struct rt_ctx *ctx, unsigned bits)
{
	EVP_PKEY *key = fixture_rsa(bits);
	char *record = rt_printf(ctx, "v=DKIM1; k=rsa; p=%s", fixture_public(ctx, key));

	EVP_PKEY_free(key);
	return record;
}

static char *ed25519_record(struct rt_ctx *ctx)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	char *record = rt_printf(ctx, "v=DKIM1; k=ed25519; p=%s", fixture_public(ctx, key));

	EVP_PKEY_free(key);
	return record;
}

/* Returns a zone that the tests never free. */
static char *make_zone(void)
{
	static struct rt_ctx ctx;
	struct rt_buffer lines;
	char *rsa;

	ctx.arena = rt_arena_new();
	rsa = rsa_record(&ctx, 2048);
	rt_buffer_init(&lines, &ctx, ZONE_BYTES_MAX);
	rt_buffer_text(&lines,
		"example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60\n"
		"address._domainkey.example.com A 300 192.0.2.1\n"
		"spf._domainkey.example.com TXT 300 \"v=spf1 -all\"\n"
		"servfail._domainkey.example.com !servfail\n"
		"refused._domainkey.example.com !refused\n"
		"rcode._domainkey.example.com !rcode=9\n"
		"garbage._domainkey.example.com !garbage\n"
		"drop._domainkey.example.com !drop\n"
		"alias._domainkey.example.com CNAME 300 s1.provider.test\n"
		"dangling._domainkey.example.com CNAME 300 gone.provider.test\n"
		"address._domainkey.wild.test A 300 192.0.2.1\n"
		"*._domainkey.half.test !servfail\n"
		"revoked._domainkey.example.com TXT 300 \"v=DKIM1; p=\"\n");
	add_txt(&lines, "rsa._domainkey.example.com", "", rsa);
	add_txt(&lines, "s1.provider.test", "", rsa);
	add_txt(&lines, "tcp._domainkey.example.com", "!truncate", rsa);
	add_txt(&lines, "slow._domainkey.example.com", "!delay=50", rsa);
	add_txt(&lines, "several._domainkey.example.com", "", rsa);
	add_txt(&lines, "several._domainkey.example.com", "", ed25519_record(&ctx));
	add_txt(&lines, "*._domainkey.wild.test", "", rsa);
	add_txt(&lines, "s1._domainkey.half.test", "", rsa);
	add_txt(&lines, "ed._domainkey.example.com", "", ed25519_record(&ctx));
	add_txt(&lines, "other._domainkey.example.com", "", rsa_record(&ctx, 2048));
	add_txt(&lines, "weak._domainkey.example.com", "", rsa_record(&ctx, 1024));
	add_txt(&lines, "short._domainkey.example.com", "", rsa_record(&ctx, 768));
	assert_false(lines.overflow);
	zone = strdup(lines.bytes);
	rt_arena_free(ctx.arena);
	return zone;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_key_of_2048_bits_split_over_strings_is_valid),
		TEST(an_ed25519_key_is_valid),
		TEST(case_makes_no_difference),
		TEST(a_name_that_does_not_exist_is_missing),
		TEST(a_domain_that_does_not_exist_has_no_selectors),
		TEST(a_name_too_long_for_dns_is_missing),
		TEST(a_name_without_txt_has_another_error_than_a_missing_name),
		TEST(a_txt_record_of_another_kind_is_not_a_key),
		TEST(each_failure_of_dns_is_temporary),
		TEST(a_silent_server_is_temporary_at_the_deadline),
		TEST(an_answer_too_large_for_udp_comes_over_tcp),
		TEST(an_alias_is_evidence_and_gives_no_warning),
		TEST(a_dangling_alias_has_its_own_error_and_says_where_it_leads),
		TEST(several_keys_at_one_name_are_invalid),
		TEST(a_revoked_key_has_a_state_of_its_own),
		TEST(a_short_key_is_invalid_and_its_size_is_shown),
		TEST(a_weak_key_is_valid_with_a_warning),
		TEST(a_wildcard_that_answers_gives_a_warning),
		TEST(a_wildcard_changes_nothing_for_a_name_without_a_key),
		TEST(a_failed_wildcard_probe_leaves_the_key_valid_and_is_repeated),
		TEST(a_check_is_two_questions_sent_together),
		TEST(only_the_same_answer_has_the_same_digest),
		TEST(the_wildcard_is_left_out_of_the_digest),
		TEST(names_of_letters_digits_underscore_and_hyphen_are_selectors),
		TEST(other_names_are_not_selectors),
		TEST(each_wildcard_probe_asks_for_a_new_name),
		TEST(the_next_check_is_due_as_the_table_says),
	};
	int failed;

	dnsd_start(&dnsd, make_zone());
	rt_config_require();
	failed = cmocka_run_group_tests_name("dkim selector", tests, NULL, NULL);
	eds_resolver_close();
	dnsd_stop(&dnsd);
	free(zone);
	return failed;
}
