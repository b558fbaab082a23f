/* UTF-8 (RFC 3629), for untrusted text. */
#ifndef RT_UTF8_H
#define RT_UTF8_H

#include "runtime/buffer.h"

/* U+FFFD, which replaces octets that are not text. */
#define RT_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* The length of the well-formed character at the start of text, octets; 0 when there is none.
 * Overlong forms, surrogates and code points above U+10FFFF are not well-formed. */
size_t rt_utf8_length(const char *text, size_t available);

/* True if the text is well-formed and has no NUL, which JSON parsers and databases refuse. */
bool rt_utf8_is_text(const char *text, size_t length);

/* The code point of a well-formed character of this length. */
uint32_t rt_utf8_code(const char *text, size_t length);

/* True if this code point could deceive a reader or control a terminal: controls (C0, DEL, C1),
 * direction marks (Unicode UAX 9) and the two line separators of Unicode. */
bool rt_utf8_is_harmful(uint32_t code);

/* Appends the text; each octet that rt_utf8_is_text() refuses becomes U+FFFD. */
void rt_utf8_add(struct rt_buffer *out, const char *text, size_t length);

#endif
