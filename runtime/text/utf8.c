#include "runtime/text/utf8.h"

#include <stdbool.h>
#include <string.h>

static bool continuation(const unsigned char *c, size_t count)
{
	for (size_t i = 1; i <= count; i++)
		if ((c[i] & 0xc0) != 0x80)
			return false;
	return true;
}

size_t rt_utf8_length(const char *text, size_t available)
{
	const unsigned char *c = (const unsigned char *)text;

	if (available == 0)
		return 0;
	if (c[0] < 0x80)
		return 1;
	if (c[0] >= 0xc2 && c[0] <= 0xdf && available >= 2 && continuation(c, 1))
		return 2;
	if ((c[0] & 0xf0) == 0xe0 && available >= 3 && continuation(c, 2)) {
		bool overlong = c[0] == 0xe0 && c[1] < 0xa0;
		bool surrogate = c[0] == 0xed && c[1] > 0x9f;

		return overlong || surrogate ? 0 : 3;
	}
	if (c[0] >= 0xf0 && c[0] <= 0xf4 && available >= 4 && continuation(c, 3)) {
		bool overlong = c[0] == 0xf0 && c[1] < 0x90;
		bool beyond = c[0] == 0xf4 && c[1] > 0x8f;

		return overlong || beyond ? 0 : 4;
	}
	return 0;
}

/* The length of the character at the start, octets; 0 for a NUL or an invalid character. */
static size_t text_length(const char *text, size_t available)
{
	unsigned char c = (unsigned char)*text;

	return c > 0 && c < 0x80 ? 1 : c == 0 ? 0 : rt_utf8_length(text, available);
}

/* The length of the start that consists of groups of eight octets, all of them ASCII and not
 * NUL. */
static size_t plain_length(const char *text, size_t length)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t octets;
	size_t i = 0;

	for (; length - i >= sizeof octets; i += sizeof octets) {
		memcpy(&octets, text + i, sizeof octets);
		if ((((octets - ones) | octets) & ones << 7) != 0)
			break;
	}
	return i;
}

bool rt_utf8_is_text(const char *text, size_t length)
{
	for (size_t i = plain_length(text, length); i < length;) {
		size_t octets = text_length(text + i, length - i);

		if (octets == 0)
			return false;
		i += octets;
	}
	return true;
}

uint32_t rt_utf8_code(const char *text, size_t length)
{
	const unsigned char *c = (const unsigned char *)text;
	uint32_t code = length == 1 ? c[0] : c[0] & (0xffU >> (length + 1));

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (c[i] & 0x3fU);
	return code;
}

bool rt_utf8_is_harmful(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c ||
		(code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
		(code >= 0x2066 && code <= 0x2069);
}

void rt_utf8_add(struct rt_buffer *out, const char *text, size_t length)
{
	size_t octets;

	for (size_t i = 0; i<length; i += octets> 0 ? octets : 1) {
		octets = text_length(text + i, length - i);
		if (octets > 0)
			rt_buffer_add(out, text + i, octets);
		else
			rt_buffer_text(out, RT_UTF8_REPLACEMENT);
	}
}
