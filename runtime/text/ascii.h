/* Classes of ASCII characters, independent of the locale, as protocols define them. */
#ifndef RT_TEXT_ASCII_H
#define RT_TEXT_ASCII_H

#include <stdbool.h>

/* Space and tab: WSP of RFC 5234. */
static inline bool rt_is_wsp(char c)
{
	return c == ' ' || c == '\t';
}

/* WSP, CR and LF: the white space of a field that may be folded. */
static inline bool rt_is_space(char c)
{
	return rt_is_wsp(c) || c == '\r' || c == '\n';
}

static inline bool rt_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool rt_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool rt_is_alnum(char c)
{
	return rt_is_alpha(c) || rt_is_digit(c);
}

static inline char rt_to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
