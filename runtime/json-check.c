#include "runtime/json-check.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "runtime/json.h"
#include "runtime/text/ascii.h"
#include "runtime/text/hex.h"
#include "runtime/text/json-string.h"
#include "runtime/text/utf8.h"

enum {
	/* maximum number of names of all open objects together; more than 100 header fields fit */
	NAMES_MAX = 160,
	/* maximum number of digits of a number; a number with more digits may overflow */
	DIGITS_MAX = 18,
	ESCAPE_U_OCTETS = 5, /* octets of u and four digits */
};

struct name {
	const char *text;
	size_t length;
};

struct check {
	const char *at;
	const char *end;
	int depth;
	size_t name_count;
	/* names of the open objects; those of the innermost object are last */
	struct name names[NAMES_MAX];
};

static bool check_value(struct check *check);

static void skip_space(struct check *check)
{
	while (check->at < check->end &&
		(*check->at == ' ' || *check->at == '\t' || *check->at == '\n' ||
			*check->at == '\r'))
		check->at++;
}

static bool take(struct check *check, char c)
{
	skip_space(check);
	if (check->at == check->end || *check->at != c)
		return false;
	check->at++;
	return true;
}

/* The next octet that needs attention (rt_json_halts()), or the end. */
static const char *find_halt(const char *at, const char *end)
{
	uint64_t octets;

	for (; end - at >= (ptrdiff_t)sizeof octets; at += sizeof octets) {
		memcpy(&octets, at, sizeof octets);
		octets = rt_json_halts(le64toh(octets));
		if (octets != 0)
			return at + __builtin_ctzll(octets) / 8;
	}
	while (at < end && (signed char)*at >= ' ' && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* The value of an escape u and its four digits; -1 when it is invalid. */
static int code_unit(const char *at, const char *end)
{
	int unit = 0;

	if (end - at < ESCAPE_U_OCTETS || *at != 'u')
		return -1;
	for (int i = 1; i < ESCAPE_U_OCTETS; i++) {
		int digit = rt_hex_value(at[i]);

		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

/* The length of the escape without its backslash, octets; 0 for an invalid one. An escaped NUL is
 * invalid, since rt_json_parse() refuses it; so is a surrogate that is not part of a pair (RFC 8259
 * section 7). */
static size_t escape_length(const char *at, const char *end)
{
	int unit = code_unit(at, end);

	if (unit < 0)
		return at < end && *at != '\0' && strchr("\"\\/bfnrt", *at) != NULL ? 1 : 0;
	if (unit == 0 || (unit >= 0xdc00 && unit <= 0xdfff))
		return 0;
	if (unit < 0xd800 || unit > 0xdbff)
		return ESCAPE_U_OCTETS;
	at += ESCAPE_U_OCTETS;
	if (at == end || *at != '\\')
		return 0;
	unit = code_unit(at + 1, end);
	return unit >= 0xdc00 && unit <= 0xdfff ? 2 * ESCAPE_U_OCTETS + 1 : 0;
}

/* The length of the escape or character at this place of a string, octets; 0 if it is invalid. */
static size_t halt_length(const char *at, const char *end, bool *escaped)
{
	size_t length;

	if (*at != '\\')
		return (*at & 0x80) != 0 ? rt_utf8_length(at, (size_t)(end - at)) : 0;
	*escaped = true;
	length = escape_length(at + 1, end);
	return length == 0 ? 0 : length + 1;
}

/* Checks a string whose opening quote was already read. */
static bool check_string(struct check *check, struct name *name, bool *escaped)
{
	const char *start = check->at;
	const char *at = find_halt(start, check->end);

	*escaped = false;
	while (at < check->end && *at != '"') {
		size_t length = halt_length(at, check->end, escaped);

		if (length == 0)
			return false;
		at = find_halt(at + length, check->end);
	}
	if (at == check->end)
		return false;
	*name = (struct name){start, (size_t)(at - start)};
	check->at = at + 1;
	return true;
}

/* Adds the name to the table; false if the object already has it or the table is full. first: index
 * of the object's first name. */
static bool note_name(struct check *check, size_t first, const struct name *name)
{
	for (size_t i = first; i < check->name_count; i++)
		if (check->names[i].length == name->length &&
			memcmp(check->names[i].text, name->text, name->length) == 0)
			return false;
	if (check->name_count == NAMES_MAX)
		return false;
	check->names[check->name_count++] = *name;
	return true;
}

static bool check_member(struct check *check, size_t first)
{
	struct name name;
	bool escaped;

	return take(check, '"') && check_string(check, &name, &escaped) && !escaped &&
		note_name(check, first, &name) && take(check, ':') && check_value(check);
}

static bool check_object(struct check *check)
{
	size_t first = check->name_count;

	if (!take(check, '}')) {
		do {
			if (!check_member(check, first))
				return false;
		} while (take(check, ','));
		if (!take(check, '}'))
			return false;
	}
	check->name_count = first;
	return true;
}

static bool check_array(struct check *check)
{
	if (take(check, ']'))
		return true;
	do {
		if (!check_value(check))
			return false;
	} while (take(check, ','));
	return take(check, ']');
}

static bool check_word(struct check *check, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(check->end - check->at) < length || memcmp(check->at, word, length) != 0)
		return false;
	check->at += length;
	return true;
}

/* Accepts only whole numbers. If a fraction or an exponent follows, the check fails at its first
 * octet, which cannot follow a value. */
static bool check_number(struct check *check)
{
	const char *start;

	if (*check->at == '-')
		check->at++;
	start = check->at;
	while (check->at < check->end && rt_is_digit(*check->at))
		check->at++;
	return check->at > start && check->at - start <= DIGITS_MAX &&
		(*start != '0' || check->at - start == 1);
}

static bool check_nested(struct check *check, bool (*inside)(struct check *check))
{
	bool sound;

	if (++check->depth > RT_JSON_DEPTH_MAX)
		return false;
	sound = inside(check);
	check->depth--;
	return sound;
}

static bool check_value(struct check *check)
{
	struct name unused;
	bool escaped;

	if (take(check, '"'))
		return check_string(check, &unused, &escaped);
	if (take(check, '{'))
		return check_nested(check, check_object);
	if (take(check, '['))
		return check_nested(check, check_array);
	if (check->at == check->end)
		return false;
	if (*check->at == '-' || rt_is_digit(*check->at))
		return check_number(check);
	return check_word(check, "true") || check_word(check, "false") || check_word(check, "null");
}

bool rt_json_is_sound(const char *text, size_t length)
{
	struct check check;

	check.at = text;
	check.end = text + length;
	check.depth = 0;
	check.name_count = 0;
	if (!check_value(&check))
		return false;
	skip_space(&check);
	return check.at == check.end;
}
