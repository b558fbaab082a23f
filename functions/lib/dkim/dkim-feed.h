/* What of a message's header one signature covers (RFC 6376 sections 3.4, 3.7, 5.4.2), in a form in
 * which the library cannot take it for something else.
 *
 * Only the fields that h= selects are fed, in their order, the signature itself first. For relaxed
 * canonicalisation they are canonicalised already, which does not change what is hashed and leaves
 * the library's own ways with white space without effect.
 */
#ifndef EDS_DKIM_FEED_H
#define EDS_DKIM_FEED_H

#include "functions/lib/dkim/signature.h"

enum {
	EDS_FEED_NAMES_BYTES_MAX = 4000, /* of h=; the library holds 4095 octets of it */
	EDS_FEED_IDENTITY_MAX = 255,     /* of i=; the library reads beyond 256 */
};

struct eds_feed_field {
	const char *text; /* "Name: value", lines ending with CRLF, none at the end */
	size_t length;
};

struct eds_feed {
	struct eds_feed_field *fields; /* the first is the signature */
	size_t count;
	size_t bytes;
	const char *limit; /* "" or why the library must not see it: a sentence */
};

#endif
