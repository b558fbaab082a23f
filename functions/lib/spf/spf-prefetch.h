/* Asks DNS ahead of time for what an SPF check is going to need. */
#ifndef EDS_SPF_PREFETCH_H
#define EDS_SPF_PREFETCH_H

#include "functions/lib/spf/spf.h"

/* Asks ahead for what the evaluation of this domain will want: its TXT, and as records arrive the
 * names of their include, redirect, a, mx and exists terms without macros. Wrong guesses cost a
 * query, never a result. Bounded to EDS_SPF_TERMS_MAX names. */
void eds_spf_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

#endif
