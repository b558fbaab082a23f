/* What becomes of a claimed domain, given what its check saw: shared by the minute's checks and the
 * check on request. */
#ifndef MTA_STS_OUTCOME_H
#define MTA_STS_OUTCOME_H

#include "functions/lib/mta-sts/check.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

enum {
	/* A failure that may pass keeps what was seen before, for so long. */
	MTA_STS_KEPT_MS = 3600 * 1000,
};

/* Sets up the check of a claimed domain, with what the one before learnt of its mail servers, but
 * for done and arg. JSON is made in ctx's memory. */
void mta_sts_prepare(
	struct rt_ctx *ctx, const struct eds_mta_sts_due *due, struct eds_check *check);

/* The outcome to write. cut_short: our time was over before all was learnt. */
void mta_sts_settle(struct eds_mta_sts_due *due, const struct eds_check *check, bool cut_short);

#endif
