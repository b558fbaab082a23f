/* Policies as the policy host asks for them: by the name of the domain, whoever holds it. */
#ifndef EDS_STORE_MTA_STS_SERVED_H
#define EDS_STORE_MTA_STS_SERVED_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* The policy of the row that is enabled, hosted here, and may serve the name. Several accounts may
 * hold a name, and one may hold what another has left, its DNS records still pointing here; so the
 * TXT record decides, as a check saw it last (eds_store_mta_sts_look):
 *
 *     it shows an id of a live row            that row alone
 *     it shows an id of a deleted row         nobody, for a year and a month after the deletion
 *     it is absent, or its id was never       the row proven last, while it lives, else the only
 *     issued here for this name               one that hosts the name
 *     nobody looked yet                       nobody
 *
 * RT_NOT_FOUND "policy-not-found". */
RT_MUST_USE rt_status eds_store_mta_sts_served(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, struct eds_mta_sts_served *served);

/* The right to a certificate for what is served. The plan of its account says how many names may
 * get one in an hour; the same name again within the hour counts once. RT_LIMIT
 * "too-many-certificates". */
RT_MUST_USE rt_status eds_store_mta_sts_certificate(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_mta_sts_served *served);

#endif
