/* Text as the inside of a JSON string, written straight into a buffer: an answer's body is a
 * document of its own, and building a JSON value around it would cost more than all the rest of a
 * short event.
 */
#ifndef RT_JSON_STRING_H
#define RT_JSON_STRING_H

#include "runtime/buffer.h"

enum {
	RT_JSON_ESCAPED_MAX = 6, /* octets that one octet of text may take: \u001f */
};

/* Writes the inside of a string (RFC 8259 section 7), of at most RT_JSON_ESCAPED_MAX octets for
 * each of the text; gives the place behind it. NUL, and octets that are no UTF-8, become U+FFFD. */
char *rt_json_escape(char *to, const char *text, size_t length);

/* Adds the text in quotes, escaped like that. */
void rt_json_string_add(struct rt_buffer *out, const char *text, size_t length);

/* Octets that this adds, or somewhat more of text that is no UTF-8. */
size_t rt_json_string_length(const char *text, size_t length);

#endif
