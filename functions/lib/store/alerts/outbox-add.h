/* A row of the outbox, written within a transaction of the change's own. Only the files of this
 * folder include it. */
#ifndef EDS_STORE_OUTBOX_ADD_H
#define EDS_STORE_OUTBOX_ADD_H

#include "functions/lib/store/alerts/outbox.h"
#include "functions/lib/store/transaction.h"

/* What is left of a settled row's body: an alert's can be sent again for as long as its log.
 * Columns of the row are meant. */
#define EDS_OUTBOX_BODY_KEPT "CASE WHEN origin LIKE 'alert %' THEN body ELSE '' END"

struct eds_outbox_item {
	const char *origin; /* "test ID" */
	const char *event;  /* of the origin, told once however often it is added */
	const char *account_id;
	const char *url;
	const char *secret;
	const char *body;
	bool by_mail;         /* the alert's mails are planned afterwards (alert-mail-row.h) */
	int64_t due_at_ms;    /* 0: at once */
	int64_t until_ms;     /* then it is given up, if EDS_OUTBOX_LIFE_MS is not over before */
	int64_t forget_at_ms; /* then nothing of it is left */
};

RT_MUST_USE rt_status eds_store_outbox_add(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_item *item);

/* Takes back what of the same origin has not been delivered yet: it tells of what is no longer so.
 */
RT_MUST_USE rt_status eds_store_outbox_replace(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin, const char *event);

/* Adds it, or gives the one that waits under this origin and event the new body. */
RT_MUST_USE rt_status eds_store_outbox_sum(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_item *item);

/* Gives up what waits of an origin; sends it elsewhere; removes all that there is of it. */
RT_MUST_USE rt_status eds_store_outbox_drop(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin);
RT_MUST_USE rt_status eds_store_outbox_redirect(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin, const char *url);
RT_MUST_USE rt_status eds_store_outbox_delete(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin);

#endif
