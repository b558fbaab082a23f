#include "runtime/text/percent.h"

#include <string.h>

#include "runtime/text/ascii.h"
#include "runtime/text/hex.h"

/* The octet that %XX at text encodes; -1 when it is not an escape. */
static int escape(const char *text, size_t available)
{
	int high, low;

	if (available < 3)
		return -1;
	high = rt_hex_value(text[1]);
	low = rt_hex_value(text[2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

size_t percent_decode(char *to, const char *text, size_t length)
{
	size_t made = 0;

	for (size_t i = 0; i < length; i++) {
		int octet = text[i] == '%' ? escape(text + i, length - i) : text[i];

		if (text[i] == '%' && octet < 0)
			return PERCENT_INVALID;
		i += text[i] == '%' ? 2 : 0;
		to[made++] = (char)octet;
	}
	return made;
}

size_t percent_decode_query(char *to, const char *text, size_t length)
{
	size_t made = 0;

	for (size_t i = 0; i < length; i++) {
		int octet = text[i] == '%' ? escape(text + i, length - i) : -1;

		if (octet >= 0) {
			to[made++] = (char)octet;
			i += 2;
		} else {
			to[made++] = text[i] == '+' ? ' ' : text[i];
		}
	}
	return made;
}

/* The unreserved characters of RFC 3986 section 2.3. */
static bool is_unreserved(char c)
{
	return rt_is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

char *percent_encode(char *to, const char *text, const char *keep)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (is_unreserved(*text) || strchr(keep, *text) != NULL) {
			*to++ = *text;
			continue;
		}
		*to++ = '%';
		*to++ = "0123456789ABCDEF"[c >> 4];
		*to++ = "0123456789ABCDEF"[c & 15];
	}
	return to;
}
