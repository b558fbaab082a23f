/* Finds policies for the policy host, which knows only the name of a domain, not the account. */
#ifndef EDS_STORE_MTA_STS_SERVED_H
#define EDS_STORE_MTA_STS_SERVED_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* Finds the policy of the row that is enabled, hosted here, and may serve the name. Several
 * accounts may have registered the same domain name, and an account may register a name that
 * another account has deleted while the DNS records of the name still point here. So the TXT record
 * decides, as the latest check saw it (eds_store_mta_sts_look):
 *
 *     it shows an id of a live row            the policy of that row
 *     it shows an id of a deleted row         no policy, for a year and a month after the deletion
 *     it is absent, or its id was never       the policy of the row that was proven last; if there
 *     issued here for this name               is no such row, of the only hosted row of the name
 *     it has not been checked yet             no policy
 *
 * RT_NOT_FOUND "policy-not-found".
 */
RT_MUST_USE rt_status eds_store_mta_sts_served(struct rt_ctx *ctx, struct eds_store *store,
	const char *name, struct eds_mta_sts_served *served);

/* Allows a certificate for the served name. The plan of the account limits the number of names for
 * which the account may get certificates in an hour; a name counts only once an hour. RT_LIMIT
 * "too-many-certificates". */
RT_MUST_USE rt_status eds_store_mta_sts_certificate(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_mta_sts_served *served);

#endif
