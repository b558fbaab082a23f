/* The tags of a DKIM-Signature field (RFC 6376 section 3.5), read strictly and without a library.
 *
 *     v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=s1; h=from:to:subject; bh=…; b=…
 */
#ifndef EDS_DKIM_SIGNATURE_H
#define EDS_DKIM_SIGNATURE_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/mail/header.h"

/* Asks ahead for the keys of the first EDS_DKIM_SIGNATURES_MAX signatures: s._domainkey.d, where both
 * are legal names. */
void eds_dkim_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header);

#endif
