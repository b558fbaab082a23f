/* UUIDv7 (RFC 9562 section 5.7). */
#ifndef RT_UUID_H
#define RT_UUID_H

#include "runtime/ctx.h"

/* A UUIDv7 (RFC 9562 section 5.7) in lower case. UUIDs of one process sort in the order in which
 * they were made; UUIDs of several processes sort by their clocks. Only 62 bits are random, so a
 * UUID is a name, not a secret. */
char *rt_uuid(struct rt_ctx *ctx);

#endif
