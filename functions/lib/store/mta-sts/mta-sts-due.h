/* Domains whose MTA-STS setup is due for a check: claims them with a lease and writes the
 * results. */
#ifndef EDS_STORE_MTA_STS_DUE_H
#define EDS_STORE_MTA_STS_DUE_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* Claims this domain, due or not. RT_NOT_FOUND "domain-not-found". */
RT_MUST_USE rt_status eds_store_mta_sts_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_mta_sts_due *due);

/* In one transaction, writes the outcomes of one batch, with the times of the next checks, and
 * claims the next batch of at most max. The claimed items are in ctx's memory. *written: how many
 * outcomes were written within their lease. */
RT_MUST_USE rt_status eds_store_mta_sts_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_mta_sts_due **claimed, size_t *claimed_count);

#endif
