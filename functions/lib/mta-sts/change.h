/* The consequences of a change of an MTA-STS configuration: the new policy id, and how long senders
 * may continue to use a policy that they fetched earlier. The store gets both from here. */
#ifndef EDS_MTA_STS_CHANGE_H
#define EDS_MTA_STS_CHANGE_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* The time until which senders may enforce the policy that is served now, or an earlier one. A
 * sender keeps a policy for the max_age that the policy had when the sender fetched it (RFC 8461
 * section 3.2). The latest possible time of that fetch is now. */
int64_t eds_mta_sts_enforced_until_ms(const struct eds_mta_sts *config, int64_t now_ms);

/* `before` and `after` are the configuration before and after a change. Sets those members of
 * `after` that follow from the change, such as the policy id; sets nothing when enabled, mode,
 * max_age_s, patterns and hosted are the same in both. */
void eds_mta_sts_change(struct rt_ctx *ctx, const struct eds_mta_sts *before,
	struct eds_mta_sts *after, int64_t now_ms);

/* Updates the stored configuration by eds_store_mta_sts_update(). The edit may change only enabled,
 * mode, max_age_s, patterns, hosted and news; after it, and before the store writes the result, the
 * members that depend on these are set. */
RT_MUST_USE rt_status eds_mta_sts_update(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, eds_mta_sts_edit edit, void *arg,
	struct eds_mta_sts *after);

#endif
