/* Sends a delivery of an alert once more when its owner asks for it. */
#ifndef EDS_STORE_ALERT_AGAIN_H
#define EDS_STORE_ALERT_AGAIN_H

#include "functions/lib/store/alerts/alert.h"

/* Sends once more a delivery that was delivered or given up: under the same id, to the alert's
 * current URL and with its current secret, whether the alert is active or not. RT_NOT_FOUND
 * "delivery-not-found"; RT_CONFLICT "delivery-under-way" while it waits or is tried,
 * "delivery-not-kept" for a delivery whose body is not stored, because it asked for a confirmation,
 * or because an earlier release delivered it or gave it up; other errors as for
 * eds_store_alert_test(). */
RT_MUST_USE rt_status eds_store_alert_send_again(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const struct eds_alert *alert,
	const char *delivery_id);

#endif
