/* Asks DNS ahead of time for the keys of a message's signatures. Separate from signature.c, so that
 * the sandbox's helper is linked without the resolver. */
#ifndef EDS_DKIM_DKIM_PREFETCH_H
#define EDS_DKIM_DKIM_PREFETCH_H

#include "functions/lib/dkim/signature.h"

/* Asks ahead for the keys of the first EDS_DKIM_SIGNATURES_MAX signatures: s._domainkey.d, where
 * both are legal names. */
void eds_dkim_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header);

#endif
