/* Compresses octets as gzip (RFC 1952), for answers being sent. */
#ifndef LOCAL_GZIP_H
#define LOCAL_GZIP_H

#include "runtime/host/bytes.h"

/* A packing_call (runtime/host/gateway/packing.h). */
bool gzip_pack(struct bytes *packed, const char *bytes, size_t length);

#endif
