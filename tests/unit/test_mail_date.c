#include "functions/lib/mail/date.h"
#include "runtime/time.h"
#include "tests/support/test-event.h"

static void dates_are_read(void **state)
{
	static const struct {
		const char *date;
		const char *time; /* RFC 3339 */
	} cases[] = {
		{"Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06Z"},
		{"21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06Z"},
		{"Fri, 20 Nov 2026 11:22:04 +0000", "2026-11-20T11:22:04Z"},
		{"Fri, 20 Nov 2026 11:22:04 -0000", "2026-11-20T11:22:04Z"},
		{"fri, 20 nov 2026 11:22:04 gmt", "2026-11-20T11:22:04Z"},
		{"Fri, 20 Nov 2026 11:22 +0100", "2026-11-20T10:22:00Z"},
		{"Fri, 20 Nov 2026 11:22:04 +0530", "2026-11-20T05:52:04Z"},
		{"Fri, 20 Nov 2026 11:22:04 +1400", "2026-11-19T21:22:04Z"},
		{"Fri,20 Nov 2026 11:22:04 +0000", "2026-11-20T11:22:04Z"},
		{"  Fri,  20  Nov  2026  11:22:04  +0000  ", "2026-11-20T11:22:04Z"},
		{"Fri,\r\n 20 Nov 2026\r\n\t11:22:04 +0000", "2026-11-20T11:22:04Z"},
		{"1 Jan 2026 1:02:03 Z", "2026-01-01T01:02:03Z"},
		{"01 Jan 2026 00:00:00 UT", "2026-01-01T00:00:00Z"},
		{"Thu, 29 Feb 2024 00:00:00 +0000", "2024-02-29T00:00:00Z"},
		{"29 Feb 2000 00:00:00 +0000", "2000-02-29T00:00:00Z"},
		{"31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00Z"},
		{"1 Jan 1900 00:00:00 +0000", "1900-01-01T00:00:00Z"},
		{"31 Dec 9999 23:59:59 +0000", "9999-12-31T23:59:59Z"},
		/* obsolete forms (RFC 5322 section 4.3) */
		{"21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06Z"},
		{"21 Nov 50 09:55:06 GMT", "1950-11-21T09:55:06Z"},
		{"21 Nov 49 09:55:06 GMT", "2049-11-21T09:55:06Z"},
		{"21 Nov 00 09:55:06 GMT", "2000-11-21T09:55:06Z"},
		{"21 Nov 126 09:55:06 GMT", "2026-11-21T09:55:06Z"},
		{"21 Nov 1997 09:55:06 EST", "1997-11-21T14:55:06Z"},
		{"21 Nov 1997 09:55:06 EDT", "1997-11-21T13:55:06Z"},
		{"21 Nov 1997 09:55:06 CST", "1997-11-21T15:55:06Z"},
		{"21 Nov 1997 09:55:06 CDT", "1997-11-21T14:55:06Z"},
		{"21 Nov 1997 09:55:06 MST", "1997-11-21T16:55:06Z"},
		{"21 Nov 1997 09:55:06 MDT", "1997-11-21T15:55:06Z"},
		{"21 Nov 1997 09:55:06 PST", "1997-11-21T17:55:06Z"},
		{"21 Nov 1997 09:55:06 pdt", "1997-11-21T16:55:06Z"},
		{"21 Nov 1997 09:55:06 A", "1997-11-21T09:55:06Z"},
		{"21 Nov 1997 09:55:06 CEST", "1997-11-21T09:55:06Z"},
		{"Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21T15:55:06Z"},
		{"(a (b)) Fri (c) , (d) 21 (e) Nov (f) 1997 (g) 09:55:06 (h) -0600 (CST)",
			"1997-11-21T15:55:06Z"},
		{"Fri, 20 Nov 2026 11:22:04 +0000 (\\) (UTC))", "2026-11-20T11:22:04Z"},
		/* the weekday does not fit the date */
		{"Mon, 20 Nov 2026 11:22:04 +0000", "2026-11-20T11:22:04Z"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t wall_ms;

		if (!eds_date_parse(cases[i].date, &wall_ms))
			fail_msg("%s was not read", cases[i].date);
		if (strcmp(rt_time_format(&test_event, wall_ms), cases[i].time) != 0)
			fail_msg("%s gave %s", cases[i].date, rt_time_format(&test_event, wall_ms));
	}
}

static void each_month_has_its_days(void **state)
{
	static const char *const last[] = {"31 Jan", "28 Feb", "31 Mar", "30 Apr", "31 May",
		"30 Jun", "31 Jul", "31 Aug", "30 Sep", "31 Oct", "30 Nov", "31 Dec"};

	(void)state;
	for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
		char *date = rt_printf(&test_event, "%s 2026 11:22:04 +0000", last[i]);
		int64_t wall_ms;

		if (!eds_date_parse(date, &wall_ms))
			fail_msg("%s was not read", date);
		date[1]++;
		if (eds_date_parse(date, &wall_ms))
			fail_msg("%s was read", date);
	}
}

