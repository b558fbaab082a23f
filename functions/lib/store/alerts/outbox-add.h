/* Rows of the outbox, written within the transaction of the change. Only the files of the store
 * include this header. */
#ifndef EDS_STORE_OUTBOX_ADD_H
#define EDS_STORE_OUTBOX_ADD_H

#include "functions/lib/store/alerts/outbox.h"
#include "functions/lib/store/transaction.h"

/* An SQL expression for the body that is kept when a row is settled, which means delivered or given
 * up. Rows of alerts keep their body, because a delivery to an alert can be sent again for as long
 * as the log shows it. */
#define EDS_OUTBOX_BODY_KEPT "CASE WHEN origin LIKE 'alert %' THEN body ELSE '' END"

struct eds_outbox_item {
	const char *origin; /* what the message comes from: "test ID", "alert ID" */
	const char *event;  /* names the event within its origin; an event that is added twice is
			     * sent once */
	const char *account_id;
	const char *url;
	const char *secret;
	const char *body;
	bool by_mail;         /* true for a mail alert, whose next mail the caller must then plan
			       * (alert-mail-row.h) */
	int64_t due_at_ms;    /* when the row is tried first; 0 for at once */
	int64_t until_ms;     /* when the row is given up, after EDS_OUTBOX_LIFE_MS at the latest */
	int64_t forget_at_ms; /* when the row is removed */
};

RT_MUST_USE rt_status eds_store_outbox_add(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_item *item);

/* Removes the waiting rows of this origin, except those of this event. To be called when the
 * contents of the removed rows are out of date. */
RT_MUST_USE rt_status eds_store_outbox_replace(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin, const char *event);

/* Adds a row. When there is a row of the same origin and event, gives that row the new body instead
 * if it still waits. */
RT_MUST_USE rt_status eds_store_outbox_sum(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_item *item);

/* These three change the rows of an origin: `drop` gives up the waiting rows, `redirect` sends the
 * waiting rows to another URL, and `delete` removes all rows. */
RT_MUST_USE rt_status eds_store_outbox_drop(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin);
RT_MUST_USE rt_status eds_store_outbox_redirect(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin, const char *url);
RT_MUST_USE rt_status eds_store_outbox_delete(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin);

#endif
