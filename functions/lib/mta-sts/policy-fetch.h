/* Decides when the policies of a run are fetched.
 *
 * - The first fetch of a policy that this service hosts makes the policy host order a certificate.
 *   Issuers limit the rate of orders, so these policies are fetched one after another.
 * - Other policies of our own policy host are fetched at once.
 * - The owner of a domain chooses the server of any other policy, so the connections to an address
 *   are limited (addresses.h). A policy that has to wait too long, or whose account has made as
 *   many connections to an address in this hour as it may, is postponed: it is not fetched in this
 *   run. */
#ifndef EDS_MTA_STS_POLICY_FETCH_H
#define EDS_MTA_STS_POLICY_FETCH_H

#include "functions/lib/mta-sts/addresses.h"
#include "functions/lib/mta-sts/check.h"

struct eds_policy_fetches;

/* Makes the schedule of a run, in ctx's memory. `postponed` is called for each check whose fetch is
 * postponed; seen.postponed_ms of the check is then set. */
struct eds_policy_fetches *eds_policy_fetches_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher,
	const struct eds_address_hours *hours, void (*postponed)(struct eds_check *check));

/* Begins check->fetch, lets it wait, or postpones it. ours: the fetch leads to our own policy
 * host. */
void eds_policy_fetch_add(struct eds_policy_fetches *fetches, struct eds_check *check, bool ours);

/* To be called when check->fetch is done. If the fetch failed before TLS began with a server, also
 * ends, with the same result, each waiting fetch that has the same addresses. Without this, the
 * many names of a server that is down would wait for one another until they are postponed. */
void eds_policy_fetch_end(struct eds_policy_fetches *fetches, struct eds_check *check,
	const struct eds_fetched *fetched);

/* Begins the fetches that may begin now. Returns the longest time that may pass until the next
 * call, in milliseconds and at most max_ms. */
int eds_policy_fetches_turn(struct eds_policy_fetches *fetches, int max_ms);

/* Postpones the fetches that wait for a place at an address, and begins the next of the policies
 * that are fetched one after another. */
void eds_policy_fetches_cancel(struct eds_policy_fetches *fetches);

#endif
