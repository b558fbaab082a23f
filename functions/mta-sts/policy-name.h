/* The name that a policy is asked for under: mta-sts.DOMAIN (RFC 8461 section 3.3). */
#ifndef EDS_MTA_STS_POLICY_NAME_H
#define EDS_MTA_STS_POLICY_NAME_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* What is served under a host like "mta-sts.example.com", in either case, perhaps with a final dot.
 * RT_NOT_FOUND "policy-not-found" for every host that is not exactly an enabled, hosted domain's.
 */
RT_MUST_USE rt_status policy_find(struct rt_ctx *ctx, struct eds_store *store, const char *host,
	struct eds_mta_sts_served *served);

#endif
