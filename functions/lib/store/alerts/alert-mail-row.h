/* The rows of mail alerts, written within the caller's transaction. Other folders use only
 * eds_alert_mail_address(). */
#ifndef EDS_STORE_ALERT_MAIL_ROW_H
#define EDS_STORE_ALERT_MAIL_ROW_H

#include "functions/lib/store/alerts/alert-mail.h"
#include "functions/lib/store/alerts/alert.h"
#include "functions/lib/store/transaction.h"

#define EDS_ALERT_MAILTO "mailto:"

enum {
	EDS_ALERT_LINK_BYTES = 32, /* random bytes in the link that switches an alert off */
};

/* True for the URL of a mail alert. */
bool eds_alert_is_mail(const char *url);

/* Adds the row of a new mail alert, whose address is not confirmed yet. */
RT_MUST_USE rt_status eds_alert_mail_add(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *alert_id);

/* Marks the address as not confirmed: no events are sent to it until it is confirmed. Gives up the
 * events that wait; a process that sends a mail at this moment does not record its outcome. */
RT_MUST_USE rt_status eds_alert_mail_unconfirm(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id);

/* Makes a new switch-off link. The old link, which has been mailed to the previous address, no
 * longer works. */
RT_MUST_USE rt_status eds_alert_mail_renew_link(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id);

/* Queues a mail with a new confirmation link. RT_LIMIT "too-many-confirmations", with
 * retry_after_s, when one of the limits EDS_ALERT_ASKS_… is reached. There are separate limits for
 * the first mails of an account to an address or a domain, so that other accounts cannot keep this
 * account from sending any. */
RT_MUST_USE rt_status eds_alert_mail_ask(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, const struct eds_alert *alert);

/* Decides anew when the alert's next mail is sent; to be called after adding or removing rows of
 * the outbox. The function always writes the alert's row, so two callers at the same time run one
 * after the other. */
RT_MUST_USE rt_status eds_alert_mail_plan(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id);

/* Fails with RT_CONFLICT "alert-not-confirmed" for a mail alert whose address is not confirmed. */
RT_MUST_USE rt_status eds_alert_check_confirmed(struct rt_ctx *ctx, const struct eds_alert *alert);

/* *next_ms: when the alert's mail is tried next; 0 when nothing waits. */
RT_MUST_USE rt_status eds_alert_mail_next(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id, int64_t *next_ms);

/* The address of a mail alert; NULL for a webhook. */
const char *eds_alert_mail_address(const struct eds_alert *alert);

#endif
