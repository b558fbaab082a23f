/* Sends the DNS questions of an SPF check before their answers are needed. */
#ifndef EDS_SPF_PREFETCH_H
#define EDS_SPF_PREFETCH_H

#include "functions/lib/spf/spf.h"

/* Sends the questions for the records that the evaluation of this domain will need, and does not
 * wait: for its TXT record and, as records arrive, for the names of their include, redirect, a, mx
 * and exists terms without macros. A wrong guess costs a query but never changes a result. Limited
 * to EDS_SPF_TERMS_MAX names. */
void eds_spf_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

#endif
