/* UUIDv7 (RFC 9562 section 5.7). */
#ifndef RT_UUID_H
#define RT_UUID_H

#include "runtime/ctx.h"

/* A UUIDv7 (RFC 9562 section 5.7) in lower case. Those of a process sort in the order in which they
 * were made, those of several by the clock. 62 bits of it are random: a name, not a secret. */
char *rt_uuid(struct rt_ctx *ctx);

#endif
