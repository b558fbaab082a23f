#include "runtime/host/json-unescape.h"

#include "runtime/text/hex.h"

/* The value of the four hexadecimal digits at text; -1 when they are invalid. */
static int read_unit(const char *text, size_t available)
{
	int unit = 0;

	if (available < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int value = rt_hex_value(text[i]);

		if (value < 0)
			return -1;
		unit = unit * 16 + value;
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

/* Decodes \uXXXX, or two of them that form a surrogate pair; NULL when the result is not a
 * character. */
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

/* Decodes one escape; *at points after the backslash. */
static char *unescape_one(char *to, const char **at, const char *end)
{
	static const char meanings[256] = {['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t'};
	unsigned char name;

	if (*at == end)
		return NULL;
	name = (unsigned char)*(*at)++;
	if (name == 'u')
		return unescape_unit(to, at, end);
	*to = meanings[name];
	return *to == '\0' ? NULL : to + 1;
}

/* Decoded text is never longer than its escapes, so the length of the string is enough room. The
 * loop goes octet by octet: JSON within JSON has an escaped quote every few octets, so a search for
 * the next backslash would cost more than it saves. */
bool json_unescape(const struct rt_json_value *string, struct rt_buffer *out)
{
	const char *at = string->text;
	const char *end = at + string->length;
	char *start = rt_buffer_room(out, string->length);
	char *to = start;

	while (to != NULL && at < end) {
		if (*at != '\\') {
			*to++ = *at++;
			continue;
		}
		at++;
		to = unescape_one(to, &at, end);
	}
	if (to == NULL)
		return false;
	rt_buffer_used(out, (size_t)(to - start));
	return true;
}
