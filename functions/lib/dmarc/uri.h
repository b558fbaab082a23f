/* The addresses of rua= and ruf=: URIs (RFC 3986) with commas between them (RFC 9989 section 4.7).
 */
#ifndef EDS_DMARC_URI_H
#define EDS_DMARC_URI_H

#include "functions/lib/dmarc/discover.h"

/* True when the value of rua or ruf has a valid URI. Warns of unusual and invalid ones. */
bool eds_dmarc_uris_check(
	struct rt_ctx *ctx, const char *value, size_t length, struct eds_findings *warnings);

#endif
