#include "runtime/json-string.h"

#include <string.h>

#include "runtime/utf8.h"

enum {
	UNICODE_ESCAPE = 6, /* \u001f */
	SHORT_TEXT = 4096,  /* octets; room for the worst of it is cheaper than counting */
};

#define REPLACEMENT "\xef\xbf\xbd"

/* The letter behind the backslash; 'u' for the long form. */
static char escape_of(char c)
{
	switch (c) {
	case '"':
	case '\\':
		return c;
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return 'u';
	}
}

/* Octets that are enough for each octet of a text: 1 for what stands as it is. */
static const unsigned char needed[256] = {
	[0 ... 31] = UNICODE_ESCAPE,
	[32 ... '"' - 1] = 1,
	['"'] = 2,
	['"' + 1 ... '\\' - 1] = 1,
	['\\'] = 2,
	['\\' + 1 ... 127] = 1,
	[128 ... 255] = sizeof REPLACEMENT - 1,
};

static bool is_plain(char c)
{
	return needed[(unsigned char)c] == 1;
}

/* Writes a character below 128 that is not plain. */
static void write_escaped(char **to, char c)
{
	static const char digits[] = "0123456789abcdef";
	char letter = escape_of(c);

	*(*to)++ = '\\';
	*(*to)++ = letter;
	if (letter != 'u')
		return;
	*(*to)++ = '0';
	*(*to)++ = '0';
	*(*to)++ = digits[c >> 4];
	*(*to)++ = digits[c & 0xf];
}

/* Writes one that is not, and gives the octets it took of the text. */
static size_t write_foreign(char **to, const char *text, size_t length)
{
	size_t octets = rt_utf8_length(text, length);
	const char *source = octets == 0 ? REPLACEMENT : text;
	size_t count = octets == 0 ? strlen(REPLACEMENT) : octets;

	memcpy(*to, source, count);
	*to += count;
	return octets == 0 ? 1 : octets;
}

/* Octets that are enough for the escaped text. */
static size_t room_for(const char *text, size_t length)
{
	size_t bytes = 0;

	for (size_t i = 0; i < length; i++)
		bytes += needed[(unsigned char)text[i]];
	return bytes;
}

void rt_json_string_add(struct rt_buffer *out, const char *text, size_t length)
{
	size_t worst = length * UNICODE_ESCAPE;
	bool is_short = length <= SHORT_TEXT && worst + UNICODE_ESCAPE <= out->max - out->length;
	size_t room = is_short ? worst : room_for(text, length);
	char *start = rt_buffer_room(out, room + UNICODE_ESCAPE);
	char *to = start;
	size_t i = 0;

	if (start == NULL)
		return;
	*to++ = '"';
	while (i < length) {
		if (is_plain(text[i]))
			*to++ = text[i++];
		else if ((unsigned char)text[i] < 128)
			write_escaped(&to, text[i++]);
		else
			i += write_foreign(&to, text + i, length - i);
	}
	*to++ = '"';
	rt_buffer_used(out, (size_t)(to - start));
}

size_t rt_json_string_length(const char *text, size_t length)
{
	return room_for(text, length) + 2;
}
