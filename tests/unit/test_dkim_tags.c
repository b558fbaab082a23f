#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/dkim/tags.h"

static enum eds_tags_state read_text(const char *text, struct eds_tags *tags)
{
	return eds_tags_read(text, strlen(text), tags);
}

static void assert_tag(const struct eds_tags *tags, const char *name, const char *value)
{
	const struct eds_tag *tag = eds_tags_find(tags, name);

	assert_non_null(tag);
	assert_int_equal(tag->value_length, strlen(value));
	assert_memory_equal(tag->value, value, strlen(value));
}

static void a_list_is_read_with_white_space_and_folding_around_its_parts(void **state)
{
	struct eds_tags tags;

	(void)state;
	assert_int_equal(read_text(" v = 1 ;\r\n\ta=\r\n b ;c_1=\n d e\t;", &tags), EDS_TAGS_OK);
	assert_int_equal(tags.count, 3);
	assert_tag(&tags, "v", "1");
	assert_tag(&tags, "a", "b");
	assert_tag(&tags, "c_1", "d e");
}

static void a_value_may_be_empty_and_hold_equals_signs(void **state)
{
	struct eds_tags tags;

	(void)state;
	assert_int_equal(read_text("p=;b=QQ==; z = ", &tags), EDS_TAGS_OK);
	assert_tag(&tags, "p", "");
	assert_tag(&tags, "b", "QQ==");
	assert_tag(&tags, "z", "");
}

static void names_are_case_sensitive(void **state)
{
	struct eds_tags tags;

	(void)state;
	assert_int_equal(read_text("v=1; V=2", &tags), EDS_TAGS_OK);
	assert_tag(&tags, "v", "1");
	assert_tag(&tags, "V", "2");
}

static void a_repeated_tag_is_reported_with_its_place(void **state)
{
	struct eds_tags tags;

	(void)state;
	assert_int_equal(read_text("v=1; a=2; v=1", &tags), EDS_TAGS_DUPLICATE);
	assert_int_equal(tags.at, 10);
	assert_int_equal(tags.count, 2);
}

static void text_that_is_not_a_tag_list_is_refused(void **state)
{
	static const char *const texts[] = {"", " ", ";", "v", "v=1;;a=2", "v=1; ;", "=1", "1=1",
		"v=1; garbage", "_a=1", "v-1=2", "v=1\r\na=2", "v=\x01", "v=a\rb", "v=1; \r\n",
		"v=\x7f"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct eds_tags tags;
		enum eds_tags_state got = read_text(texts[i], &tags);
		bool refused = got == EDS_TAGS_SYNTAX;

		if (!refused)
			fail_msg("\"%s\" is taken for a list", texts[i]);
		assert_true(tags.at <= strlen(texts[i]));
	}
}

static void a_nul_is_not_allowed_in_a_list(void **state)
{
	struct eds_tags tags;

	(void)state;
	assert_int_equal(eds_tags_read("v=1\0; a=2", 9, &tags), EDS_TAGS_SYNTAX);
	assert_int_equal(eds_tags_read("\0", 1, &tags), EDS_TAGS_SYNTAX);
}

static void too_many_tags_are_reported(void **state)
{
	char text[8 * (EDS_TAGS_MAX + 1)] = "";
	struct eds_tags tags;

	(void)state;
	for (int i = 0; i <= EDS_TAGS_MAX; i++) {
		assert_int_equal(read_text(*text ? text : "v=1", &tags), EDS_TAGS_OK);
		sprintf(text + strlen(text), "t%d=1;", i);
	}
	assert_int_equal(read_text(text, &tags), EDS_TAGS_TOO_MANY);
	assert_int_equal(tags.count, 64);
}

static void items_of_a_list_are_compared_whole(void **state)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_tags tags;

	(void)state;
	assert_int_equal(read_text("h=sha1 :\r\n sha256; t=ys; s=", &tags), EDS_TAGS_OK);
	assert_true(eds_tag_lists(&ctx, eds_tags_find(&tags, "h"), "sha256"));
	assert_true(eds_tag_lists(&ctx, eds_tags_find(&tags, "h"), "sha1"));
	assert_false(eds_tag_lists(&ctx, eds_tags_find(&tags, "h"), "sha"));
	assert_false(eds_tag_lists(&ctx, eds_tags_find(&tags, "h"), "sha2561"));
	assert_false(eds_tag_lists(&ctx, eds_tags_find(&tags, "t"), "y"));
	assert_false(eds_tag_lists(&ctx, eds_tags_find(&tags, "s"), "email"));
	rt_arena_free(ctx.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_read_with_white_space_and_folding_around_its_parts),
		cmocka_unit_test(a_value_may_be_empty_and_hold_equals_signs),
		cmocka_unit_test(names_are_case_sensitive),
		cmocka_unit_test(a_repeated_tag_is_reported_with_its_place),
		cmocka_unit_test(text_that_is_not_a_tag_list_is_refused),
		cmocka_unit_test(a_nul_is_not_allowed_in_a_list),
		cmocka_unit_test(too_many_tags_are_reported),
		cmocka_unit_test(items_of_a_list_are_compared_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
