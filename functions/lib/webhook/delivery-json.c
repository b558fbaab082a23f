#include "functions/lib/webhook/delivery-json.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

json_t *eds_time_or_null(struct rt_ctx *ctx, int64_t time_ms)
{
	return time_ms > 0 ? json_string(rt_time_format(ctx, time_ms)) : json_null();
}

json_t *eds_reason_json(struct rt_ctx *ctx, const char *code, const char *message)
{
	json_t *reason;

	if (code == NULL)
		return json_null();
	reason = json_object();
	rt_json_set_text(ctx, reason, "code", code);
	rt_json_set_text(ctx, reason, "message", message);
	return reason;
}

void eds_delivery_put(struct rt_ctx *ctx, const struct eds_outbox_seen *seen, json_t *json)
{
	rt_json_set_text(ctx, json, "state", seen->state);
	rt_json_set_text(ctx, json, "deliveryId", seen->id);
	rt_json_set(json, "tries", json_integer(seen->tries));
	rt_json_set(json, "lastTriedAt", eds_time_or_null(ctx, seen->tried_at_ms));
	rt_json_set(json, "nextTryAt", eds_time_or_null(ctx, seen->due_at_ms));
	rt_json_set(json, "status", seen->status > 0 ? json_integer(seen->status) : json_null());
	rt_json_set(json, "reason", eds_reason_json(ctx, seen->reason_code, seen->reason));
}
