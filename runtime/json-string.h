/* Text as the inside of a JSON string, written straight into a buffer: an answer's body is a
 * document of its own, and building a JSON value around it would cost more than all the rest of a
 * short event.
 */
#ifndef RT_JSON_STRING_H
#define RT_JSON_STRING_H

#include "runtime/buffer.h"

/* Adds the text in quotes, escaped (RFC 8259 section 7); octets that are no UTF-8 become U+FFFD. */
void rt_json_string_add(struct rt_buffer *out, const char *text, size_t length);

/* Octets that this adds, or somewhat more of text that is no UTF-8. */
size_t rt_json_string_length(const char *text, size_t length);

#endif
