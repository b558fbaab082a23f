/* Who may serve a name: what its TXT record shows, and the ids of those that are gone.
 *
 * A domain that is deleted leaves its DNS records behind, a CNAME to the policy host and a TXT
 * record with an id of ours. Another account that takes the name must not be served under them, so
 * the ids outlive the domain, for a year and a month: longer than any receiver keeps a policy
 * (max_age, at most a year). A past id is a number of 63 bits. Two of them are never alike by
 * chance, and nobody gains by making them so, since a past id serves nobody.
 */
#ifndef EDS_STORE_MTA_STS_CLAIM_H
#define EDS_STORE_MTA_STS_CLAIM_H

#include "functions/lib/store/mta-sts/mta-sts-row.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* Within the transaction that deletes the domain, before it does: its ids are kept as past ones. */
RT_MUST_USE rt_status eds_store_mta_sts_leave(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain);

/* Within the transaction in which a row of the name stops to host it, or begins to: nobody else is
 * served until the TXT record is looked at again, but the proven one. */
RT_MUST_USE rt_status eds_store_mta_sts_look_again(
	struct rt_ctx *ctx, struct eds_store *store, const char *name, const char *domain_id);

/* What the TXT record of a name shows (eds_store_mta_sts_look), within a transaction. */
RT_MUST_USE enum eds_db_result eds_store_mta_sts_shown(
	struct eds_store *store, const char *name, const char *id);

/* Writes what was seen, before the policy is fetched: the fetch asks this store whom to serve. */
RT_MUST_USE rt_status eds_store_mta_sts_look(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts_look *looks, size_t count);

/* Whether a look at this id would change nothing: the row is proven by its current one. */
bool eds_mta_sts_is_settled(const struct eds_mta_sts *config, const char *id);

/* Forgets some ids whose domains were deleted more than a year and a month ago. */
RT_MUST_USE rt_status eds_store_mta_sts_forget(struct rt_ctx *ctx, struct eds_store *store);

#endif
