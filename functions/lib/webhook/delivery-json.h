/* The JSON of a delivery to a receiver. */
#ifndef EDS_WEBHOOK_DELIVERY_JSON_H
#define EDS_WEBHOOK_DELIVERY_JSON_H

#include "functions/lib/store/alerts/outbox.h"
#include "runtime/json.h"

/* The time as JSON, null for 0. */
json_t *eds_time_or_null(struct rt_ctx *ctx, int64_t time_ms);

/* The reason as JSON: {"code", "message"}; null without a code. */
json_t *eds_reason_json(struct rt_ctx *ctx, const char *code, const char *message);

/* Sets the members of a delivery in json: state, deliveryId, tries, lastTriedAt, nextTryAt, status
 * and reason. */
void eds_delivery_put(struct rt_ctx *ctx, const struct eds_outbox_seen *seen, json_t *json);

#endif
