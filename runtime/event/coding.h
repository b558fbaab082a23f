/* Finds out whether a client accepts a content coding (RFC 9110 section 12.5.3).
 *
 *     Accept-Encoding: gzip, deflate, br;q=0.8 */
#ifndef RT_CODING_H
#define RT_CODING_H

#include <stdbool.h>
#include <stddef.h>

/* True if the Accept-Encoding value of length octets asks for gzip, by name or by "*". An element
 * that cannot be parsed does not ask for it. False if there is no value: then the answer is not
 * compressed. */
bool rt_coding_gzip_asked(const char *field, size_t length);

#endif
