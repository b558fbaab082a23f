#include "runtime/host/percent.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The octet that %XX at text stands for; -1 when it is no escape. */
static int escape(const char *text, size_t available)
{
	int high, low;

	if (available < 3)
		return -1;
	high = digit(text[1]);
	low = digit(text[2]);
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
