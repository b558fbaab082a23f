/* The hash of a message's body (RFC 6376 section 3.7, canonicalised after 3.4.3 and 3.4.4).
 *
 * Ours and not the library's: that one drops a CR that ends no line and what is beyond 64 KiB of a
 * word, looks at the body only once the header has matched, and takes three times as long.
 */
#ifndef EDS_DKIM_BODY_HASH_H
#define EDS_DKIM_BODY_HASH_H

#include "functions/lib/dkim/signature.h"

struct eds_body_hash {
	uint64_t limit; /* set before: hashes so many octets at most (l=) */
	uint8_t sha256[EDS_SHA256_BYTES];
	uint64_t length; /* octets of the canonicalised body, hashed or not */
};

/* Hashes for any number of signatures in one pass, so that ten of them cost what one costs; sorts
 * the array by limit. Lines of the body end with CRLF or LF, the last one need not end. */
void eds_body_hash(
	const char *body, size_t length, bool relaxed, struct eds_body_hash **hashes, size_t count);

#endif
