/* The chunked coding of a request body (RFC 9112 section 7.1), decoded in place and strictly: sizes
 * are 1 to 8 hexadecimal digits, lines end with CRLF; extensions and trailers are checked, limited
 * and dropped. */
#ifndef HOST_HTTP_CHUNKED_H
#define HOST_HTTP_CHUNKED_H

#include "runtime/host/http/http-head.h"

enum {
	/* maximum length of a line, octets: a size with its extensions, or a trailer field */
	HTTP_CHUNK_LINE_MAX = 256,
	HTTP_CHUNK_TRAILERS_MAX = 16, /* maximum number of trailer lines */
};

struct http_chunked {
	enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER } state;
	size_t max;      /* maximum length of the decoded body, octets */
	size_t left;     /* octets of the chunk still to come */
	size_t decoded;  /* octets of the body decoded so far */
	size_t trailers; /* number of trailer lines so far */
	struct http_refusal refusal;
};

void http_chunked_init(struct http_chunked *chunked, size_t max);

/* Continues decoding. `bytes` has the octets of the body decoded so far (`decoded`), then octets
 * that are not decoded yet; *length is the number of both. Decodes in place: afterwards `bytes`
 * begins with the body so far, followed by octets that are not yet decoded or belong to the next
 * request, and *length is reduced by the number of dropped octets. */
enum http_result http_chunked_decode(struct http_chunked *chunked, char *bytes, size_t *length);

#endif
