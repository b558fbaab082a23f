/* UTF-8 (RFC 3629), for text that strangers wrote. */
#ifndef RT_UTF8_H
#define RT_UTF8_H

#include <stddef.h>

/* Octets of the well-formed character at the start of text, 0 when there is none: no overlong form,
 * no surrogate, nothing above U+10FFFF. */
size_t rt_utf8_length(const char *text, size_t available);

#endif
