/* Rows of reports as one text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "functions/lib/store/reports/report-pack.h"

static struct rt_ctx ctx;

static int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	ctx.arena = rt_arena_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

static void add(struct eds_pack_sums *sums, const char *source, const char *auth, int64_t messages)
{
	const struct eds_tally_name name = {auth, strlen(auth)};
	const struct eds_pack_row row = {.disposition = 4,
		.class = 2,
		.messages = messages,
		.source = source,
		.source_length = strlen(source)};

	eds_pack_sums_add(sums, &row, &name);
}

static void equal_rows_are_merged(void **state)
{
	struct eds_pack_sums sums;

	(void)state;
	eds_pack_sums_init(&ctx, &sums);
	add(&sums, "192.0.2.1", "a.example spf+b.example", 3);
	add(&sums, "", "-", 1);
	add(&sums, "192.0.2.1", "a.example spf+b.example", 4);
	add(&sums, "192.0.2.1", "-", 5);
	assert_string_equal(eds_pack_sums_text(&sums),
		"a.example spf+b.example\n-\n\n4 2 0 7 192.0.2.1\n4 2 1 1 \n4 2 1 5 192.0.2.1\n");
}

static void a_text_is_read_as_it_was_written(void **state)
{
	static const char text[] = "a.example\n-\n\n1 1 0 7 192.0.2.1\n0 0 1 1 \n";
	struct eds_pack_sums sums;
	struct eds_pack pack;
	struct eds_pack_row row;

	(void)state;
	eds_pack_open(&ctx, &pack, text);
	assert_int_equal(pack.auth_count, 2);
	assert_true(eds_pack_next(&pack, &row));
	assert_int_equal(row.disposition, 1);
	assert_int_equal(row.class, 1);
	assert_int_equal(row.messages, 7);
	assert_memory_equal(pack.auths[row.auth].bytes, "a.example", pack.auths[row.auth].length);
	assert_int_equal(row.source_length, sizeof "192.0.2.1" - 1);
	assert_memory_equal(row.source, "192.0.2.1", row.source_length);
	assert_true(eds_pack_next(&pack, &row));
	assert_int_equal(row.source_length, 0);
	assert_false(eds_pack_next(&pack, &row));
	eds_pack_sums_init(&ctx, &sums);
	eds_pack_sums_add_all(&ctx, &sums, text);
	assert_string_equal(eds_pack_sums_text(&sums), text);
}

static void a_damaged_text_ends_at_the_damage(void **state)
{
	static const char *const damaged[] = {"", "\n", "a.example", "a.example\n", "a.example\n\n",
		"a.example\n\n1", "a.example\n\n1 1 0 7", "a.example\n\n1 1 1 7 x\n",
		"\n1 1 0 7 x\n", "a.example\n\n1 3 0 7 x\n", "a.example\n\n10 1 0 7 x\n",
		"a.example\n\n1 1 0 -7 x\n", "a.example\n\n1 1 0 9223372036854775808 x\n",
		"a.example\n\n1 1 4294967296 7 x\n"};
	struct eds_pack pack;
	struct eds_pack_row row;

	(void)state;
	for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
		eds_pack_open(&ctx, &pack, damaged[i]);
		assert_false(eds_pack_next(&pack, &row));
	}
	eds_pack_open(&ctx, &pack, "a.example\n\n1 1 0 7 x\n1 1 0 7");
	assert_true(eds_pack_next(&pack, &row));
	assert_false(eds_pack_next(&pack, &row));
}

static void a_sum_that_is_too_large_stays_at_the_maximum(void **state)
{
	struct eds_pack_sums sums;

	(void)state;
	eds_pack_sums_init(&ctx, &sums);
	add(&sums, "x", "-", INT64_MAX - 1);
	add(&sums, "x", "-", 5);
	assert_string_equal(eds_pack_sums_text(&sums), "-\n\n4 2 0 9223372036854775807 x\n");
}

enum { NAMES = 10000 };

static void a_name_added_again_keeps_its_number(void **state)
{
	struct eds_tally tally;
	char name[16];
	size_t number;

	(void)state;
	eds_tally_init(&tally, &ctx);
	assert_false(eds_tally_find(&tally, "", 0, &number));
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < NAMES; i++)
			assert_int_equal(eds_tally_add(&tally, name,
						 (size_t)snprintf(name, sizeof name, "%d", i)),
				i);
	assert_int_equal(tally.count, NAMES);
	assert_false(eds_tally_find(&tally, "x", 1, &number));
	assert_true(eds_tally_find(&tally, "77", 2, &number));
	assert_int_equal(number, 77);
	assert_string_equal(tally.names[77].bytes, "77");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_rows_are_merged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_text_is_read_as_it_was_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_damaged_text_ends_at_the_damage, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_sum_that_is_too_large_stays_at_the_maximum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_name_added_again_keeps_its_number, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("store: rows of reports", tests, NULL, NULL);
}
