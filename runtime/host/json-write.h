/* JSON written by hand into a buffer: events go out with every request, and building a tree first
 * costs thirty times as much. */
#ifndef HOST_JSON_WRITE_H
#define HOST_JSON_WRITE_H

#include "runtime/host/bytes.h"

/* A string in quotes. Bytes that are no UTF-8, and NUL, which our strict readers refuse, become
 * U+FFFD. */
void json_write_string(struct bytes *out, const char *text, size_t length);
void json_write_text(struct bytes *out, const char *text);

/* The inside of a string, without the quotes. */
void json_write_part(struct bytes *out, const char *text, size_t length);

#endif
