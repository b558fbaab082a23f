/* The outcome of the check of a claimed domain, for the checks that run every minute and for a
 * check on request. */
#ifndef POSTURE_OUTCOME_H
#define POSTURE_OUTCOME_H

#include "functions/lib/posture/posture.h"
#include "functions/lib/store/posture/posture.h"

enum {
	/* The next check is due this much before its full interval has passed. A run begins with
	 * each minute, and a check ends some seconds later. Counted from that end, the full
	 * interval would be over just after a run has begun, and the domain would wait for the next
	 * run. */
	POSTURE_EARLY_MS = 15 * 1000,
};

/* Gives the data that a check of the domain needs at its beginning, in ctx's memory. hours: the
 * result of eds_address_uses(). */
struct eds_posture_question posture_question(struct rt_ctx *ctx, const struct eds_posture_due *due,
	const struct eds_address_hours *hours);

/* Sets the outcome in due, in ctx's memory; the caller then writes it. The domain is due again in
 * six hours; in one hour while something is wrong; in five minutes when DNS did not answer about
 * something that was known before, or about a selector that may exist. If a part of the check was
 * postponed because the account had reached its hourly limit of questions to a name server, the
 * pause of six hours or one hour is shortened at random by up to a fourth. Without this, the limit
 * would always postpone the same domains.
 *
 * Returns false when DNS did not answer about an item that counts for the state of the domain. */
bool posture_settle(
	struct rt_ctx *ctx, struct eds_posture_due *due, const struct eds_posture *look);

#endif
