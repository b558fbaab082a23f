/* Times, addresses, base64, UTF-8 and JSON text. */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "runtime/ip.h"
#include "runtime/json-format.h"
#include "runtime/text/base64.h"
#include "runtime/text/utf8.h"
#include "runtime/time.h"
#include "tests/support/test-event.h"

static void a_time_is_written_in_utc_with_whole_seconds(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_string_equal(rt_time_format(ctx, 0), "1970-01-01T00:00:00Z");
	assert_string_equal(rt_time_format(ctx, 1795174820999), "2026-11-20T11:40:20Z");
	assert_string_equal(rt_time_format(ctx, -1), "1969-12-31T23:59:59Z");
	assert_string_equal(rt_time_format(ctx, 253402300799999), "9999-12-31T23:59:59Z");
}

/* One time of each day, compared with the C library's. */
static void each_day_of_the_years_0_to_9999_is_written_as_the_c_library_counts_it(void **state)
{
	const int64_t first_s = -62167219200;
	const int64_t last_s = 253402300799;

	(void)state;
	for (int64_t s = first_s; s <= last_s; s += 86400 + 61) {
		struct rt_ctx *ctx = &test_event;
		time_t seconds = (time_t)s;
		struct tm utc;
		char expected[64];

		gmtime_r(&seconds, &utc);
		snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02dZ",
			utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
			utc.tm_sec);
		assert_string_equal(rt_time_format(ctx, s * 1000), expected);
	}
}

static void a_time_outside_the_years_0_to_9999_becomes_the_nearest_one(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_string_equal(rt_time_format(ctx, 253402300800000), "9999-12-31T23:59:59Z");
	assert_string_equal(rt_time_format(ctx, INT64_MAX), "9999-12-31T23:59:59Z");
	assert_string_equal(rt_time_format(ctx, INT64_MIN), "0000-01-01T00:00:00Z");
}

static void a_time_is_read_with_z_offsets_and_fractions(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} good[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-11-20T11:40:20Z", 1795174820000},
		{"2026-11-20T11:40:20.5Z", 1795174820500},
		{"2026-11-20T12:40:20.123456+01:00", 1795174820123},
		{"2026-11-20T06:10:20-05:30", 1795174820000},
		{"2024-02-29T00:00:00z", 1709164800000},
		{"1998-12-31T23:59:60Z", 915148800000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		int64_t ms = -1;

		assert_true(rt_time_parse(good[i].text, &ms));
		assert_int_equal(ms, good[i].ms);
	}
}

static void text_that_is_not_a_time_is_refused(void **state)
{
	static const char *const bad[] = {"", "2026", "2026-11-20", "2026-11-20T11:40:20",
		"2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
		"2026-11-20T24:00:00Z", "2026-11-20T11:60:00Z", "2026-11-20T11:40:20.Z",
		"2026-11-20T11:40:20Z ", "2026-11-20T11:40:20+1:00", "20261120T114020Z",
		"x026-11-20T11:40:20Z", "2026-11-20T11:40:20+24:00"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		int64_t ms;

		if (rt_time_parse(bad[i], &ms))
			fail_msg("\"%s\" was read as a time", bad[i]);
	}
}

