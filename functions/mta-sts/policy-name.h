/* The host name under which senders fetch a policy: mta-sts.DOMAIN (RFC 8461 section 3.3). */
#ifndef EDS_MTA_STS_POLICY_NAME_H
#define EDS_MTA_STS_POLICY_NAME_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* Finds the policy served for a host like "mta-sts.example.com", in any case, with or without a
 * final dot. RT_NOT_FOUND "policy-not-found" unless the host is exactly the policy host of a domain
 * whose policy may be served now (eds_store_mta_sts_served()). */
RT_MUST_USE rt_status policy_find(struct rt_ctx *ctx, struct eds_store *store, const char *host,
	struct eds_mta_sts_served *served);

#endif
