/* News for alerts about changes of a domain's MTA-STS configuration that may stop the domain's mail
 * or end its protection: changes by the owner, and changes because the plan no longer includes
 * hosting.
 */
#ifndef MTA_STS_CHANGE_NEWS_H
#define MTA_STS_CHANGE_NEWS_H

#include "functions/lib/alert/news.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* The news that MTA-STS was switched off while senders may still enforce the policy that they
 * fetched, or that MTA-STS was switched on again. */
struct eds_alert_all_news mta_sts_switch_news(
	struct rt_ctx *ctx, const struct eds_mta_sts *before, const struct eds_mta_sts *after);

/* The news that, because of the plan, the policy has left mode enforce or is no longer hosted. */
struct eds_alert_all_news mta_sts_ending_news(
	struct rt_ctx *ctx, const struct eds_mta_sts *before, const struct eds_mta_sts *after);

/* The message that names the date on which hosting ends. Every check of a domain whose hosting ends
 * makes this message; alerts send it only once.
 */
struct eds_alert_said mta_sts_hosting_said(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, int64_t now_ms);

#endif
