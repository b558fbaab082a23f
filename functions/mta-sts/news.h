/* What alerts are told of a check of a domain's MTA-STS: that what was in order is not any more, or
 * is again; that a mail server is not in the policy, or all are again; and, MTA-STS on or off, that
 * the certificate of a mail server or of the policy host comes to its end, or does not any more. */
#ifndef MTA_STS_NEWS_H
#define MTA_STS_NEWS_H

#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* Of due, what the check before saw (NULL: nothing is known of it) and what was seen; in ctx's
 * memory. What its owner has changed since the check before is no trouble: only when a check saw it
 * in order as it is configured now can it break. Nor is it that DNS gives no answer: what that hid
 * is told when there are answers again. */
struct eds_alert_all_news mta_sts_news(struct rt_ctx *ctx, const struct eds_mta_sts_due *due,
	const struct eds_mta_sts_seen *before, const struct eds_mta_sts_seen *seen);

#endif