static void an_address_is_written_back_as_it_was_read(void **state)
{
	static const char *const same[] = {
		"192.0.2.1", "2001:db8::1", "::", "255.255.255.255", "0.0.0.0", "10.99.100.109"};
	static const char *const bad[] = {"", "192.0.2", "192.0.2.256", "192.0.2.1 ", "[::1]",
		"::g", "192.0.2.1/24", "fe80::1%eth0", "01.2.3.4"};
	char text[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
		assert_true(rt_ip_parse(same[i], &ip));
		rt_ip_format(&ip, text);
		assert_string_equal(text, same[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (rt_ip_parse(bad[i], &ip))
			fail_msg("\"%s\" was read as an address", bad[i]);
}

static void a_mapped_address_is_the_ipv4_address(void **state)
{
	struct rt_ip mapped;
	struct rt_ip plain;

	(void)state;
	assert_true(rt_ip_parse("::ffff:192.0.2.1", &mapped));
	assert_true(rt_ip_parse("192.0.2.1", &plain));
	assert_true(rt_ip_equal(&mapped, &plain));
}

static void special_purpose_addresses_are_not_public(void **state)
{
	static const char *const special[] = {"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1",
		"169.254.1.1", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
		"192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
		"224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1",
		"::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1",
		"2001:db8::1", "2002:0a00:0001::1", "fc00::1", "fd12::1", "fe80::1", "ff02::1",
		"3fff::1", "5f00::1", "::192.0.2.1", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8",
		"::fffe:8.8.8.8", "0:0:0:1::1", "1000::1", "1fff::1", "4000::1", "8000::1",
		"e000::1"};
	static const char *const public[] = {"1.1.1.1", "9.255.255.255", "11.0.0.0",
		"100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.0.9",
		"198.17.0.1", "198.20.0.0", "223.255.255.255", "2a00:1450::1", "2606:4700::1",
		"64:ff9b::8.8.8.8", "2002:0808:0808::1", "2001:20::1"};
	struct rt_ip ip;

	(void)state;
	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
		assert_true(rt_ip_parse(special[i], &ip));
		if (rt_ip_is_public(&ip, false))
			fail_msg("%s counts as public", special[i]);
	}
	for (size_t i = 0; i < sizeof public / sizeof public[0]; i++) {
		assert_true(rt_ip_parse(public[i], &ip));
		if (!rt_ip_is_public(&ip, false))
			fail_msg("%s does not count as public", public[i]);
	}
}

static void tests_may_count_private_addresses_as_public_but_not_multicast(void **state)
{
	struct rt_ip ip;

	(void)state;
	assert_true(rt_ip_parse("127.0.0.1", &ip));
	assert_true(rt_ip_is_public(&ip, true));
	assert_true(rt_ip_parse("fd00::1", &ip));
	assert_true(rt_ip_is_public(&ip, true));
	assert_true(rt_ip_parse("::ffff:0:127.0.0.1", &ip));
	assert_false(rt_ip_is_public(&ip, true));
	assert_true(rt_ip_parse("224.0.0.1", &ip));
	assert_false(rt_ip_is_public(&ip, true));
	assert_true(rt_ip_parse("169.254.169.254", &ip));
	assert_false(rt_ip_is_public(&ip, true));
}

static void a_range_contains_its_addresses_and_no_others(void **state)
{
	static const struct {
		const char *range;
		const char *inside;
		const char *outside;
	} cases[] = {
		{"192.0.2.0/24", "192.0.2.255", "192.0.3.0"},
		{"192.0.2.4/30", "192.0.2.7", "192.0.2.8"},
		{"192.0.2.1", "192.0.2.1", "192.0.2.2"},
		{"0.0.0.0/0", "8.8.8.8", "::1"},
		{"2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"},
	};
	static const char *const bad[] = {"", "/", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/-1",
		"192.0.2.0/ 8", "192.0.2.0/8x", "::/129", "192.0.2/24"};
	struct rt_cidr cidr;
	struct rt_ip ip;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(rt_cidr_parse(cases[i].range, &cidr));
		assert_true(rt_ip_parse(cases[i].inside, &ip));
		assert_true(rt_cidr_contains(&cidr, &ip));
		assert_true(rt_ip_parse(cases[i].outside, &ip));
		assert_false(rt_cidr_contains(&cidr, &ip));
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (rt_cidr_parse(bad[i], &cidr))
			fail_msg("\"%s\" was read as a range", bad[i]);
}

static void base64_gives_back_what_it_was_given(void **state)
{
	struct rt_ctx *ctx = *state;
	static const char *const texts[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
	static const char *const encoded[] = {
		"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		size_t length;
		char *back;

		assert_string_equal(rt_base64_encode(ctx, texts[i], strlen(texts[i])), encoded[i]);
		back = rt_base64_decode(ctx, encoded[i], strlen(encoded[i]), &length);
		assert_int_equal(length, strlen(texts[i]));
		assert_string_equal(back, texts[i]);
	}
}

static void text_that_is_not_base64_is_refused(void **state)
{
	struct rt_ctx *ctx = *state;
	static const char *const bad[] = {
		"Z", "Zg", "Zg=", "Zg==Zg==", "Zm9v\n", "Z===", "Zm9*", "=AAA"};
	size_t length;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (rt_base64_decode(ctx, bad[i], strlen(bad[i]), &length) != NULL)
			fail_msg("\"%s\" was read as base64", bad[i]);
}

static void only_well_formed_utf8_has_a_length(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{"a", 1},
		{"\xc3\xa4", 2},
		{"\xe2\x82\xac", 3},
		{"\xf0\x9f\x98\x80", 4},
		{"\x80", 0},
		{"\xc0\xaf", 0},
		{"\xc3", 0},
		{"\xe0\x80\x80", 0},
		{"\xed\xa0\x80", 0},
		{"\xf4\x90\x80\x80", 0},
		{"\xf8\x88\x80\x80", 0},
		{"\xe2\x82", 0},
		{"\xff", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(
			rt_utf8_length(cases[i].text, strlen(cases[i].text)), cases[i].length);
}

static void strangers_bytes_become_valid_json_text(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_string_equal(json_string_value(rt_json_text(ctx, "a\xffz")), "a\xef\xbf\xbdz");
	assert_string_equal(json_string_value(rt_json_text(ctx, "\xc3\xa4")), "\xc3\xa4");
	assert_true(json_is_null(rt_json_text(ctx, NULL)));
}

static rt_status parse(struct rt_ctx *ctx, const char *text)
{
	json_t *value;

	rt_fail_clear(ctx);
	return rt_json_parse(ctx, text, strlen(text), &value);
}

static void json_is_read_strictly(void **state)
{
	struct rt_ctx *ctx = *state;
	static const char *const bad[] = {"", "{", "{}{}", "{\"a\":1,\"a\":2}",
		"{\"a\":\"\\u0000\"}", "{\"a\":\"\\ud800\"}", "\xef\xbb\xbf{}", "{\"a\":\"\xff\"}",
		"{'a':1}", "[1,]", "NaN", "{\"a\":01}", "{} x"};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (parse(ctx, bad[i]) != RT_BAD_INPUT)
			fail_msg("\"%s\" was read as JSON", bad[i]);
		assert_string_equal(ctx->failure.code, "json-invalid");
	}
	assert_int_equal(parse(ctx, "{\"a\":[1,2.5,null,true,\"\\u00e4\"]}"), RT_OK);
}

static void json_with_a_nul_octet_is_refused(void **state)
{
	static const char text[] = "{\"a\":1\0}";
	struct rt_ctx *ctx = *state;
	json_t *value;

	assert_int_equal(rt_json_parse(ctx, text, sizeof text - 1, &value), RT_BAD_INPUT);
	assert_string_equal(ctx->failure.code, "json-invalid");
}

static void json_nested_too_deep_is_refused_and_brackets_in_strings_do_not_count(void **state)
{
	struct rt_ctx *ctx = *state;
	char deep[200];

	memset(deep, '[', 33);
	memset(deep + 33, ']', 33);
	deep[66] = '\0';
	assert_int_equal(parse(ctx, deep), RT_BAD_INPUT);
	deep[65] = '\0';
	assert_int_equal(parse(ctx, deep + 1), RT_OK);
	memset(deep, '[', sizeof deep);
	memcpy(deep, "[\"\\\"", 4);
	memcpy(deep + 190, "\"]", 3);
	assert_int_equal(parse(ctx, deep), RT_OK);
}

static void scores_are_written_with_one_decimal(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_string_equal(rt_json_format(ctx, json_real(-13 / 10.0), NULL), "-1.3");
	assert_string_equal(rt_json_format(ctx, json_real(67 / 10.0), NULL), "6.7");
	assert_string_equal(rt_json_format(ctx, json_real(0 / 10.0), NULL), "0.0");
}

static void json_is_written_back_as_it_was_read(void **state)
{
	static const char *const texts[] = {"{}", "[]", "[[],{},[{}]]", "null", "\"\"",
		"{\"z\":1,\"a\":[true,false,null,-9223372036854775808],\"\xc3\xa4 \\\"\":\"\\u0001\"}",
		"[0.1,-1.5e-300,1e22,0.0,123456789012.345]",
		"{\"a\":{\"b\":\"\\n\\r\\t\\\\/\"},\"c\":{}}"};
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		json_t *value;
		size_t length;
		const char *written;

		assert_int_equal(rt_json_parse(ctx, texts[i], strlen(texts[i]), &value), RT_OK);
		written = rt_json_format(ctx, value, &length);
		assert_string_equal(written, texts[i]);
		assert_int_equal(length, strlen(texts[i]));
	}
}

static void long_texts_are_formatted_without_a_cut(void **state)
{
	struct rt_ctx *ctx = *state;

	for (int width = 500; width < 525; width++) {
		const char *text = rt_printf(ctx, "%*d%s", width, 7, "!");

		assert_int_equal(strlen(text), width + 1);
		assert_string_equal(text + width - 1, "7!");
	}
}

static void count_release(void *handle)
{
	++*(int *)handle;
}

static void resources_of_an_event_are_released_with_it(void **state)
{
	struct rt_arena *arena = rt_arena_new();
	int released = 0;

	(void)state;
	rt_arena_on_reset(arena, count_release, &released);
	memset(rt_arena_alloc(arena, 1000000), 1, 1000000);
	rt_arena_reset(arena);
	assert_int_equal(released, 1);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(*(char *)rt_arena_alloc(arena, 100), 0);
	rt_arena_free(arena);
	assert_int_equal(released, 1);
}

static void memory_is_aligned_after_an_allocation_as_large_as_a_block(void **state)
{
	struct rt_arena *arena = rt_arena_new();

	(void)state;
	rt_arena_alloc(arena, RT_ARENA_BLOCK_BYTES);
	rt_arena_reset(arena);
	rt_arena_alloc(arena, 3);
	assert_int_equal((uintptr_t)rt_arena_alloc(arena, 8) % alignof(max_align_t), 0);
	rt_arena_free(arena);
}

static void the_first_failure_of_an_event_is_the_one_that_is_kept(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_int_equal(rt_fail(ctx, RT_CONFLICT, "first", "one %d", 1), RT_CONFLICT);
	assert_int_equal(rt_fail(ctx, RT_INTERNAL, "second", "two"), RT_INTERNAL);
	assert_string_equal(ctx->failure.code, "first");
	assert_string_equal(ctx->failure.detail, "one 1");
	rt_fail_clear(ctx);
	assert_int_equal(ctx->failure.category, RT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_time_is_written_in_utc_with_whole_seconds),
		TEST(each_day_of_the_years_0_to_9999_is_written_as_the_c_library_counts_it),
		TEST(a_time_outside_the_years_0_to_9999_becomes_the_nearest_one),
		TEST(a_time_is_read_with_z_offsets_and_fractions),
		TEST(text_that_is_not_a_time_is_refused),
		TEST(an_address_is_written_back_as_it_was_read),
		TEST(a_mapped_address_is_the_ipv4_address),
		TEST(special_purpose_addresses_are_not_public),
		TEST(tests_may_count_private_addresses_as_public_but_not_multicast),
		TEST(a_range_contains_its_addresses_and_no_others),
		TEST(base64_gives_back_what_it_was_given),
		TEST(text_that_is_not_base64_is_refused),
		TEST(only_well_formed_utf8_has_a_length),
		TEST(strangers_bytes_become_valid_json_text),
		TEST(json_is_read_strictly),
		TEST(json_with_a_nul_octet_is_refused),
		TEST(json_nested_too_deep_is_refused_and_brackets_in_strings_do_not_count),
		TEST(scores_are_written_with_one_decimal),
		TEST(json_is_written_back_as_it_was_read),
		TEST(long_texts_are_formatted_without_a_cut),
		TEST(resources_of_an_event_are_released_with_it),
		TEST(memory_is_aligned_after_an_allocation_as_large_as_a_block),
		TEST(the_first_failure_of_an_event_is_the_one_that_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
