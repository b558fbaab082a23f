#include "runtime/host/json-read.h"

#include <string.h>

void json_read_init(struct json_read *read, const char *text, size_t length)
{
	*read = (struct json_read){.at = text, .end = text + length};
}

static bool fail(struct json_read *read)
{
	read->failed = true;
	return false;
}

static void skip_space(struct json_read *read)
{
	while (read->at < read->end &&
		(*read->at == ' ' || *read->at == '\t' || *read->at == '\n' || *read->at == '\r'))
		read->at++;
}

/* Takes the character if it is the next. */
static bool take(struct json_read *read, char c)
{
	skip_space(read);
	if (read->at == read->end || *read->at != c)
		return false;
	read->at++;
	return true;
}

/* The opening quote is taken already. A quote is the end unless an odd number of backslashes stands
 * before it. */
static bool read_string(struct json_read *read, struct json_read_value *value)
{
	const char *start = read->at;
	const char *quote = start;

	for (;; quote++) {
		size_t backslashes = 0;

		quote = memchr(quote, '"', (size_t)(read->end - quote));
		if (quote == NULL)
			return fail(read);
		while (quote - backslashes > start && quote[-1 - (ptrdiff_t)backslashes] == '\\')
			backslashes++;
		if (backslashes % 2 == 0)
			break;
	}
	*value = (struct json_read_value){
		.kind = JSON_READ_STRING, .text = start, .length = (size_t)(quote - start)};
	read->at = quote + 1;
	return true;
}

static bool skip_nested(struct json_read *read)
{
	struct json_read_value string;
	int depth = 0;

	do {
		char c = read->at < read->end ? *read->at++ : '\0';

		if (c == '\0' || depth > JSON_READ_DEPTH_MAX)
			return fail(read);
		if (c == '"' && !read_string(read, &string))
			return false;
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
	} while (depth > 0);
	return true;
}

static bool read_word(struct json_read *read)
{
	const char *start = read->at;

	while (read->at<read->end && * read->at> ' ' && strchr(",]}", *read->at) == NULL)
		read->at++;
	return read->at > start || fail(read);
}

static bool read_value(struct json_read *read, struct json_read_value *value)
{
	const char *start;
	bool read_whole;

	if (take(read, '"'))
		return read_string(read, value);
	start = read->at;
	if (start == read->end)
		return fail(read);
	value->kind = *start == '{' ? JSON_READ_OBJECT
		: *start == '['     ? JSON_READ_ARRAY
				    : JSON_READ_WORD;
	read_whole = value->kind == JSON_READ_WORD ? read_word(read) : skip_nested(read);
	value->text = start;
	value->length = (size_t)(read->at - start);
	return read_whole;
}

/* Stands before the next item of a value in these brackets; false at its end. */
static bool next_item(struct json_read *read, char open, char close)
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

bool json_read_member(
	struct json_read *read, struct json_read_value *name, struct json_read_value *value)
{
	if (!next_item(read, '{', '}'))
		return false;
	if (!take(read, '"'))
		return fail(read);
	return read_string(read, name) && (take(read, ':') || fail(read)) &&
		read_value(read, value);
}

bool json_read_element(struct json_read *read, struct json_read_value *value)
{
	return next_item(read, '[', ']') && read_value(read, value);
}

/* The number of \uXXXX, text standing behind the u; -1 when it is none. */
static int read_unit(const char *text, size_t available)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	int unit = 0;

	if (available < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char *found = text[i] == '\0' ? NULL : strchr(digits, text[i]);

		if (found == NULL)
			return -1;
		unit = unit * 16 + (int)((found - digits) % 16);
	}
	return unit;
}

static char *put_utf8(char *to, int c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* \uXXXX, or two of them for what lies beyond the basic plane; NULL when they are no character. */
static char *unescape_unit(char *to, const char **at, const char *end)
{
	int unit = read_unit(*at, (size_t)(end - *at));
	int low;

	if (unit < 0 || (unit >= 0xdc00 && unit < 0xe000))
		return NULL;
	*at += 4;
	if (unit < 0xd800 || unit >= 0xe000)
		return put_utf8(to, unit);
	if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
		return NULL;
	low = read_unit(*at + 2, (size_t)(end - *at) - 2);
	if (low < 0xdc00 || low >= 0xe000)
		return NULL;
	*at += 6;
	return put_utf8(to, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
}

/* at stands behind the backslash. */
static char *unescape_one(char *to, const char **at, const char *end)
{
	static const char names[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *found;
	char name;

	if (*at == end)
		return NULL;
	name = *(*at)++;
	if (name == 'u')
		return unescape_unit(to, at, end);
	found = name == '\0' ? NULL : strchr(names, name);
	if (found == NULL)
		return NULL;
	*to++ = meanings[found - names];
	return to;
}

/* No escape is shorter than what it stands for, so the room needed is known. */
bool json_read_unescape(const struct json_read_value *string, struct bytes *out)
{
	const char *at = string->text;
	const char *end = at + string->length;
	char *start = bytes_room(out, string->length);
	char *to = start;

	while (to != NULL && at < end) {
		const char *backslash = memchr(at, '\\', (size_t)(end - at));
		size_t plain = (size_t)((backslash == NULL ? end : backslash) - at);

		memcpy(to, at, plain);
		to += plain;
		at += plain;
		if (backslash == NULL)
			break;
		at++;
		to = unescape_one(to, &at, end);
	}
	if (to == NULL)
		return false;
	out->length += (size_t)(to - start);
	return true;
}

bool json_read_is(const struct json_read_value *value, const char *text)
{
	return value->length == strlen(text) && memcmp(value->text, text, value->length) == 0;
}

bool json_read_integer(const struct json_read_value *value, int *number)
{
	*number = 0;
	if (value->kind != JSON_READ_WORD || value->length == 0 || value->length > 9)
		return false;
	for (size_t i = 0; i < value->length; i++) {
		if (value->text[i] < '0' || value->text[i] > '9')
			return false;
		*number = *number * 10 + (value->text[i] - '0');
	}
	return true;
}
