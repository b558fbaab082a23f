/* Adds deliveries to the outbox, one for each alert that reports a change, within the transaction
 * that writes the change. Only the files of the store include this header. */
#ifndef EDS_STORE_ALERT_TELL_H
#define EDS_STORE_ALERT_TELL_H

#include "functions/lib/store/alerts/alert-news.h"
#include "functions/lib/store/transaction.h"

/* Adds a delivery for every active alert that wants the event; a mail alert must also be confirmed.
 * Events past an hourly limit of the account or of the domain (account-use.h) are left out and
 * counted; the count is reported when the hour is over. Trouble that was reported is not reported
 * again before its recovery. A recovery is reported only after trouble. */
RT_MUST_USE rt_status eds_store_alert_tell(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const struct eds_alert_all_news *news);

/* Forgets the trouble of a subject that no longer exists: a new subject of the same name begins
 * without trouble. */
RT_MUST_USE rt_status eds_store_alert_trouble_over(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id, const char *subject);

/* Removes the deliveries of the alerts of a domain that is being deleted. */
RT_MUST_USE rt_status eds_store_alert_leave(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

#endif
