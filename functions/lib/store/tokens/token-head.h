/* The key of a token's row: the first digits of its digest, with a mark before them for a token
 * with limits. Only the files of this folder include this header. */
#ifndef EDS_STORE_TOKEN_HEAD_H
#define EDS_STORE_TOKEN_HEAD_H

#include "runtime/ctx.h"

const char *eds_token_head(struct rt_ctx *ctx, const char *digest);
const char *eds_token_limited_head(struct rt_ctx *ctx, const char *digest);

#endif
