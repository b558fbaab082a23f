/* The contents of a weekly summary, as the outbox stores them:
 *
 *     {"type": "weekly-summary", "timestamp": "2026-01-05T07:00:03Z",
 *      "data": {"domains": {"all": 12, "broken": 1, "weak": 3, "well": 8},
 *               "mail": {"to": "2026-01-03", "messages": 1200, "failed": 30, "percent": "2.5 %",
 *                        "earlierPercent": "1.0 %"},
 *               "worst": [{"domain": "example.com", "domainId": "…", "state": "error",
 *                          "messages": 200, "failed": 30, "percent": "15.0 %"}]}}
 *
 * mail is null when no report covers the week. A percentage is the share of failed messages among
 * those that passed or failed DMARC; forwarded messages do not count. The percentage is null when
 * no message counts.
 */
#ifndef ALERTS_SUMMARY_JSON_H
#define ALERTS_SUMMARY_JSON_H

#include "functions/lib/store/alerts/alert-summary.h"

const char *alert_summary_body(
	struct rt_ctx *ctx, const struct eds_summary *summary, int64_t now_ms);

#endif
