/* Request ids: UUIDv7 (RFC 9562 section 5.7), made from random bytes that are fetched in blocks,
 * since each request needs an id. */
#ifndef HOST_REQUEST_ID_H
#define HOST_REQUEST_ID_H

#include <stdint.h>

enum {
	REQUEST_ID_MAX = 37, /* octets of an id, including the NUL */
};

/* Makes a request id. now_ms: epoch ms. */
void request_id_make(char id[REQUEST_ID_MAX], int64_t now_ms);

#endif
