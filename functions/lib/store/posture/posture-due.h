/* Domains that are due for a posture check in DNS: claims them with a lease and writes the
 * results. */
#ifndef EDS_STORE_POSTURE_DUE_H
#define EDS_STORE_POSTURE_DUE_H

#include "functions/lib/store/posture/posture.h"

/* Claims this domain, due or not. If another process is checking the domain at that moment, that
 * process can no longer write its result. RT_NOT_FOUND "domain-not-found". */
RT_MUST_USE rt_status eds_store_posture_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_posture_due *due);

/* In one transaction, writes the outcomes of the domains `done`, and claims at most `max` (0: none)
 * domains. The claimed domains are in ctx's memory. *written: how many outcomes were written within
 * their lease. */
RT_MUST_USE rt_status eds_store_posture_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_posture_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_posture_due **claimed, size_t *claimed_count);

#endif
