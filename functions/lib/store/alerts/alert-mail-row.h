/* The rows of alerts that are told by mail, written within a transaction of the caller's. Only the
 * files of this folder include it. */
#ifndef EDS_STORE_ALERT_MAIL_ROW_H
#define EDS_STORE_ALERT_MAIL_ROW_H

#include "functions/lib/store/alerts/alert-mail.h"
#include "functions/lib/store/alerts/alert.h"
#include "functions/lib/store/transaction.h"

#define EDS_ALERT_MAILTO "mailto:"

enum {
	EDS_ALERT_LINK_BYTES = 32, /* of chance, in a link by which an alert is switched off */
};

/* Whether that is the URL of an alert that is told by mail. */
bool eds_alert_is_mail(const char *url);

/* Of a new alert, which is not confirmed. */
RT_MUST_USE rt_status eds_alert_mail_add(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *alert_id);

/* The address is told nothing more until it is confirmed; what waits is given up, and so is what
 * another process sends just now: it writes nothing of it. */
RT_MUST_USE rt_status eds_alert_mail_unconfirm(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id);

/* A link of before, which an address of before has, switches nothing off any more. */
RT_MUST_USE rt_status eds_alert_mail_renew_link(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id);

/* Has a mail with a new link sent. RT_LIMIT "too-many-confirmations" (retry_after_s set) past
 * EDS_ALERT_ASKS_ADDRESS, EDS_ALERT_ASKS_ACCOUNT and EDS_ALERT_ASKS_DOMAIN. */
RT_MUST_USE rt_status eds_alert_mail_ask(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const struct eds_alert *alert);

/* Decides anew when the alert's next mail is sent: to be called after rows of the outbox have come
 * or gone. It writes the row in any case, so that two that do so at once come one after another. */
RT_MUST_USE rt_status eds_alert_mail_plan(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id);

/* RT_CONFLICT "alert-not-confirmed" for one that is told by mail and is not. */
RT_MUST_USE rt_status eds_alert_check_confirmed(struct rt_ctx *ctx, const struct eds_alert *alert);

/* When it is tried next; 0 where nothing waits. */
RT_MUST_USE rt_status eds_alert_mail_next(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id, int64_t *next_ms);

/* The address of an alert that is told by mail; NULL for a webhook. */
const char *eds_alert_mail_address(const struct eds_alert *alert);

#endif
