#include "runtime/text/json-string.h"

#include <endian.h>
#include <string.h>

#include "runtime/text/hex.h"
#include "runtime/text/utf8.h"

enum {
	UNICODE_ESCAPE = RT_JSON_ESCAPED_MAX,
	/* up to this length, octets, it is cheaper to reserve room for the worst case than to
	 * compute the exact length */
	SHORT_TEXT = 4096,
};

/* The letters of short escapes; 0: the character has only the long form. NUL has no escape here:
 * the strict parsers and the databases of eds refuse it in any form. */
static const char letters[128] = {
	['\b'] = 'b',
	['\t'] = 't',
	['\n'] = 'n',
	['\f'] = 'f',
	['\r'] = 'r',
	['"'] = '"',
	['\\'] = '\\',
};

/* For each value of an octet: the number of octets that are enough to write it; 1 if it needs no
 * escape. */
static const unsigned char needed[256] = {
	[0 ... 31] = UNICODE_ESCAPE,
	[32 ... '"' - 1] = 1,
	['"'] = 2,
	['"' + 1 ... '\\' - 1] = 1,
	['\\'] = 2,
	['\\' + 1 ... 127] = 1,
	[128 ... 255] = sizeof RT_UTF8_REPLACEMENT - 1,
};

static bool is_plain(char c)
{
	return needed[(unsigned char)c] == 1;
}

/* Writes an ASCII character that needs an escape. */
static char *write_escaped(char *to, unsigned char c)
{
	if (c == 0)
		return mempcpy(to, RT_UTF8_REPLACEMENT, strlen(RT_UTF8_REPLACEMENT));
	*to++ = '\\';
	if (letters[c] != 0) {
		*to++ = letters[c];
		return to;
	}
	to = mempcpy(to, "u00", 3);
	return rt_hex_write(to, &c, 1);
}

/* Writes a character outside ASCII; returns the number of octets of text that it used. */
static size_t write_foreign(char **to, const char *text, size_t length)
{
	size_t octets = rt_utf8_length(text, length);

	*to = octets > 0 ? mempcpy(*to, text, octets)
			 : mempcpy(*to, RT_UTF8_REPLACEMENT, strlen(RT_UTF8_REPLACEMENT));
	return octets == 0 ? 1 : octets;
}

/* Copies the octets before the first one that may need an escape, in steps of eight; returns their
 * number. It may also write some octets after the copied ones. `to` has room for them, because it
 * has at least one octet for each octet of the text. */
static size_t copy_plain(char *to, const char *text, size_t length)
{
	uint64_t octets;
	size_t i = 0;

	for (; length - i >= sizeof octets; i += sizeof octets) {
		uint64_t halts;

		memcpy(&octets, text + i, sizeof octets);
		memcpy(to + i, &octets, sizeof octets);
		halts = rt_json_halts(le64toh(octets));
		if (halts != 0)
			return i + (size_t)__builtin_ctzll(halts) / 8;
	}
	while (i < length && is_plain(text[i])) {
		to[i] = text[i];
		i++;
	}
	return i;
}

char *rt_json_escape(char *to, const char *text, size_t length)
{
	size_t i = 0;

	for (;;) {
		size_t plain = copy_plain(to, text + i, length - i);

		to += plain;
		i += plain;
		if (i == length)
			return to;
		if ((unsigned char)text[i] < 128)
			to = write_escaped(to, (unsigned char)text[i++]);
		else
			i += write_foreign(&to, text + i, length - i);
	}
}

/* The number of octets that is enough for the escaped text. */
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

	if (start == NULL)
		return;
	*to++ = '"';
	to = rt_json_escape(to, text, length);
	*to++ = '"';
	rt_buffer_used(out, (size_t)(to - start));
}

size_t rt_json_string_length(const char *text, size_t length)
{
	return room_for(text, length) + 2;
}
