/* Switches webhook alerts off when their receivers are gone or accept nothing. */
#ifndef EDS_STORE_ALERT_OFF_H
#define EDS_STORE_ALERT_OFF_H

#include "functions/lib/store/alerts/alert-tell.h"

/* To be called when a row of the outbox was given up. If it is the row of an alert, and was given
 * up because of the receiver, switches the alert off when the receiver answered that it is gone, or
 * has accepted nothing since this delivery was created. */
RT_MUST_USE rt_status eds_store_alert_failed(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_due *due);

#endif
