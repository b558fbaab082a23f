/* News for alerts from a check of a domain's MTA-STS: the setup broke or recovered; a mail server
 * is missing from the policy, or no longer is; the certificate of a mail server or of the policy
 * host ends soon, or no longer does. The certificates are watched even while MTA-STS is off. */
#ifndef MTA_STS_NEWS_H
#define MTA_STS_NEWS_H

#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* Compares the results of this check (seen) with those of the check before it (before; NULL: not
 * known); the news is in ctx's memory. A change by the owner is not trouble: a setup breaks only
 * after a check found the present configuration in order. A failure of DNS is not trouble either:
 * if it hides trouble, that is reported when DNS answers again. */
struct eds_alert_all_news mta_sts_news(struct rt_ctx *ctx, const struct eds_mta_sts_due *due,
	const struct eds_mta_sts_seen *before, const struct eds_mta_sts_seen *seen);

#endif
