/* Several accounts may register the same domain name; each account has its own row for the name in
 * the table mta_sts. This module decides which row's policy may be served under the name: it
 * records which policy id the TXT record of the name shows, and keeps the ids of deleted rows. A
 * row becomes "proven" when the TXT record shows an id of the row. It stays proven until the record
 * shows an id of another live row of the name.
 *
 * A deleted domain may leave DNS records behind: a CNAME to the policy host and a TXT record with
 * an id of ours. The policy of another account that registers the name must not be served for these
 * records, so the ids outlive the domain by more than a year and a month: longer than any sender
 * keeps a policy (max_age is at most a year). An id of a deleted row (a past id) is stored as a
 * 63-bit digest. Collisions by chance are negligible, and nobody gains from making a collision,
 * since a past id only denies service.
 */
#ifndef EDS_STORE_MTA_STS_CLAIM_H
#define EDS_STORE_MTA_STS_CLAIM_H

#include "functions/lib/store/mta-sts/mta-sts-row.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* Keeps the policy ids of the domain as past ids, and calls eds_store_mta_sts_look_again(). To be
 * called within the transaction that deletes the domain, before the deletion. */
RT_MUST_USE rt_status eds_store_mta_sts_leave(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain);

/* To be called within the transaction in which the row of this domain starts or stops hosting, or
 * is deleted. Makes a check of the TXT record due at once for each other row with the same name
 * that is hosted here but not proven; the policy of such a row is not served before that check. */
RT_MUST_USE rt_status eds_store_mta_sts_look_again(
	struct rt_ctx *ctx, struct eds_store *store, const char *name, const char *domain_id);

/* Records, within a transaction, which id the TXT record of a name shows; id is NULL when the
 * record shows none. */
RT_MUST_USE enum eds_db_result eds_store_mta_sts_shown(
	struct eds_store *store, const char *name, const char *id);

/* Records which ids the TXT records of several names show, in a transaction of its own. Must run
 * before the policy is fetched: the fetch reaches our policy host, which asks this store which
 * policy to serve. */
RT_MUST_USE rt_status eds_store_mta_sts_look(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts_look *looks, size_t count);

/* True when recording this id would change nothing: the id is the current policy id of the row, and
 * the row is proven, not kept out, and not waiting for a check of the TXT record. */
bool eds_mta_sts_is_settled(const struct eds_mta_sts *config, const char *id);

/* Removes a limited number of policy ids whose domains were deleted more than a year and a month
 * ago. */
RT_MUST_USE rt_status eds_store_mta_sts_forget(struct rt_ctx *ctx, struct eds_store *store);

#endif
