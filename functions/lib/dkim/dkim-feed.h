/* The header fields that one signature covers (RFC 6376 sections 3.4, 3.7, 5.4.2), in a form that
 * the library cannot misread.
 *
 * The library gets only the fields that h= selects, in their order, after the signature itself. For
 * relaxed canonicalization they are already canonicalized; this does not change the hash, and the
 * library's own errors with white space have no effect.
 */
#ifndef EDS_DKIM_FEED_H
#define EDS_DKIM_FEED_H

#include "functions/lib/dkim/signature.h"

enum {
	EDS_FEED_NAMES_BYTES_MAX = 4000, /* of h=; the library's buffer holds 4095 octets */
	EDS_FEED_IDENTITY_MAX = 255, /* of i=; beyond 256 octets the library reads out of bounds */
};

struct eds_feed_field {
	const char *text; /* "Name: value", lines ending with CRLF, none at the end */
	size_t length;
};

struct eds_feed {
	struct eds_feed_field *fields; /* the first is the signature */
	size_t count;
	size_t bytes;
	const char *limit; /* "" or the reason why the library must not get it, a sentence */
};

#endif
