#include "runtime/json-read.h"

#include <stdint.h>
#include <string.h>

#include "runtime/json.h"

void rt_json_read_init(struct rt_json_read *read, const char *text, size_t length)
{
	*read = (struct rt_json_read){.at = text, .end = text + length};
}

static bool fail(struct rt_json_read *read)
{
	read->failed = true;
	return false;
}

static void skip_space(struct rt_json_read *read)
{
	while (read->at < read->end &&
		(*read->at == ' ' || *read->at == '\t' || *read->at == '\n' || *read->at == '\r'))
		read->at++;
}

/* Reads the character c; false if another one is next. */
static bool take(struct rt_json_read *read, char c)
{
	skip_space(read);
	if (read->at == read->end || *read->at != c)
		return false;
	read->at++;
	return true;
}

/* True if one of the eight octets is c: XOR makes exactly those octets 0. */
static bool holds(uint64_t octets, char c)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t differences = octets ^ ones * (unsigned char)c;

	return ((differences - ones) & ~differences & ones << 7) != 0;
}

/* The next quote or backslash, or the end. */
static const char *find_halt(const char *at, const char *end)
{
	uint64_t octets;

	for (; end - at >= (ptrdiff_t)sizeof octets; at += sizeof octets) {
		memcpy(&octets, at, sizeof octets);
		if (holds(octets, '"') || holds(octets, '\\'))
			break;
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

/* Reads a string whose opening quote was already read. A quote after a backslash does not end it.
 */
static bool read_string(struct rt_json_read *read, struct rt_json_value *value)
{
	const char *start = read->at;
	const char *at = start;

	for (;;) {
		at = find_halt(at, read->end);
		if (at == read->end)
			return fail(read);
		if (*at == '"')
			break;
		if (read->end - at < 2)
			return fail(read);
		at += 2;
	}
	*value = (struct rt_json_value){
		.kind = RT_JSON_STRING, .text = start, .length = (size_t)(at - start)};
	read->at = at + 1;
	return true;
}

static bool skip_nested(struct rt_json_read *read)
{
	struct rt_json_value string;
	int depth = 0;

	do {
		char c = read->at < read->end ? *read->at++ : '\0';

		if (c == '\0' || depth > RT_JSON_DEPTH_MAX)
			return fail(read);
		if (c == '"' && !read_string(read, &string))
			return false;
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
	} while (depth > 0);
	return true;
}

static bool is_of_word(char c)
{
	return c > ' ' && c != ',' && c != ']' && c != '}';
}

static bool read_word(struct rt_json_read *read)
{
	const char *start = read->at;

	while (read->at != read->end && is_of_word(*read->at))
		read->at++;
	return read->at > start || fail(read);
}

static bool read_value(struct rt_json_read *read, struct rt_json_value *value)
{
	const char *start;
	bool read_whole;

	if (take(read, '"'))
		return read_string(read, value);
	start = read->at;
	if (start == read->end)
		return fail(read);
	value->kind = *start == '{' ? RT_JSON_OBJECT : *start == '[' ? RT_JSON_ARRAY : RT_JSON_WORD;
	read_whole = value->kind == RT_JSON_WORD ? read_word(read) : skip_nested(read);
	value->text = start;
	value->length = (size_t)(read->at - start);
	return read_whole;
}

/* Moves to the next item between these brackets; false at the closing one. */
static bool next_item(struct rt_json_read *read, char open, char close)
{
	bool first = !read->begun;

	if (read->failed || (first && !take(read, open)))
		return fail(read);
	read->begun = true;
	if (take(read, close)) {
		skip_space(read);
		return read->at == read->end ? false : fail(read);
	}
	return first || take(read, ',') || fail(read);
}

bool rt_json_read_member(
	struct rt_json_read *read, struct rt_json_value *name, struct rt_json_value *value)
{
	if (!next_item(read, '{', '}'))
		return false;
	if (!take(read, '"'))
		return fail(read);
	return read_string(read, name) && (take(read, ':') || fail(read)) &&
		read_value(read, value);
}

bool rt_json_read_element(struct rt_json_read *read, struct rt_json_value *value)
{
	return next_item(read, '[', ']') && read_value(read, value);
}

bool rt_json_read_is(const struct rt_json_value *value, const char *text)
{
	/* Compares the first octet first, since most names differ there. */
	return value->length > 0 && value->text[0] == text[0] && value->length == strlen(text) &&
		memcmp(value->text, text, value->length) == 0;
}
