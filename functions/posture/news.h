/* News for alerts from a check of a domain's mail setup: every item that changed, and a DMARC
 * policy that became weaker. */
#ifndef POSTURE_NEWS_H
#define POSTURE_NEWS_H

#include "functions/lib/posture/posture.h"
#include "functions/lib/store/posture/posture.h"

/* The news of the changes in due, in ctx's memory. look: the result of the check, with the advice
 * and the current policy. */
struct eds_alert_all_news posture_news(
	struct rt_ctx *ctx, const struct eds_posture_due *due, const struct eds_posture *look);

#endif
