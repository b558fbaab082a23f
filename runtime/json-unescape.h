/* The text of a JSON string (RFC 8259 section 7): "a\\u00e9" is a\xc3\xa9. */
#ifndef RT_JSON_UNESCAPE_H
#define RT_JSON_UNESCAPE_H

#include <stddef.h>

/* Writes what stands between the quotes to where there is room for as many octets: no escape is
 * shorter than what it stands for. Gives the end of what was written, not terminated; NULL when an
 * escape is none or a surrogate stands alone. */
char *rt_json_unescape(char *to, const char *text, size_t length);

#endif
