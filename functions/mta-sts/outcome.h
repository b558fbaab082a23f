/* The outcome of a check of a claimed domain, for the checks that run every minute and for a check
 * on request. */
#ifndef MTA_STS_OUTCOME_H
#define MTA_STS_OUTCOME_H

#include "functions/lib/mta-sts/check.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

enum {
	/* After a temporary failure, an earlier outcome is kept if it is younger than this. */
	MTA_STS_KEPT_MS = 3600 * 1000,
};

/* Sets up *check for a claimed domain: its configuration and, in `before`, the evidence kept from
 * the previous check, such as the results of the mail servers. `before` is NULL if there is no such
 * evidence, or if it cannot be read. The caller then sets done, looked and arg. All that this
 * function allocates is in ctx's memory. */
void mta_sts_prepare(
	struct rt_ctx *ctx, const struct eds_mta_sts_due *due, struct eds_check *check);

/* Sets the outcome in due, which is then to be written. cut_short: time ran out before the check
 * had learnt everything. */
void mta_sts_settle(struct eds_mta_sts_due *due, const struct eds_check *check, bool cut_short);

#endif
