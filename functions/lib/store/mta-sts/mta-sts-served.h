/* Policies for the policy host, which asks by the name of the domain, not by account. */
#ifndef EDS_STORE_MTA_STS_SERVED_H
#define EDS_STORE_MTA_STS_SERVED_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* Finds the policy of the row that is enabled, hosted here, and may serve the name. Several
 * accounts may have the same name, and an account may register a name that another has left while
 * its DNS records still point here. So the TXT record decides, as the latest check saw it
 * (eds_store_mta_sts_look):
 *
 *     it shows an id of a live row            that row alone
 *     it shows an id of a deleted row         nobody, for a year and a month after the deletion
 *     it is absent, or its id was never       the row proven last, while it lives, else the only
 *     issued here for this name               one that hosts the name
 *     nobody looked yet                       nobody
 *
 * RT_NOT_FOUND "policy-not-found".
 */
RT_MUST_USE rt_status eds_store_mta_sts_served(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, struct eds_mta_sts_served *served);

/* Allows a certificate for the served name. The plan of the account limits for how many names the
 * account may get certificates in an hour; the same name counts once within the hour. RT_LIMIT
 * "too-many-certificates". */
RT_MUST_USE rt_status eds_store_mta_sts_certificate(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_mta_sts_served *served);

#endif
