#include "local/serve/cron.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
	FIELDS = 6,
	FIELD_MAX = 64,
	DAY_SECONDS = 24 * 60 * 60,
	DAYS_OF_WEEK = 7,
};

struct field {
	const char *name;
	int min;
	int max;
	const char *const
		*names; /* names of the values; the first is of the value min; NULL for none */
};

static const char *const month_names[] = {
	"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
static const char *const day_names[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

static const struct field minute_field = {"minutes", 0, 59, NULL};
static const struct field hour_field = {"hours", 0, 23, NULL};
static const struct field month_day_field = {"day-of-month", 1, 31, NULL};
static const struct field month_field = {"month", 1, 12, month_names};
static const struct field week_day_field = {"day-of-week", 1, 7, day_names};
static const struct field year_field = {"year", CRON_YEAR_MIN, CRON_YEAR_MAX, NULL};

static bool fail(char error[CRON_ERROR_MAX], const char *what, const char *text)
{
	snprintf(error, CRON_ERROR_MAX, "%s: \"%.60s\"", what, text);
	return false;
}

/* Reads a number or a name, and moves *text past it. */
static bool read_value(const char **text, const struct field *field, int *value)
{
	if (isdigit((unsigned char)**text)) {
		char *end;
		long number = strtol(*text, &end, 10);

		if (end - *text > 4 || number < field->min || number > field->max)
			return false;
		*value = (int)number;
		*text = end;
		return true;
	}
	for (int i = 0; field->names != NULL && i <= field->max - field->min; i++)
		if (strncasecmp(*text, field->names[i], 3) == 0) {
			*value = field->min + i;
			*text += 3;
			return true;
		}
	return false;
}

/* Reads "/n" after a value or range; *step is 0 when there is none. */
static bool read_step(const char **text, const struct field *field, int *step)
{
	const struct field steps = {field->name, 1, field->max, NULL};

	*step = 0;
	if (**text != '/')
		return true;
	(*text)++;
	return read_value(text, &steps, step);
}

/* Calls set() for each value of one element of a list. An element is *, n or n-m, and may end with
 * /step. A range whose end is before its start wraps around. */
static bool read_element(
	const char **text, const struct field *field, void (*set)(void *arg, int value), void *arg)
{
	int span = field->max - field->min + 1;
	int first = field->min;
	int last = field->max;
	int step;
	bool single = false;

	if (**text == '*') {
		(*text)++;
	} else {
		if (!read_value(text, field, &first))
			return false;
		last = first;
		single = **text != '-';
		if (!single && ((*text)++, !read_value(text, field, &last)))
			return false;
	}
	if (!read_step(text, field, &step))
		return false;
	if (single && step > 0)
		last = field->max;
	if (last < first)
		last += span;
	for (int value = first; value <= last; value += step > 0 ? step : 1)
		set(arg, field->min + (value - field->min) % span);
	return true;
}

static bool read_list(const char *text, const struct field *field,
	void (*set)(void *arg, int value), void *arg, char error[CRON_ERROR_MAX])
{
	const char *at = text;

	for (;;) {
		if (!read_element(&at, field, set, arg))
			return fail(error, field->name, text);
		if (*at == '\0')
			return true;
		if (*at++ != ',')
			return fail(error, field->name, text);
	}
}

static void set_bit(void *arg, int value)
{
	/* no value of the fields that are stored as bits exceeds 59 */
	*(uint64_t *)arg |= UINT64_C(1) << (value & 63);
}

static void set_year(void *arg, int value)
{
	((struct cron *)arg)->years[value - CRON_YEAR_MIN] = true;
}

static bool read_month_day(const char *text, struct cron *cron, char error[CRON_ERROR_MAX])
{
	const char *at = text;
	int day;

	if (strcasecmp(text, "L") == 0) {
		cron->last_month_day = true;
		return true;
	}
	if (read_value(&at, &month_day_field, &day) && strcasecmp(at, "W") == 0) {
		cron->nearest_weekday = day;
		return true;
	}
	return read_list(text, &month_day_field, set_bit, &cron->month_days, error);
}

static bool read_week_day(const char *text, struct cron *cron, char error[CRON_ERROR_MAX])
{
	static const struct field nth_field = {"day-of-week", 1, 5, NULL};
	const char *at = text;
	int day;

	if (strcasecmp(text, "L") == 0) {
		set_bit(&cron->week_days, DAYS_OF_WEEK);
		return true;
	}
	if (!read_value(&at, &week_day_field, &day))
		return read_list(text, &week_day_field, set_bit, &cron->week_days, error);
	if (strcasecmp(at, "L") == 0) {
		cron->last_week_day = day;
		return true;
	}
	if (*at++ == '#') {
		cron->nth_week_day = day;
		return (read_value(&at, &nth_field, &cron->nth) && *at == '\0') ||
			fail(error, "day-of-week", text);
	}
	return read_list(text, &week_day_field, set_bit, &cron->week_days, error);
}

static bool read_days(
	const char *month_day, const char *week_day, struct cron *cron, char error[CRON_ERROR_MAX])
{
	bool any_week_day = strcmp(week_day, "?") == 0;

	cron->any_month_day = strcmp(month_day, "?") == 0;
	if (cron->any_month_day == any_week_day)
		return fail(
			error, "exactly one of day-of-month and day-of-week must be ?", week_day);
	return cron->any_month_day ? read_week_day(week_day, cron, error)
				   : read_month_day(month_day, cron, error);
}

static bool read_cron(const char *text, struct cron *cron, char error[CRON_ERROR_MAX])
{
	char fields[FIELDS][FIELD_MAX];
	char rest[2];

	if (sscanf(text, "%63s %63s %63s %63s %63s %63s %1s", fields[0], fields[1], fields[2],
		    fields[3], fields[4], fields[5], rest) != FIELDS)
		return fail(error, "cron must have six fields", text);
	return read_list(fields[0], &minute_field, set_bit, &cron->minutes, error) &&
		read_list(fields[1], &hour_field, set_bit, &cron->hours, error) &&
		read_days(fields[2], fields[4], cron, error) &&
		read_list(fields[3], &month_field, set_bit, &cron->months, error) &&
		read_list(fields[5], &year_field, set_year, cron, error);
}

/* Reads a rate. Like EventBridge it requires the singular for 1 ("1 minute") and the plural
 * otherwise ("5 minutes"). */
static bool read_rate(const char *text, struct cron *cron, char error[CRON_ERROR_MAX])
{
	static const struct {
		const char *one;
		const char *many;
		int minutes;
	} units[] = {{"minute", "minutes", 1}, {"hour", "hours", 60}, {"day", "days", 24 * 60}};
	char unit[16];
	char rest[2];
	int count;

	if (sscanf(text, "%6d %15s %1s", &count, unit, rest) != 2 || count < 1)
		return fail(error, "a rate must be like rate(5 minutes)", text);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, count == 1 ? units[i].one : units[i].many) == 0 &&
			count <= CRON_RATE_MINUTES_MAX / units[i].minutes) {
			cron->period_s = (int64_t)count * units[i].minutes * 60;
			return true;
		}
	return fail(
		error, "a rate must be like 1 minute, 5 minutes or 2 days, at most a year", text);
}

