/* Writes text as a JSON string directly into a buffer: an answer's body is a long text, and
 * building a JSON value for it would take most of the time of a short event.
 */
#ifndef RT_JSON_STRING_H
#define RT_JSON_STRING_H

#include <stdint.h>

#include "runtime/buffer.h"

enum {
	RT_JSON_ESCAPED_MAX = 6, /* octets that one octet of text may need: \u001f */
};

/* Marks each of eight octets that is a quote, a backslash, a control or not ASCII, by its highest
 * bit. Octets at higher places than such an octet may be marked wrongly, so a caller may rely only
 * on the lowest mark, and on there being none. */
static inline uint64_t rt_json_halts(uint64_t octets)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t quotes = octets ^ ones * '"';
	uint64_t backslashes = octets ^ ones * '\\';

	return ((quotes - ones) | (backslashes - ones) | (octets - ones * ' ') | octets) &
		ones << 7;
}

/* Writes the text as a JSON string without its quotes (RFC 8259 section 7), at most
 * RT_JSON_ESCAPED_MAX octets for each octet of text; returns the end. NUL and octets that are not
 * UTF-8 become U+FFFD. */
char *rt_json_escape(char *to, const char *text, size_t length);

/* Appends the text as a JSON string with its quotes, escaped as by rt_json_escape(). */
void rt_json_string_add(struct rt_buffer *out, const char *text, size_t length);

/* At least the number of octets that rt_json_string_add() appends. For printable ASCII it is that
 * number; for control characters and characters outside ASCII it may be more. */
size_t rt_json_string_length(const char *text, size_t length);

#endif
