/* alerts-item: GET, PATCH and DELETE /api/v1/domains/{id}/alerts/{alertId},
 * /api/v1/alerts/{alertId}
 *
 * GET     out   200 {"data": {alertId, domainId, url, mail, confirmedAt, events, weeklySummary,
 *               active, reason, createdAt}}
 * PATCH   in    {url, mail, events, weeklySummary, active}, each of them optional. Setting active
 *               to true starts deliveries again after the service has switched the alert off
 *               because its receiver failed. When mail is given, or active becomes true, an
 *               active alert sends a confirmation link to its address, unless that is confirmed.
 *         out   200 as GET, after the change
 *
 * DELETE  out   200 {"data": {alertId, deleted: true}}
 *
 * err     401; 403 token-domains for /api/v1/alerts; 404 domain-not-found, alert-not-found;
 *         of PATCH and DELETE: 400 if-match-invalid; 403 token-read-only;
 *         412 version-changed, by If-Match; of PATCH: 400 json-invalid, body-missing,
 *         body-not-object, field-invalid, field-unknown; 403 mail-unavailable; 413; 415;
 *         429 too-many-confirmations
 */
#include <string.h>

#include "functions/alerts/alert-json.h"
#include "functions/lib/if-match.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

struct call {
	const struct rt_request *req;
	struct eds_store *store;
	struct eds_alert_scope scope;
	const char *id;
};

static rt_status get(struct rt_ctx *ctx, const struct call *call, struct rt_response *res)
{
	struct eds_alert alert;

	RT_TRY(eds_store_alert_get(ctx, call->store, &call->scope, call->id, &alert));
	return rt_respond_data(ctx, res, 200, alert_json(ctx, &alert));
}

static rt_status version(struct rt_ctx *ctx, struct eds_store *store, void *arg, const char **etag)
{
	const struct call *call = arg;
	struct eds_alert alert;

	RT_TRY(eds_store_alert_get(ctx, store, &call->scope, call->id, &alert));
	*etag = rt_data_etag(ctx, alert_json(ctx, &alert));
	return RT_OK;
}

static rt_status update(struct rt_ctx *ctx, struct call *call, struct rt_response *res)
{
	struct eds_alert_edit edit;
	struct eds_alert alert;

	RT_TRY(alert_read_edit(ctx, call->req, true, &edit));
	RT_TRY(eds_if_match(ctx, call->req, call->store, version, call));
	RT_TRY(eds_store_alert_update(ctx, call->store, &call->scope, call->id, &edit, &alert));
	return rt_respond_data(ctx, res, 200, alert_json(ctx, &alert));
}

static rt_status delete (struct rt_ctx *ctx, struct call *call, struct rt_response *res)
{
	json_t *json = json_object();

	RT_TRY(eds_if_match(ctx, call->req, call->store, version, call));
	RT_TRY(eds_store_alert_delete(ctx, call->store, &call->scope, call->id));
	rt_json_set_text(ctx, json, "alertId", call->id);
	rt_json_set(json, "deleted", json_true());
	return rt_respond_data(ctx, res, 200, json);
}

static rt_status serve(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *id = rt_request_param(req, "alertId");
	struct call call = {.req = req, .id = id != NULL ? rt_lower(ctx, id) : ""};

	RT_TRY(eds_store_open(ctx, &call.store));
	RT_TRY(alert_scope(ctx, req, call.store, &call.scope));
	if (strcmp(req->method, "PATCH") == 0)
		return update(ctx, &call, res);
	if (strcmp(req->method, "DELETE") == 0)
		return delete (ctx, &call, res);
	return get(ctx, &call, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, serve);
}
