/* The body of an alert, as it is sent:
 *
 *     {"type": "selector-broken", "timestamp": "2026-01-31T23:59:59Z",
 *      "data": {"domain": "example.com", "domainId": "…", "subject": "selector s1",
 *               "what": "The DKIM selector s1 of example.com was valid and is now revoked.",
 *               "before": {"state": "valid", …}, "after": {"state": "revoked", …},
 *               "advice": "Publish the key at s1._domainkey.example.com again …"}}
 *
 * The members "what" and "advice" are sentences for the administrator; the members of "before" and
 * "after" depend on the type. The data are from DNS, from the servers that DNS names and from
 * reports.
 */
#ifndef EDS_ALERT_NEWS_H
#define EDS_ALERT_NEWS_H

#include "functions/lib/store/alerts/alert-news.h"
#include "runtime/json.h"

struct eds_alert_said {
	enum eds_alert_event event;
	const char *domain_id;
	const char *domain;
	const char *subject;
	const char *change; /* alert-news.h */
	int64_t at_ms;
	const char *what;
	json_t *before;
	json_t *after;
	const char *advice;
};

/* Makes the alert in ctx's memory. Its temporary JSON objects are in the memory that the caller has
 * chosen with RT_JSON_MEMORY(). */
struct eds_alert_news eds_alert_news_make(struct rt_ctx *ctx, const struct eds_alert_said *said);

#endif
