/* What becomes of a claimed domain, given what a look at it saw: shared by the minute's looks and
 * the look on request. */
#ifndef POSTURE_OUTCOME_H
#define POSTURE_OUTCOME_H

#include "functions/lib/posture/posture.h"
#include "functions/lib/store/posture/posture.h"

enum {
	/* Times of next looks are that much early: runs begin with the minute, looks end some
	 * seconds into it. */
	POSTURE_EARLY_MS = 15 * 1000,
};

/* What to ask about it. */
struct eds_posture_question posture_question(struct rt_ctx *ctx, const struct eds_posture_due *due);

/* The outcome to write, in ctx's memory: due again in six hours, in one while something is wrong,
 * in five minutes when DNS gave no answer to something that was known before. */
void posture_settle(
	struct rt_ctx *ctx, struct eds_posture_due *due, const struct eds_posture *look);

#endif
