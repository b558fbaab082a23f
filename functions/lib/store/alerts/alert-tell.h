/* Alerts told of a change, within the transaction that writes the change. Only the files of this
 * folder include it. */
#ifndef EDS_STORE_ALERT_TELL_H
#define EDS_STORE_ALERT_TELL_H

#include "functions/lib/store/alerts/alert-news.h"
#include "functions/lib/store/transaction.h"

/* Adds a delivery for every active alert that wants the event. Past the hour's bound of the account
 * events are left out and counted, and the count is told when the hour is over. Trouble is told
 * once until its recovery, and a recovery after trouble alone. */
RT_MUST_USE rt_status eds_store_alert_tell(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const struct eds_alert_all_news *news);

/* What was broken is there no more: the next of this name begins anew. */
RT_MUST_USE rt_status eds_store_alert_trouble_over(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id, const char *subject);

/* Deliveries of the alerts of a domain that is being deleted are gone with it. */
RT_MUST_USE rt_status eds_store_alert_leave(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

#endif
