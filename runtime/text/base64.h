/* Base64 (RFC 4648 section 4) without a cryptographic library, so that small functions start
 * faster. */
#ifndef RT_BASE64_H
#define RT_BASE64_H

#include "runtime/ctx.h"

/* Decodes strictly: with padding, without white space. NULL when the text is not base64. A NUL
 * follows the bytes. */
char *rt_base64_decode(struct rt_ctx *ctx, const char *text, size_t length, size_t *bytes);

char *rt_base64_encode(struct rt_ctx *ctx, const void *bytes, size_t length);

/* Decodes strictly into out, which has room for at least length / 4 * 3 bytes and may be the text
 * itself. False when the text is not base64. */
bool rt_base64_read(const char *text, size_t length, char *out, size_t *bytes);

/* Writes (length + 2) / 3 * 4 characters and no NUL. */
void rt_base64_write(const void *bytes, size_t length, char *out);

#endif
