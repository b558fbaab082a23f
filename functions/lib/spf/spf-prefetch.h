/* Sends the DNS questions of an SPF check before their answers are needed. */
#ifndef EDS_SPF_PREFETCH_H
#define EDS_SPF_PREFETCH_H

#include "functions/lib/spf/spf.h"

/* Sends the questions that the evaluation of this domain will probably need, and does not wait.
 * Asks for the domain's TXT record. When an SPF record arrives, asks for the names of its include,
 * redirect, a, mx and exists terms without macros, for EDS_SPF_TERMS_MAX terms at most. Asks also
 * for the addresses of the mail servers that its mx terms lead to. A needless question costs a
 * query but never changes a result. */
void eds_spf_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

#endif
