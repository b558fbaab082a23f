/* alerts-deliveries: the messages to the receiver of one alert, under
 * /api/v1/domains/{id}/alerts/{alertId} or /api/v1/alerts/{alertId}
 *
 * POST test        out   202 {"data": {alertId, type: "test"}}: an event of the type "test" is on
 *                          its way, whether the alert is active or not
 *
 * GET deliveries   out   200 {"data": [{type, createdAt, state, deliveryId, tries, lastTriedAt,
 *                          nextTryAt, status, reason}, …]}: the latest 50 of the last seven days,
 *                          newest first
 *
 * POST deliveries/{deliveryId}/send
 *                  out   202 {"data": {alertId, deliveryId}}: a delivery that succeeded or was
 *                          given up is sent once more, under the same id
 *
 * err   401; 403 token-domains for /api/v1/alerts; 404 domain-not-found, alert-not-found; of a
 *       POST: 403 token-read-only; 404 delivery-not-found; 409 delivery-under-way,
 *       delivery-not-kept, alert-not-confirmed; 429 too-many-alerts
 */
#include <string.h>

#include "functions/alerts/alert-json.h"
#include "functions/lib/store/alerts/alert-again.h"
#include "functions/lib/webhook/delivery-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

static const char *test_body(struct rt_ctx *ctx, const struct eds_alert *alert)
{
	json_t *json = json_object();
	json_t *data = json_object();

	rt_json_set_text(ctx, data, "domainId", alert->domain_id);
	rt_json_set_text(
		ctx, data, "what", "This is a test. Alerts about your domains will arrive here.");
	rt_json_set_text(ctx, json, "type", "test");
	rt_json_set_text(ctx, json, "timestamp", rt_time_format(ctx, rt_wall_ms()));
	rt_json_set(json, "data", data);
	return rt_json_format(ctx, json, NULL);
}

static rt_status test(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const struct eds_alert *alert, struct rt_response *res)
{
	json_t *json = json_object();

	RT_TRY(eds_store_alert_test(ctx, store, scope, alert, test_body(ctx, alert)));
	rt_json_set_text(ctx, json, "alertId", alert->id);
	rt_json_set_text(ctx, json, "type", "test");
	return rt_respond_data(ctx, res, 202, json);
}

static rt_status send_again(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const struct eds_alert *alert, const char *delivery_id,
	struct rt_response *res)
{
	json_t *json = json_object();

	RT_TRY(eds_store_alert_send_again(ctx, store, scope, alert, delivery_id));
	rt_json_set_text(ctx, json, "alertId", alert->id);
	rt_json_set_text(ctx, json, "deliveryId", delivery_id);
	return rt_respond_data(ctx, res, 202, json);
}

static rt_status deliveries(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert *alert, struct rt_response *res)
{
	struct eds_alert_delivery *log;
	json_t *list = json_array();
	size_t count;

	RT_TRY(eds_store_alert_deliveries(ctx, store, alert, &log, &count));
	for (size_t i = 0; i < count; i++) {
		json_t *json = json_object();

		rt_json_set_text(ctx, json, "type", log[i].type);
		rt_json_set_text(ctx, json, "createdAt", rt_time_format(ctx, log[i].created_at_ms));
		eds_delivery_put(ctx, &log[i].seen, json);
		rt_json_append(list, json);
	}
	return rt_respond_data(ctx, res, 200, list);
}

static rt_status serve(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *id = rt_request_param(req, "alertId");
	const char *delivery_id = rt_request_param(req, "deliveryId");
	struct eds_alert_scope scope;
	struct eds_alert alert;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(alert_scope(ctx, req, store, &scope));
	RT_TRY(eds_store_alert_get(
		ctx, store, &scope, id != NULL ? rt_lower(ctx, id) : "", &alert));
	if (delivery_id != NULL)
		return send_again(ctx, store, &scope, &alert, rt_lower(ctx, delivery_id), res);
	if (strcmp(req->method, "POST") == 0)
		return test(ctx, store, &scope, &alert, res);
	return deliveries(ctx, store, &alert, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, serve);
}
