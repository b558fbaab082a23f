/* News for alerts from a check of a domain's MTA-STS: the setup broke or recovered; a mail server
 * is missing from the policy, or the policy covers all mail servers again; the certificate of a
 * mail server or of the policy host ends soon, or was renewed; the account's plan no longer
 * includes hosting. The certificates of mail servers are watched even while MTA-STS is off. */
#ifndef MTA_STS_NEWS_H
#define MTA_STS_NEWS_H

#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* Makes the news, in ctx's memory, by comparing the results of two checks. seen: the results of
 * this check. before: those of the previous check; NULL: not known. A change by the owner is not
 * trouble: a setup is reported as broken only if the previous check saw the present configuration,
 * and found it in order or got no answer from DNS. A failure of DNS is not trouble either: trouble
 * that such a failure hides is reported when DNS answers again. */
struct eds_alert_all_news mta_sts_news(struct rt_ctx *ctx, const struct eds_mta_sts_due *due,
	const struct eds_mta_sts_seen *before, const struct eds_mta_sts_seen *seen);

#endif
