/* HMAC-SHA256 (RFC 2104) without a cryptographic library: it allocates nothing, so it cannot fail.
 */
#ifndef RT_HMAC_H
#define RT_HMAC_H

#include <stddef.h>
#include <stdint.h>

enum { RT_HMAC_BYTES = 32 };

/* Writes the HMAC of the text to out. The key may have any length, and may be in the same memory as
 * out. */
void rt_hmac(const void *key, size_t key_length, const char *text, uint8_t out[RT_HMAC_BYTES]);

#endif
