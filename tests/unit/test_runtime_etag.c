/* Lists of versions as clients send them: RFC 9110 sections 8.8.3 and 13.1. */
#include "runtime/event/etag.h"
#include "tests/support/test-event.h"

#define TAG "\"0123456789abcdef\""

static enum rt_etag_found strongly(struct rt_ctx *ctx, const char *list)
{
	return rt_etag_find(ctx, list, TAG, false, NULL);
}

static void a_tag_follows_from_the_octets(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *tag = rt_etag(ctx, "{\"a\":1}", 7);

	assert_int_equal(strlen(tag), 18);
	assert_string_equal(tag, rt_etag(ctx, "{\"a\":1}", 7));
	assert_string_not_equal(tag, rt_etag(ctx, "{\"a\":2}", 7));
	assert_string_not_equal(rt_etag(ctx, "", 0), rt_etag(ctx, "\0", 1));
}

static void every_octet_of_a_long_text_and_its_position_change_the_tag(void **state)
{
	enum { LENGTH = 1100 };
	struct rt_ctx *ctx = *state;
	char text[LENGTH];
	const char *tag;

	for (int i = 0; i < LENGTH; i++)
		text[i] = (char)('a' + i % 23);
	tag = rt_etag(ctx, text, LENGTH);
	assert_string_equal(tag, rt_etag(ctx, text, LENGTH));
	for (int i = 0; i < LENGTH; i++) {
		text[i] ^= 1;
		assert_string_not_equal(tag, rt_etag(ctx, text, LENGTH));
		text[i] ^= 1;
	}
	for (int i = 0; i + 8 < LENGTH; i++) {
		char first = text[i];

		text[i] = text[i + 8];
		text[i + 8] = first;
		assert_string_not_equal(tag, rt_etag(ctx, text, LENGTH));
		text[i + 8] = text[i];
		text[i] = first;
	}
	assert_string_not_equal(tag, rt_etag(ctx, text, LENGTH - 1));
}

static void a_tag_is_found_anywhere_in_the_list(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_int_equal(strongly(ctx, TAG), RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx, " \t" TAG " "), RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx, "\"x\"," TAG ",,\"y\","), RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx,
				 "\"a,b\" , \""
				 "\" , " TAG),
		RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx, "*"), RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx, "\"0123456789abcdeF\""), RT_ETAG_OTHER);
	assert_int_equal(strongly(ctx, "\"0123456789abcdef0\""), RT_ETAG_OTHER);
	assert_int_equal(strongly(ctx, "\"\xc3\xa9\""), RT_ETAG_OTHER);
}

static void a_weak_tag_matches_only_in_a_weak_comparison(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_int_equal(strongly(ctx, "W/" TAG), RT_ETAG_OTHER);
	assert_int_equal(rt_etag_find(ctx, "W/" TAG, TAG, true, NULL), RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx, "W/" TAG ", " TAG), RT_ETAG_LISTED);
}

static void a_tag_marked_as_compressed_matches_the_same_version(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *listed;

	assert_int_equal(rt_etag_find(ctx, "\"x\", \"0123456789abcdef-gzip\"", TAG, true, &listed),
		RT_ETAG_LISTED);
	assert_string_equal(listed, "\"0123456789abcdef-gzip\"");
	assert_int_equal(strongly(ctx, "\"0123456789abcdef-gzip2\""), RT_ETAG_OTHER);
	assert_int_equal(strongly(ctx, "\"0123456789abcdef-gzi\""), RT_ETAG_OTHER);
	assert_int_equal(rt_etag_find(ctx, "*", TAG, true, &listed), RT_ETAG_LISTED);
	assert_string_equal(listed, TAG);
}

static void the_settings_part_of_a_two_part_tag_decides_over_a_change(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *both = rt_etag_of_both(ctx, TAG, "\"fedcba9876543210\"");

	assert_string_equal(both, "\"0123456789abcdef.fedcba9876543210\"");
	assert_int_equal(strongly(ctx, both), RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx, "\"0123456789abcdef.1-gzip\""), RT_ETAG_LISTED);
	assert_int_equal(strongly(ctx, "\"1123456789abcdef.fedcba9876543210\""), RT_ETAG_OTHER);
	assert_int_equal(strongly(ctx, "W/\"0123456789abcdef.fedcba9876543210\""), RT_ETAG_OTHER);
	assert_int_equal(rt_etag_find(ctx, both, TAG, true, NULL), RT_ETAG_OTHER);
	assert_int_equal(rt_etag_find(ctx, both, both, true, NULL), RT_ETAG_LISTED);
	assert_int_equal(rt_etag_find(ctx, TAG, both, true, NULL), RT_ETAG_OTHER);
}

static void a_malformed_list_of_tags_is_invalid(void **state)
{
	struct rt_ctx *ctx = *state;
	static const char *const lists[] = {"", " ", "\"", "\"a", "a\"", "a", "w/" TAG, "W/", "W/*",
		"* *", "*," TAG, TAG " " TAG, TAG ";q=1", "\"a b\"", "\"a\tb\"", "\"\x7f\"", ","};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		assert_int_equal(strongly(ctx, lists[i]), RT_ETAG_INVALID);
	assert_int_equal(strongly(ctx, TAG ", x"), RT_ETAG_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_tag_follows_from_the_octets),
		TEST(every_octet_of_a_long_text_and_its_position_change_the_tag),
		TEST(a_tag_is_found_anywhere_in_the_list),
		TEST(a_weak_tag_matches_only_in_a_weak_comparison),
		TEST(a_tag_marked_as_compressed_matches_the_same_version),
		TEST(the_settings_part_of_a_two_part_tag_decides_over_a_change),
		TEST(a_malformed_list_of_tags_is_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
