/* A delivery of an alert, sent once more because its owner asks for it. */
#ifndef EDS_STORE_ALERT_AGAIN_H
#define EDS_STORE_ALERT_AGAIN_H

#include "functions/lib/store/alerts/alert.h"

/* Sends a settled delivery once more, under its id, to where the alert leads now and with its
 * secret of now; whether it is active or not. RT_NOT_FOUND "delivery-not-found"; RT_CONFLICT
 * "delivery-under-way" while it waits or is tried, "delivery-not-kept" for one that an earlier
 * release settled; else as a test. */
RT_MUST_USE rt_status eds_store_alert_send_again(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const struct eds_alert *alert,
	const char *delivery_id);

#endif
