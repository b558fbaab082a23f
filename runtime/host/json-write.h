/* Writes JSON directly into a buffer: every request needs an event, and building a tree first costs
 * thirty times as much. */
#ifndef HOST_JSON_WRITE_H
#define HOST_JSON_WRITE_H

#include "runtime/buffer.h"

/* Writes a string in quotes. Bytes that are not UTF-8 become U+FFFD, and so does NUL, which the
 * strict parsers of eds refuse. */
void json_write_string(struct rt_buffer *out, const char *text, size_t length);
void json_write_text(struct rt_buffer *out, const char *text);

/* Writes the text as the inside of a string, without the quotes. */
void json_write_part(struct rt_buffer *out, const char *text, size_t length);

#endif