bool cron_parse(const char *text, struct cron *cron, char error[CRON_ERROR_MAX])
{
	size_t length = strlen(text);
	char inner[FIELDS * FIELD_MAX];

	*cron = (struct cron){0};
	if (length < 6 || text[length - 1] != ')' || length - 6 >= sizeof inner)
		return fail(error, "a schedule must be rate(…) or cron(…)", text);
	memcpy(inner, text + 5, length - 6);
	inner[length - 6] = '\0';
	if (strncmp(text, "rate(", 5) == 0)
		return read_rate(inner, cron, error);
	if (strncmp(text, "cron(", 5) == 0)
		return read_cron(inner, cron, error);
	return fail(error, "a schedule must be rate(…) or cron(…)", text);
}

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* The day of the week of a day of the month, 1 for Sunday. */
static int week_day(int first_week_day, int day)
{
	return (first_week_day - 1 + day - 1) % DAYS_OF_WEEK + 1;
}

/* The day from Monday to Friday that is nearest to the given day in the same month; 0 when the
 * month is too short for the given day. */
static int nearest_weekday(int day, int days, int first_week_day)
{
	int on;

	if (day > days)
		return 0;
	on = week_day(first_week_day, day);
	if (on == 7)
		return day > 1 ? day - 1 : day + 2;
	if (on == 1)
		return day < days ? day + 1 : day - 2;
	return day;
}

static bool day_matches(const struct cron *cron, int day, int days, int first_week_day)
{
	int on = week_day(first_week_day, day);

	if (!cron->any_month_day)
		return (cron->month_days >> day & 1) != 0 ||
			(cron->last_month_day && day == days) ||
			(cron->nearest_weekday > 0 &&
				day ==
					nearest_weekday(
						cron->nearest_weekday, days, first_week_day));
	if (cron->last_week_day > 0)
		return on == cron->last_week_day && day + DAYS_OF_WEEK > days;
	if (cron->nth_week_day > 0)
		return on == cron->nth_week_day && (day - 1) / DAYS_OF_WEEK + 1 == cron->nth;
	return (cron->week_days >> on & 1) != 0;
}

/* The first minute of the day, from the given one on, at which the schedule is due; -1 when there
 * is none. */
static int first_minute(const struct cron *cron, int from)
{
	for (int minute = from; minute < 24 * 60; minute++)
		if ((cron->hours >> minute / 60 & 1) != 0 &&
			(cron->minutes >> minute % 60 & 1) != 0)
			return minute;
	return -1;
}

static int64_t next_in_month(const struct cron *cron, struct tm *month, int day, int minute)
{
	int days = days_in_month(month->tm_year + 1900, month->tm_mon + 1);
	int64_t start;

	month->tm_mday = 1;
	start = timegm(month);
	for (; day <= days; day++, minute = 0) {
		int found = day_matches(cron, day, days, month->tm_wday + 1)
			? first_minute(cron, minute)
			: -1;

		if (found >= 0)
			return start + (int64_t)(day - 1) * DAY_SECONDS + (int64_t)found * 60;
	}
	return -1;
}

static int64_t next_cron(const struct cron *cron, int64_t after)
{
	time_t from = (time_t)(after - (after % 60) + 60);
	struct tm first;
	int day;
	int minute;

	gmtime_r(&from, &first);
	day = first.tm_mday;
	minute = first.tm_hour * 60 + first.tm_min;
	for (int year = first.tm_year + 1900, month = first.tm_mon; year <= CRON_YEAR_MAX;
		month = 0, year++) {
		for (; month < 12 && cron->years[year - CRON_YEAR_MIN]; month++) {
			struct tm start = {.tm_year = year - 1900, .tm_mon = month};
			int64_t next = -1;

			if ((cron->months >> (month + 1) & 1) != 0)
				next = next_in_month(cron, &start, day, minute);
			if (next >= 0)
				return next;
			day = 1;
			minute = 0;
		}
		day = 1;
		minute = 0;
	}
	return -1;
}

int64_t cron_next(const struct cron *cron, int64_t after)
{
	if (cron->period_s > 0)
		return (after / cron->period_s + 1) * cron->period_s;
	return next_cron(cron, after);
}
