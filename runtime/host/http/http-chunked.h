/* The chunked coding of a request body (RFC 9112 section 7.1), decoded in place and strictly:
 * sizes are 1 to 8 hexadecimal digits, lines end with CRLF, extensions and trailers are read,
 * bounded and dropped. */
#ifndef HOST_HTTP_CHUNKED_H
#define HOST_HTTP_CHUNKED_H

#include "runtime/host/http/http-head.h"

enum {
	HTTP_CHUNK_LINE_MAX = 256,    /* a size with its extensions, or a trailer field */
	HTTP_CHUNK_TRAILERS_MAX = 16, /* lines */
};

struct http_chunked {
	enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER } state;
	size_t max;      /* octets of body that are taken */
	size_t left;     /* octets of the chunk still to come */
	size_t decoded;  /* octets of the body so far */
	size_t trailers; /* lines so far */
	struct http_refusal refusal;
};

void http_chunked_init(struct http_chunked *chunked, size_t max);

/* Goes on in the bytes, which hold `decoded` octets of body followed by what has been received
 * since; *length is the length of both. Decoded octets are moved down, so that afterwards the body
 * lies at the start and what is not yet read, or belongs to the next request, follows it; *length
 * shrinks by what was dropped. */
enum http_result http_chunked_decode(struct http_chunked *chunked, char *bytes, size_t *length);

#endif
