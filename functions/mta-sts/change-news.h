/* What alerts are told of changes of a domain's MTA-STS configuration that may stop mail or end
 * what protects it: by its owner, or because the plan does not include hosting any more.
 */
#ifndef MTA_STS_CHANGE_NEWS_H
#define MTA_STS_CHANGE_NEWS_H

#include "functions/lib/alert/news.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* Switched off while senders may still enforce the policy that they fetched; or on again. */
struct eds_alert_all_news mta_sts_switch_news(
	struct rt_ctx *ctx, const struct eds_mta_sts *before, const struct eds_mta_sts *after);

/* The policy has left enforce, or is hosted no more, because of the plan. */
struct eds_alert_all_news mta_sts_ending_news(
	struct rt_ctx *ctx, const struct eds_mta_sts *before, const struct eds_mta_sts *after);

/* Until when hosting goes on; told by each check, and sent once. */
struct eds_alert_said mta_sts_hosting_said(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, int64_t now_ms);

#endif
