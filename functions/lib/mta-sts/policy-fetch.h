/* When the policies of a run are fetched. The first fetch of a policy that this service hosts makes
 * the policy host order a certificate, and issuers limit the rate, so these are fetched one after
 * another. Other policies of our own policy host are fetched at once. The owner of a domain chooses
 * where any other policy is fetched from, so the connections to an address are limited
 * (addresses.h): a policy that has to wait too long, or whose account has used up its hour, is not
 * fetched in this run. */
#ifndef EDS_MTA_STS_POLICY_FETCH_H
#define EDS_MTA_STS_POLICY_FETCH_H

#include "functions/lib/mta-sts/addresses.h"
#include "functions/lib/mta-sts/check.h"

struct eds_policy_fetches;

/* postponed: called for a check whose policy is not fetched; its seen.postponed_ms is set. */
struct eds_policy_fetches *eds_policy_fetches_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher,
	const struct eds_address_hours *hours, void (*postponed)(struct eds_check *check));

/* Begins check->fetch, lets it wait, or postpones it. ours: it leads to our own policy host. */
void eds_policy_fetch_add(struct eds_policy_fetches *fetches, struct eds_check *check, bool ours);

/* To be called when check->fetch is done. */
void eds_policy_fetch_end(struct eds_policy_fetches *fetches, struct eds_check *check);

/* Begins what may begin now; returns for how many milliseconds, max_ms at most, the caller may wait
 * until the next call. */
int eds_policy_fetches_turn(struct eds_policy_fetches *fetches, int max_ms);

/* Postpones what waits for an address, and begins the next fetch that waits for a certificate. */
void eds_policy_fetches_cancel(struct eds_policy_fetches *fetches);

#endif
