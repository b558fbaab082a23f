/* Schedules: the next due time of an expression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "local/serve/cron.h"
#include "runtime/ctx.h"
#include "runtime/time.h"

static int64_t seconds(const char *time)
{
	int64_t ms;

	assert_true(rt_time_parse(time, &ms));
	return ms / 1000;
}

static void each_expression_gives_its_next_due_time(void **state)
{
	static const struct {
		const char *expression;
		const char *after;
		const char *next; /* NULL: the expression is never due again */
	} cases[] = {
		{"rate(1 minute)", "2026-01-31T23:59:30Z", "2026-02-01T00:00:00Z"},
		{"rate(1 minute)", "2026-01-31T23:59:00Z", "2026-02-01T00:00:00Z"},
		{"rate(5 minutes)", "2026-01-31T10:04:59Z", "2026-01-31T10:05:00Z"},
		{"rate(1 hour)", "2026-01-31T10:04:59Z", "2026-01-31T11:00:00Z"},
		{"rate(2 days)", "1970-01-02T12:00:00Z", "1970-01-03T00:00:00Z"},
		{"cron(* * * * ? *)", "2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z"},
		{"cron(0 10 * * ? *)", "2026-01-31T10:00:00Z", "2026-02-01T10:00:00Z"},
		{"cron(0 10 * * ? *)", "2026-01-31T09:59:59Z", "2026-01-31T10:00:00Z"},
		{"cron(15 12 * * ? *)", "2026-12-31T12:15:00Z", "2027-01-01T12:15:00Z"},
		{"cron(0/15 * * * ? *)", "2026-01-31T10:16:00Z", "2026-01-31T10:30:00Z"},
		{"cron(*/15 * * * ? *)", "2026-01-31T10:45:00Z", "2026-01-31T11:00:00Z"},
		{"cron(5/20 * * * ? *)", "2026-01-31T10:45:00Z", "2026-01-31T11:05:00Z"},
		{"cron(10-20/5 8 * * ? *)", "2026-01-31T08:10:00Z", "2026-01-31T08:15:00Z"},
		{"cron(0 8,20 * * ? *)", "2026-01-31T08:00:00Z", "2026-01-31T20:00:00Z"},
		{"cron(0 22-2 * * ? *)", "2026-01-31T23:30:00Z", "2026-02-01T00:00:00Z"},
		{"cron(0 18 ? * MON-FRI *)", "2026-11-20T18:00:00Z", "2026-11-23T18:00:00Z"},
		{"cron(0 18 ? * 2-6 *)", "2026-11-20T18:00:00Z", "2026-11-23T18:00:00Z"},
		{"cron(0 0 ? * SAT,sun *)", "2026-11-20T18:00:00Z", "2026-11-21T00:00:00Z"},
		{"cron(0 0 ? * FRI-MON *)", "2026-11-23T00:00:00Z", "2026-11-27T00:00:00Z"},
		{"cron(0 0 1 * ? *)", "2026-11-20T00:00:00Z", "2026-12-01T00:00:00Z"},
		{"cron(0 0 31 * ? *)", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"cron(0 0 30 2 ? *)", "2026-01-31T00:00:00Z", NULL},
		{"cron(0 0 29 2 ? *)", "2026-01-31T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"cron(0 0 29 2 ? *)", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"cron(0 0 L * ? *)", "2028-02-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"cron(0 0 L * ? *)", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"cron(0 0 L 2 ? *)", "2026-01-01T00:00:00Z", "2026-02-28T00:00:00Z"},
		/* 1 August 2026 is a Saturday, 31 May 2026 a Sunday. */
		{"cron(0 8 1W * ? *)", "2026-07-31T00:00:00Z", "2026-08-03T08:00:00Z"},
		{"cron(0 8 31W 5 ? *)", "2026-05-01T00:00:00Z", "2026-05-29T08:00:00Z"},
		{"cron(0 8 15W 8 ? *)", "2026-08-01T00:00:00Z", "2026-08-14T08:00:00Z"},
		{"cron(0 9 ? * 2#1 *)", "2026-11-20T00:00:00Z", "2026-12-07T09:00:00Z"},
		{"cron(0 9 ? * 6#5 *)", "2026-11-20T00:00:00Z", "2027-01-29T09:00:00Z"},
		{"cron(0 9 ? * 6L *)", "2026-11-20T00:00:00Z", "2026-11-27T09:00:00Z"},
		{"cron(0 9 ? * L *)", "2026-11-20T00:00:00Z", "2026-11-21T09:00:00Z"},
		{"cron(0 0 1 JAN,jul ? *)", "2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z"},
		{"cron(0 0 1 1 ? 2030)", "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z"},
		{"cron(0 0 1 1 ? 2020)", "2026-01-01T00:00:00Z", NULL},
		{"cron(0 0 1 1 ? 2026-2199/4)", "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z"},
		{"cron(59 23 31 12 ? 2199)", "2199-12-31T23:58:59Z", "2199-12-31T23:59:00Z"},
		{"cron(* * * * ? *)", "2199-12-31T23:59:00Z", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cron cron;
		char error[CRON_ERROR_MAX];
		int64_t expected = cases[i].next == NULL ? -1 : seconds(cases[i].next);

		if (!cron_parse(cases[i].expression, &cron, error))
			fail_msg("%s: %s", cases[i].expression, error);
		if (cron_next(&cron, seconds(cases[i].after)) != expected)
			fail_msg("%s after %s: %lld", cases[i].expression, cases[i].after,
				(long long)cron_next(&cron, seconds(cases[i].after)));
	}
}

