/* Percent-encoding (RFC 3986 section 2.1). */
#ifndef HOST_PERCENT_H
#define HOST_PERCENT_H

#include <stddef.h>
#include <stdint.h>

/* Escapes all characters except the unreserved ones and those in keep. `to` must have room for
 * three octets for each octet of text. Writes no NUL; returns the end. */
char *percent_encode(char *to, const char *text, const char *keep);

#define PERCENT_INVALID SIZE_MAX

/* Decodes the text. `to` must have room for length octets. Returns the number of octets written, or
 * PERCENT_INVALID when a % is not followed by two hexadecimal digits. */
size_t percent_decode(char *to, const char *text, size_t length);

/* Decodes the text of a query: + becomes a space, and a % that begins no escape stays unchanged. */
size_t percent_decode_query(char *to, const char *text, size_t length);

#endif
