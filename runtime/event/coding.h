/* Whether a client takes a content coding (RFC 9110 section 12.5.3).
 *
 *     Accept-Encoding: gzip, deflate, br;q=0.8
 */
#ifndef RT_CODING_H
#define RT_CODING_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a value of Accept-Encoding of so many octets asks for gzip, by its names or by "*".
 * Without one, or with one that cannot be read, the octets as they are do for everybody. */
bool rt_coding_gzip_asked(const char *field, size_t length);

#endif
