/* UTF-8 (RFC 3629), for text that strangers wrote. */
#ifndef RT_UTF8_H
#define RT_UTF8_H

#include "runtime/buffer.h"

/* U+FFFD, which stands for octets that are no text. */
#define RT_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Octets of the well-formed character at the start of text, 0 when there is none: no overlong form,
 * no surrogate, nothing above U+10FFFF. */
size_t rt_utf8_length(const char *text, size_t available);

/* Well-formed, and without NUL, which readers of JSON and databases refuse. */
bool rt_utf8_is_text(const char *text, size_t length);

/* Adds the text; each octet that rt_utf8_is_text() would refuse becomes U+FFFD. */
void rt_utf8_add(struct rt_buffer *out, const char *text, size_t length);

#endif
