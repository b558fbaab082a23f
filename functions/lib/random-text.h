/* Random text for names that nobody can guess and that do not repeat. */
#ifndef EDS_RANDOM_TEXT_H
#define EDS_RANDOM_TEXT_H

#include "runtime/ctx.h"

enum {
	EDS_RANDOM_BYTES_MAX = 32,
};

/* Random bytes, EDS_RANDOM_BYTES_MAX at most, in base32 (RFC 4648 section 6), in lower case and
 * without padding: 16 bytes are 26 characters. */
char *eds_random_base32(struct rt_ctx *ctx, size_t bytes);

#endif
