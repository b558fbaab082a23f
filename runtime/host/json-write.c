#include "runtime/host/json-write.h"

#include <string.h>

#include "runtime/utf8.h"

enum {
	ESCAPED_MAX = 6, /* octets one octet of text may take: \u001f */
};

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* RFC 8259 section 7: quotation mark, reverse solidus and controls are escaped. */
static char *put_escaped(char *to, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	static const char short_forms[] = {['\b'] = 'b',
		['\t'] = 't',
		['\n'] = 'n',
		['\f'] = 'f',
		['\r'] = 'r',
		['"'] = '"',
		['\\'] = '\\'};

	if (c == 0)
		return (char *)memcpy(to, replacement, 3) + 3;
	*to++ = '\\';
	if (c < sizeof short_forms && short_forms[c] != 0) {
		*to++ = short_forms[c];
		return to;
	}
	memcpy(to, "u00", 3);
	to[3] = digits[c >> 4];
	to[4] = digits[c & 15];
	return to + 5;
}

static char *put_wide(char *to, const char *text, size_t available, size_t *used)
{
	size_t octets = rt_utf8_length(text, available);

	*used = octets == 0 ? 1 : octets;
	if (octets == 0)
		return (char *)memcpy(to, replacement, 3) + 3;
	return (char *)memcpy(to, text, octets) + octets;
}

void json_write_part(struct bytes *out, const char *text, size_t length)
{
	char *start = bytes_room(out, length * ESCAPED_MAX);
	char *to = start;
	size_t used;

	if (start == NULL)
		return;
	for (size_t i = 0; i < length; i += used) {
		unsigned char c = (unsigned char)text[i];

		used = 1;
		if (is_plain(c))
			*to++ = (char)c;
		else if (c < 0x80)
			to = put_escaped(to, c);
		else
			to = put_wide(to, text + i, length - i, &used);
	}
	out->length += (size_t)(to - start);
}

void json_write_string(struct bytes *out, const char *text, size_t length)
{
	bytes_add(out, "\"", 1);
	json_write_part(out, text, length);
	bytes_add(out, "\"", 1);
}

void json_write_text(struct bytes *out, const char *text)
{
	json_write_string(out, text, strlen(text));
}

bool json_is_text(const char *text, size_t length)
{
	size_t used;

	for (size_t i = 0; i < length; i += used) {
		unsigned char c = (unsigned char)text[i];

		used = c != 0 && c < 0x80 ? 1 : rt_utf8_length(text + i, length - i);
		if (c == 0 || used == 0)
			return false;
	}
	return true;
}
