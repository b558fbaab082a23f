/* The sums of a report whose rows and selectors were chosen to have one hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "functions/lib/reports/sums.h"

enum {
	RECORDS = 100000,
	TRIES = 5,
};

static uint32_t fnv(uint32_t sum, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sum = (sum ^ ((const uint8_t *)bytes)[i]) * 16777619U;
	return sum;
}

static struct eds_report_row row_of(uint32_t number)
{
	struct eds_report_row row = {.source = {.family = AF_INET6}, .messages = 1};

	memcpy(row.source.bytes, &number, sizeof number);
	return row;
}

/* Chooses rows whose keys FNV-1a, a hash without a secret, puts into one of 2048 chains, as an
 * attacker could; or, if colliding is false, any rows. */
static void choose_rows(struct eds_report_row *rows, size_t count, bool colliding)
{
	uint32_t number = 0;

	for (size_t i = 0; i < count; number++) {
		rows[i] = row_of(number);
		if (!colliding ||
			fnv(2166136261U, &rows[i], offsetof(struct eds_report_row, messages)) %
					2048 ==
				7)
			i++;
	}
}

static void choose_selectors(char (*selectors)[16], size_t count, bool colliding)
{
	uint32_t start = fnv(2166136261U, "a.example", sizeof "a.example");
	unsigned number = 0;

	for (size_t i = 0; i < count; number++) {
		snprintf(selectors[i], sizeof selectors[i], "s%u", number);
		if (!colliding || fnv(start, selectors[i], strlen(selectors[i])) % 512 == 7)
			i++;
	}
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double sum_rows_s(const struct eds_report_row *rows, size_t count)
{
	double best_s = 1e9;

	for (int try = 0; try < TRIES; try++) {
		struct rt_ctx ctx = {.arena = rt_arena_new()};
		struct eds_sums *sums = eds_sums_new(&ctx);
		double began_s = cpu_s();
		double took_s;

		for (size_t i = 0; i < RECORDS; i++)
			eds_sums_row(sums, &rows[i % count], "", 0);
		took_s = cpu_s() - began_s;
		best_s = took_s < best_s ? took_s : best_s;
		rt_arena_free(ctx.arena);
	}
	return best_s;
}

static double sum_selectors_s(char (*selectors)[16], size_t count)
{
	double best_s = 1e9;

	for (int try = 0; try < TRIES; try++) {
		struct rt_ctx ctx = {.arena = rt_arena_new()};
		struct eds_sums *sums = eds_sums_new(&ctx);
		double began_s = cpu_s();
		double took_s;

		for (size_t i = 0; i < RECORDS; i++)
			eds_sums_signature(
				sums, "a.example", selectors[i % count], EDS_DKIM_RESULT_PASS, 1);
		took_s = cpu_s() - began_s;
		best_s = took_s < best_s ? took_s : best_s;
		rt_arena_free(ctx.arena);
	}
	return best_s;
}

static void addresses_chosen_to_collide_cost_no_more_than_others(void **state)
{
	static struct eds_report_row chosen[2000];
	static struct eds_report_row others[2000];

	(void)state;
	choose_rows(chosen, 2000, true);
	choose_rows(others, 2000, false);
	assert_true(sum_rows_s(chosen, 2000) < 3 * sum_rows_s(others, 2000));
}

static void selectors_chosen_to_collide_cost_no_more_than_others(void **state)
{
	static char chosen[500][16];
	static char others[500][16];

	(void)state;
	choose_selectors(chosen, 500, true);
	choose_selectors(others, 500, false);
	assert_true(sum_selectors_s(chosen, 500) < 3 * sum_selectors_s(others, 500));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_chosen_to_collide_cost_no_more_than_others),
		cmocka_unit_test(selectors_chosen_to_collide_cost_no_more_than_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
