/* The header fields that one signature covers (RFC 6376 sections 3.4, 3.7, 5.4.2), in a form that
 * the library, libopendkim, cannot misread.
 *
 * The library gets the signature itself and then the fields that h= selects, in the order of the
 * header. For relaxed canonicalization the fields are already canonicalized, which does not change
 * the hash; so the library's own errors with white space have no effect.
 */
#ifndef EDS_DKIM_FEED_H
#define EDS_DKIM_FEED_H

#include "functions/lib/dkim/signature.h"

enum {
	EDS_FEED_NAMES_BYTES_MAX = 4000, /* maximum number of octets of h=; the library's buffer
					  * holds 4095 */
	EDS_FEED_IDENTITY_MAX = 255, /* maximum number of octets of i=; beyond 256 the library reads
				      * out of bounds */
};

struct eds_feed_field {
	const char *text; /* "Name: value", with CRLF between lines but not at the end */
	size_t length;
};

struct eds_feed {
	struct eds_feed_field *fields; /* the fields in order; the first is the DKIM-Signature
					* field */
	size_t count;
	size_t bytes;
	const char *limit; /* a sentence that says why the library must not get the fields; "" if it
			    * may */
};

#endif