static void a_malformed_expression_is_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *expression;
		const char *error;
	} cases[] = {
		{"", "a schedule must be rate(…) or cron(…): \"\""},
		{"rate", "a schedule must be rate(…) or cron(…): \"rate\""},
		{"rate(", "a schedule must be rate(…) or cron(…): \"rate(\""},
		{"rate()", "a rate must be like rate(5 minutes): \"\""},
		{"rate(0 minutes)", "a rate must be like rate(5 minutes): \"0 minutes\""},
		{"rate(1 minutes)",
			"a rate must be like 1 minute, 5 minutes or 2 days, at most a year: \"1 minutes\""},
		{"rate(5 minute)",
			"a rate must be like 1 minute, 5 minutes or 2 days, at most a year: \"5 minute\""},
		{"rate(-5 minutes)", "a rate must be like rate(5 minutes): \"-5 minutes\""},
		{"rate(5 seconds)",
			"a rate must be like 1 minute, 5 minutes or 2 days, at most a year: \"5 seconds\""},
		{"rate(5 minutes) ", "a schedule must be rate(…) or cron(…): \"rate(5 minutes) \""},
		{"rate(5 minutes x)", "a rate must be like rate(5 minutes): \"5 minutes x\""},
		{"rate(9999999 days)", "a rate must be like rate(5 minutes): \"9999999 days\""},
		{"every(5 minutes)", "a schedule must be rate(…) or cron(…): \"every(5 minutes)\""},
		{"cron()", "cron must have six fields: \"\""},
		{"cron(* * * * ?)", "cron must have six fields: \"* * * * ?\""},
		{"cron(* * * * ? * *)", "cron must have six fields: \"* * * * ? * *\""},
		{"cron(* * * * * *)",
			"exactly one of day-of-month and day-of-week must be ?: \"*\""},
		{"cron(* * ? * ? *)",
			"exactly one of day-of-month and day-of-week must be ?: \"?\""},
		{"cron(60 * * * ? *)", "minutes: \"60\""},
		{"cron(* 24 * * ? *)", "hours: \"24\""},
		{"cron(* * 0 * ? *)", "day-of-month: \"0\""},
		{"cron(* * 32 * ? *)", "day-of-month: \"32\""},
		{"cron(* * * 13 ? *)", "month: \"13\""},
		{"cron(* * ? * 8 *)", "day-of-week: \"8\""},
		{"cron(* * ? * 0 *)", "day-of-week: \"0\""},
		{"cron(* * * * ? 1969)", "year: \"1969\""},
		{"cron(* * * * ? 2200)", "year: \"2200\""},
		{"cron(1,, * * * ? *)", "minutes: \"1,,\""},
		{"cron(1- * * * ? *)", "minutes: \"1-\""},
		{"cron(1/ * * * ? *)", "minutes: \"1/\""},
		{"cron(1/0 * * * ? *)", "minutes: \"1/0\""},
		{"cron(a * * * ? *)", "minutes: \"a\""},
		{"cron(* * * FOO ? *)", "month: \"FOO\""},
		{"cron(* * ? * 2#6 *)", "day-of-week: \"2#6\""},
		{"cron(* * ? * #3 *)", "day-of-week: \"#3\""},
		{"cron(* * LW * ? *)", "day-of-month: \"LW\""},
		{"cron(? * * * ? *)", "minutes: \"?\""},
		{"cron(-1 * * * ? *)", "minutes: \"-1\""},
		{"cron(99999999999999999999 * * * ? *)", "minutes: \"99999999999999999999\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cron cron;
		char error[CRON_ERROR_MAX] = "";

		if (cron_parse(cases[i].expression, &cron, error))
			fail_msg("\"%s\" was accepted", cases[i].expression);
		assert_string_equal(error, cases[i].error);
	}
}

static void an_expression_of_up_to_389_octets_is_read_and_a_longer_one_is_refused(void **state)
{
	(void)state;
	for (int length = 18; length <= 450; length++) {
		char text[451];
		char error[CRON_ERROR_MAX] = "";
		struct cron cron;

		snprintf(text, sizeof text, "cron(%*s)", length - 6, "* * * * ? *");
		assert_int_equal(strlen(text), length);
		assert_int_equal(cron_parse(text, &cron, error), length <= 389);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_expression_gives_its_next_due_time),
		cmocka_unit_test(a_malformed_expression_is_refused_with_a_sentence),
		cmocka_unit_test(
			an_expression_of_up_to_389_octets_is_read_and_a_longer_one_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
