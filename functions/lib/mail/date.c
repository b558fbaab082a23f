#include <string.h>
#include <strings.h>
#include <time.h>

#include "functions/lib/mail/date.h"
#include "runtime/text/ascii.h"

enum {
	TEXT_BYTES_MAX = 1024,
	YEAR_MAX = 9999,
};

/* Skips space and comments; false when a comment is not closed. */
static bool skip_space(const char **text)
{
	size_t depth = 0;

	for (; **text; ++*text) {
		if (depth > 0 && **text == '\\' && (*text)[1])
			++*text;
		else if (**text == '(')
			depth++;
		else if (depth > 0 && **text == ')')
			depth--;
		else if (depth == 0 && strchr(" \t\r\n", **text) == NULL)
			break;
	}
	return depth == 0;
}

static bool skip(const char **text, char c)
{
	if (!skip_space(text) || **text != c)
		return false;
	++*text;
	return skip_space(text);
}

/* Reads min to max digits and returns their number; 0 when there are fewer than min or more than
 * max. */
static int read_number(const char **text, int min, int max, int *value)
{
	int digits = 0;

	*value = 0;
	if (!skip_space(text))
		return 0;
	for (; digits < max && rt_is_digit(**text); digits++, ++*text)
		*value = *value * 10 + (**text - '0');
	return digits < min || rt_is_digit(**text) ? 0 : digits;
}

/* The index of the three-letter word at *text in the list `words`; -1 when the list does not have
 * the word. */
static int read_word(const char **text, const char *words)
{
	size_t length = 0;

	if (!skip_space(text))
		return -1;
	while (rt_is_alpha((*text)[length]))
		length++;
	for (int i = 0; length == 3 && words[3 * i]; i++)
		if (strncasecmp(*text, words + 3 * i, 3) == 0) {
			*text += 3;
			return i;
		}
	return -1;
}

/* Skips the weekday, which is optional. Whether it fits the date is not checked, because the date
 * is complete without it. */
static bool read_weekday(const char **text)
{
	if (!skip_space(text))
		return false;
	return !rt_is_alpha(**text) ||
		(read_word(text, "MonTueWedThuFriSatSun") >= 0 && skip(text, ','));
}

/* The year that two or three digits mean (section 4.3): 00 to 49 are 2000 to 2049, 50 to 99 are
 * 1950 to 1999; three digits count from 1900. */
static int full_year(int year, int digits)
{
	if (digits == 2)
		return year < 50 ? 2000 + year : 1900 + year;
	return digits == 3 ? 1900 + year : year;
}

static int days_of(int month, int year)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month] + (month == 1 && leap);
}

static bool read_date(const char **text, struct tm *t)
{
	int digits;
	int year;

	if (!read_number(text, 1, 2, &t->tm_mday))
		return false;
	t->tm_mon = read_word(text, "JanFebMarAprMayJunJulAugSepOctNovDec");
	digits = read_number(text, 2, 4, &year);
	if (t->tm_mon < 0 || digits == 0)
		return false;
	year = full_year(year, digits);
	t->tm_year = year - 1900;
	return year >= 1900 && year <= YEAR_MAX && t->tm_mday >= 1 &&
		t->tm_mday <= days_of(t->tm_mon, year);
}

static bool read_time(const char **text, struct tm *t)
{
	if (!read_number(text, 1, 2, &t->tm_hour) || !skip(text, ':') ||
		!read_number(text, 2, 2, &t->tm_min) || !skip_space(text))
		return false;
	if (**text == ':' && (!skip(text, ':') || !read_number(text, 2, 2, &t->tm_sec)))
		return false;
	return t->tm_hour < 24 && t->tm_min < 60 && t->tm_sec <= 60; /* 60 for a leap second */
}

/* Reads the name of a zone (section 4.3). Military zones and unknown names carry no information;
 * they count as -0000. */
static bool read_named_zone(const char **text, int *minutes)
{
	static const struct {
		const char *name;
		int hours;
	} zones[] = {{"EDT", -4}, {"EST", -5}, {"CDT", -5}, {"CST", -6}, {"MDT", -6}, {"MST", -7},
		{"PDT", -7}, {"PST", -8}};
	size_t length = 0;

	while (rt_is_alpha((*text)[length]))
		length++;
	for (size_t i = 0; length == 3 && i < sizeof zones / sizeof zones[0]; i++)
		if (strncasecmp(*text, zones[i].name, 3) == 0)
			*minutes = zones[i].hours * 60;
	*text += length;
	return length >= 1 && length <= 5;
}

static bool read_zone(const char **text, int *minutes)
{
	int sign;
	int value;

	*minutes = 0;
	if (!skip_space(text))
		return false;
	if (**text != '+' && **text != '-')
		return read_named_zone(text, minutes);
	sign = **text == '-' ? -1 : 1;
	++*text;
	if (!rt_is_digit(**text) || !read_number(text, 4, 4, &value) || value % 100 > 59)
		return false;
	*minutes = sign * (value / 100 * 60 + value % 100);
	return true;
}

bool eds_date_parse(const char *text, int64_t *wall_ms)
{
	struct tm t = {0};
	int zone;

	*wall_ms = 0;
	if (strnlen(text, TEXT_BYTES_MAX + 1) > TEXT_BYTES_MAX)
		return false;
	if (!read_weekday(&text) || !read_date(&text, &t) || !read_time(&text, &t) ||
		!read_zone(&text, &zone) || !skip_space(&text) || *text != '\0')
		return false;
	*wall_ms = ((int64_t)timegm(&t) - (int64_t)zone * 60) * 1000;
	return true;
}
