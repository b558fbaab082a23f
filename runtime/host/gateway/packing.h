/* Compresses answers for clients that ask for it (RFC 9110 section 8.4.1.3).
 *
 *     etag: "9c1185a5c5e9fc54-gzip"
 *     content-encoding: gzip
 *     vary: Accept-Encoding
 *
 * The length of a compressed answer reveals how much of it repeats. An attacker who can place text
 * of their own beside a secret again and again, and sees the lengths, can guess the secret letter
 * by letter (BREACH). So only the JSON of functions whose manifest entry says "compress" is
 * compressed: lists and results, which contain no token, no secret and no URL with a password.
 */
#ifndef HOST_PACKING_H
#define HOST_PACKING_H

#include "runtime/buffer.h"
#include "runtime/host/http/http-head.h"

enum {
	PACKING_BYTES_MIN = 1024, /* shortest answer that is compressed; a shorter answer fits into
				   * one packet anyway */
	PACKING_BYTES_MAX = 1024 * 1024, /* longest answer that is compressed; a longer answer would
					  * delay all other requests too long */
	PACKING_KEPT_BYTES = 256 * 1024,
};

/* Appends the octets to packed as gzip; false on failure. */
typedef bool (*packing_call)(struct rt_buffer *packed, const char *bytes, size_t length);

/* True if the request asks for gzip; false if it has two Accept-Encoding fields. */
bool packing_is_asked(const struct http_head *head);

struct packing {
	packing_call pack;       /* NULL: nothing is compressed */
	struct rt_buffer fields; /* fields of the current answer */
	struct rt_buffer body;
};

void packing_init(struct packing *packing, size_t fields_max, size_t body_max);
void packing_done(struct packing *packing);

/* Replaces fields and body by those to be sent, which are borrowed until packing_rest(). Does
 * nothing if `pack` is NULL. The fields ("name: value\r\n" each) say that the answer depends on
 * Accept-Encoding. If the client asked for gzip and the answer is suitable, the body is compressed,
 * and the fields have Content-Encoding and the ETag of the compressed body. */
void packing_prepare(struct packing *packing, bool asked, int status,
	const struct rt_buffer **fields, const struct rt_buffer **body);

/* Frees the memory that was needed for a long answer. */
void packing_rest(struct packing *packing);

#endif
