#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/ctx.h"
#include "runtime/text/decimal.h"
#include "runtime/time.h"

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t rt_monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t rt_monotonic_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

int64_t rt_wall_ms(void)
{
	return clock_ms(CLOCK_REALTIME);
}

int rt_remaining_ms(const struct rt_ctx *ctx)
{
	int64_t left = ctx->deadline_ms - rt_monotonic_ms();

	if (left < 0)
		return 0;
	return left > INT32_MAX ? INT32_MAX : (int)left;
}

/* Limits the time to years of four digits, since RFC 3339 has no others. */
static time_t within_years(time_t seconds)
{
	const time_t first = -62167219200; /* 0000-01-01T00:00:00Z */
	const time_t last = 253402300799;  /* 9999-12-31T23:59:59Z */

	return seconds < first ? first : seconds > last ? last : seconds;
}

/* Writes the date of a day. day: number of days since 1 March of the year -400. Years begin in
 * March here, so that a leap day is the last day of its year; an era is 400 years. gmtime_r() is
 * not used, since its first call in a process reads the file of the local time zone. */
static void write_date(char *text, uint64_t day)
{
	uint64_t of_era = day % 146097;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint64_t month = (5 * of_year + 2) / 153; /* 0 is March */

	year += 400 * (day / 146097) + (month >= 10) - 400;
	rt_decimal(text + 4, year, 4);
	rt_decimal(text + 7, month < 10 ? month + 3 : month - 9, 2);
	rt_decimal(text + 10, of_year - (153 * month + 2) / 5 + 1, 2);
}

char *rt_time_format(struct rt_ctx *ctx, int64_t wall_ms)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	const time_t first = -74784816000; /* the day from which write_date() counts */
	time_t seconds = within_years((time_t)(wall_ms / 1000 - (wall_ms % 1000 < 0)));
	uint64_t since = (uint64_t)(seconds - first);
	char *text = rt_arena_alloc_raw(ctx->arena, sizeof form);

	memcpy(text, form, sizeof form);
	write_date(text, since / 86400);
	rt_decimal(text + 13, since / 3600 % 24, 2);
	rt_decimal(text + 16, since / 60 % 60, 2);
	rt_decimal(text + 19, since % 60, 2);
	return text;
}

/* Reads exactly `digits` digits and moves *text past them; -1 when there are fewer. */
static int read_digits(const char **text, int digits)
{
	int value = 0;

	for (int i = 0; i < digits; i++, (*text)++) {
		if (**text < '0' || **text > '9')
			return -1;
		value = value * 10 + (**text - '0');
	}
	return value;
}

static bool skip(const char **text, const char *one_of)
{
	if (**text == '\0' || strchr(one_of, **text) == NULL)
		return false;
	(*text)++;
	return true;
}

static int read_fraction_ms(const char **text)
{
	int ms = 0;
	int scale = 100;

	if (!skip(text, "."))
		return 0;
	if (**text < '0' || **text > '9')
		return -1;
	for (; **text >= '0' && **text <= '9'; (*text)++, scale /= 10)
		ms += (**text - '0') * scale;
	return ms;
}

static bool read_offset_s(const char **text, int *offset_s)
{
	int sign = **text == '-' ? -1 : 1;
	int hours;
	int minutes;

	*offset_s = 0;
	if (skip(text, "Zz"))
		return true;
	if (!skip(text, "+-"))
		return false;
	hours = read_digits(text, 2);
	if (hours < 0 || hours > 23 || !skip(text, ":"))
		return false;
	minutes = read_digits(text, 2);
	*offset_s = sign * (hours * 3600 + minutes * 60);
	return minutes >= 0 && minutes <= 59;
}

static bool fields_in_range(const struct tm *t)
{
	return t->tm_year >= -1900 && t->tm_mon >= 0 && t->tm_mon < 12 && t->tm_mday >= 1 &&
		t->tm_mday <= 31 && t->tm_hour >= 0 && t->tm_hour < 24 && t->tm_min >= 0 &&
		t->tm_min < 60 && t->tm_sec >= 0 && t->tm_sec <= 60;
}

static bool read_date_and_time(const char **text, struct tm *t)
{
	t->tm_year = read_digits(text, 4) - 1900;
	if (!skip(text, "-"))
		return false;
	t->tm_mon = read_digits(text, 2) - 1;
	if (!skip(text, "-"))
		return false;
	t->tm_mday = read_digits(text, 2);
	if (!skip(text, "Tt "))
		return false;
	t->tm_hour = read_digits(text, 2);
	if (!skip(text, ":"))
		return false;
	t->tm_min = read_digits(text, 2);
	if (!skip(text, ":"))
		return false;
	t->tm_sec = read_digits(text, 2);
	return fields_in_range(t);
}

bool rt_time_parse(const char *text, int64_t *wall_ms)
{
	struct tm t = {0};
	int day;
	int leap_s;
	int ms;
	int offset_s;

	if (!read_date_and_time(&text, &t))
		return false;
	ms = read_fraction_ms(&text);
	if (ms < 0 || !read_offset_s(&text, &offset_s) || *text != '\0')
		return false;
	day = t.tm_mday;
	leap_s = t.tm_sec == 60;
	t.tm_sec -= leap_s;
	*wall_ms = ((int64_t)timegm(&t) + leap_s - offset_s) * 1000 + ms;
	return t.tm_mday == day; /* timegm would turn 31 April into 1 May */
}
