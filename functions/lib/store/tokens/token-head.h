/* The text by which a token's row is found: the first digits of the token's digest, with a mark
 * before them if the token has limits. Only the files of this folder include this header. */
#ifndef EDS_STORE_TOKEN_HEAD_H
#define EDS_STORE_TOKEN_HEAD_H

#include "runtime/ctx.h"

const char *eds_token_head(struct rt_ctx *ctx, const char *digest);
const char *eds_token_limited_head(struct rt_ctx *ctx, const char *digest);

#endif
