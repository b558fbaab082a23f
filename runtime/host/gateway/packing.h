/* Answers compressed on their way to a client that asks for that (RFC 9110 section 8.4.1.3).
 *
 *     etag: "9c1185a5c5e9fc54-gzip"
 *     content-encoding: gzip
 *     vary: Accept-Encoding
 *
 * The length of a compressed answer says how much in it repeats. Who can have text of their own put
 * beside a secret, again and again, and sees the lengths, guesses the secret letter by letter
 * (BREACH). So only functions whose manifest says "compress" have JSON compressed: lists and
 * results, which hold no token, no secret and no address with a password in it.
 */
#ifndef HOST_PACKING_H
#define HOST_PACKING_H

#include "runtime/host/bytes.h"
#include "runtime/host/http/http-head.h"

enum {
	PACKING_BYTES_MIN = 1024,        /* less is one packet either way */
	PACKING_BYTES_MAX = 1024 * 1024, /* all requests wait while an answer is packed */
	PACKING_KEPT_BYTES = 256 * 1024,
};

/* Adds the octets to packed as gzip; false when that failed. */
typedef bool (*packing_call)(struct bytes *packed, const char *bytes, size_t length);

/* Whether the request asks for gzip; with two fields of Accept-Encoding it does not. */
bool packing_is_asked(const struct http_head *head);

struct packing {
	packing_call pack;   /* NULL: nothing is packed */
	struct bytes fields; /* of the answer under way */
	struct bytes body;
};

void packing_init(struct packing *packing, size_t fields_max, size_t body_max);
void packing_done(struct packing *packing);

/* Replaces both by what is to be sent, borrowed until packing_rest: fields ("name: value\r\n" each)
 * that say that the answer depends on what is asked for; where asked, and worth it, the body
 * packed, with its coding and the ETag of its octets. */
void packing_prepare(struct packing *packing, bool asked, int status, const struct bytes **fields,
	const struct bytes **body);

/* Gives back the memory that a long answer took. */
void packing_rest(struct packing *packing);

#endif
