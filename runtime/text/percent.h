/* Percent-encoding (RFC 3986 section 2.1). */
#ifndef HOST_PERCENT_H
#define HOST_PERCENT_H

#include <stddef.h>
#include <stdint.h>

/* Escapes all but the unreserved characters and those of keep; to has room for three octets for
 * each of the text. Gives the place behind it, without a NUL. */
char *percent_encode(char *to, const char *text, const char *keep);

#define PERCENT_INVALID SIZE_MAX

/* Decodes into length octets of room; gives the octets written, or PERCENT_INVALID where a % is not
 * followed by two hexadecimal digits. */
size_t percent_decode(char *to, const char *text, size_t length);

/* The same for a query: + is a space, and a % that is no escape stays as it is. */
size_t percent_decode_query(char *to, const char *text, size_t length);

#endif
