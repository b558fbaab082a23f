/* Compresses octets as gzip (RFC 1952), for answers being sent. */
#ifndef LOCAL_GZIP_H
#define LOCAL_GZIP_H

#include "runtime/buffer.h"

/* Appends the octets as gzip; has the type packing_call (runtime/host/gateway/packing.h). */
bool gzip_pack(struct rt_buffer *packed, const char *bytes, size_t length);

#endif