static void impossible_and_unreadable_dates_are_refused(void **state)
{
	static const char *const cases[] = {
		"",
		" ",
		"yesterday",
		"2026-11-20T11:22:04Z",
		"Fri Nov 20 11:22:04 2026",
		"0 Nov 2026 11:22:04 +0000",
		"31 Nov 2026 11:22:04 +0000",
		"30 Feb 2024 11:22:04 +0000",
		"29 Feb 2026 11:22:04 +0000",
		"29 Feb 2100 11:22:04 +0000",
		"20 Nov 202611:22:04 +0000",
		"32 Dec 2026 11:22:04 +0000",
		"100 Dec 2026 11:22:04 +0000",
		"20 Foo 2026 11:22:04 +0000",
		"20 November 2026 11:22:04 +0000",
		"20 11 2026 11:22:04 +0000",
		"Foo, 20 Nov 2026 11:22:04 +0000",
		"Friday, 20 Nov 2026 11:22:04 +0000",
		"Fri 20 Nov 2026 11:22:04 +0000",
		", 20 Nov 2026 11:22:04 +0000",
		"20 Nov 6 11:22:04 +0000",
		"20 Nov 1899 11:22:04 +0000",
		"20 Nov 0000 11:22:04 +0000",
		"20 Nov 10000 11:22:04 +0000",
		"20 Nov 99999999999999999999 11:22:04 +0000",
		"20 Nov -2026 11:22:04 +0000",
		"20 Nov 2026 24:00:00 +0000",
		"20 Nov 2026 11:60:00 +0000",
		"20 Nov 2026 11:22:61 +0000",
		"20 Nov 2026 11:2:04 +0000",
		"20 Nov 2026 11:22:4 +0000",
		"20 Nov 2026 11:22: +0000",
		"20 Nov 2026 11 +0000",
		"20 Nov 2026 +0000",
		"20 Nov 2026",
		"20 Nov 2026 11:22:04",
		"20 Nov 2026 11:22:04 +000",
		"20 Nov 2026 11:22:04 +00000",
		"20 Nov 2026 11:22:04 +00:00",
		"20 Nov 2026 11:22:04 + 0000",
		"20 Nov 2026 11:22:04 +0060",
		"20 Nov 2026 11:22:04 0000",
		"20 Nov 2026 11:22:04 GMT+0100",
		"20 Nov 2026 11:22:04 EASTERN",
		"20 Nov 2026 11:22:04 +0000 junk",
		"20 Nov 2026 11:22:04 +0000 (not closed",
		"20 Nov 2026 11:22:04 +0000 (not closed \\",
		"(20 Nov 2026 11:22:04 +0000",
		"20 Nov 2026 11:22:04 +0000 )",
		"20-Nov-2026 11:22:04 +0000",
		"\xef\xbc\x92\xef\xbc\x90 Nov 2026 11:22:04 +0000",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t wall_ms;

		if (eds_date_parse(cases[i], &wall_ms))
			fail_msg("%s was read", cases[i]);
	}
}

static void an_endless_date_is_refused(void **state)
{
	char *date = rt_alloc(&test_event, 9000);
	int64_t wall_ms;

	(void)state;
	memset(date, ' ', 8000);
	strcpy(date + 8000, "20 Nov 2026 11:22:04 +0000");
	assert_false(eds_date_parse(date, &wall_ms));
	assert_true(eds_date_parse(date + 7500, &wall_ms));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dates_are_read),
		TEST(each_month_has_its_days),
		TEST(impossible_and_unreadable_dates_are_refused),
		TEST(an_endless_date_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
