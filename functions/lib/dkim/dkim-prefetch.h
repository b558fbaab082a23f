/* Sends the DNS questions for the keys of a message's signatures before the keys are needed. This
 * file is separate from signature.c, so that the sandbox's helper is linked without the
 * resolver. */
#ifndef EDS_DKIM_DKIM_PREFETCH_H
#define EDS_DKIM_DKIM_PREFETCH_H

#include "functions/lib/dkim/signature.h"

/* Sends the questions for the keys of the first EDS_DKIM_SIGNATURES_MAX signatures, at
 * s._domainkey.d if s= and d= are legal names, and does not wait. */
void eds_dkim_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header);

#endif
