/* The hash of a message's body (RFC 6376 section 3.7), canonicalized as sections 3.4.3 and
 * 3.4.4 say.
 *
 * We do not use libopendkim's own hash: libopendkim drops a bare CR and the part of a word beyond
 * 64 KiB, reads the body only after the header has matched, and takes three times as long.
 */
#ifndef EDS_DKIM_BODY_HASH_H
#define EDS_DKIM_BODY_HASH_H

#include "functions/lib/dkim/signature.h"

struct eds_body_hash {
	uint64_t limit; /* set by the caller: the maximum number of octets to hash (l=) */
	uint8_t sha256[EDS_SHA256_BYTES];
	uint64_t length; /* octets of the canonicalized body, hashed or not */
};

/* Hashes the body for any number of signatures in one pass, so that ten signatures cost no more
 * than one. Sorts the array by limit. Lines of the body end with CRLF or LF; the last one may have
 * no line end. */
void eds_body_hash(
	const char *body, size_t length, bool relaxed, struct eds_body_hash **hashes, size_t count);

#endif
