/* Hexadecimal digits (RFC 4648 section 8). */
#ifndef RT_TEXT_HEX_H
#define RT_TEXT_HEX_H

#include <stddef.h>

/* The value of a digit in either case; -1 for any other character, including NUL. */
static inline int rt_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The digit for the lowest four bits, in lower case. */
static inline char rt_hex_digit(unsigned value)
{
	return "0123456789abcdef"[value & 15];
}

/* Writes two lower-case digits for each byte and no NUL; returns the end. */
static inline char *rt_hex_write(char *to, const void *bytes, size_t count)
{
	const unsigned char *from = bytes;

	for (size_t i = 0; i < count; i++) {
		*to++ = rt_hex_digit(from[i] >> 4);
		*to++ = rt_hex_digit(from[i]);
	}
	return to;
}

#endif
