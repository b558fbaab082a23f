#include <string.h>

#include "functions/lib/store/alerts/alert-off.h"
#include "functions/lib/store/alerts/alert-origin.h"
#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/alerts/outbox-add.h"

/* $4: a delivery accepted at or after this time keeps the alert on. */
static const struct eds_db_statement SWITCH_OFF = {"alert-switch-off",
	"UPDATE alerts"
	" SET active = 0, reason_code = $2, reason = $3"
	" WHERE id = $1 AND active = 1 AND NOT EXISTS"
	" (SELECT 1 FROM outbox o WHERE o.origin = $5 AND o.state = 'delivered'"
	" AND o.tried_at_ms >= $4)"};

/* True when a delivery failed because of its receiver. A delivery that failed because of a fault in
 * this service says nothing about the receiver. */
static bool is_the_receivers(const char *reason_code)
{
	return reason_code != NULL && strncmp(reason_code, "receiver-", strlen("receiver-")) == 0;
}

rt_status eds_store_alert_failed(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_due *due)
{
	const char *alert_id = eds_alert_of_origin(due->origin);
	enum eds_db_result result;
	int64_t changed = 0;

	if (alert_id == NULL || !is_the_receivers(due->reason_code))
		return RT_OK;
	result = eds_db_execute(store->db, &SWITCH_OFF,
		EDS_DB_VALUES(eds_db_text_value(alert_id), eds_db_text_value(due->reason_code),
			eds_db_text_value(due->reason),
			eds_db_int_value(strcmp(due->reason_code, "receiver-gone") == 0
					? INT64_MAX
					: due->created_at_ms),
			eds_db_text_value(due->origin)),
		&changed);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed > 0 ? eds_store_outbox_drop(ctx, store, due->origin) : RT_OK;
}
