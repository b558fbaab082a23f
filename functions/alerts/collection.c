/* alerts-collection: POST and GET /api/v1/domains/{id}/alerts, /api/v1/alerts
 *
 * Alerts under /api/v1/domains/{id}/alerts are about one domain. Alerts under /api/v1/alerts are
 * about all present and future domains of the account.
 *
 * POST  in    {"url": "https://hooks.example.com/eds", "events": ["dmarc-weakened", …]}; events
 *             missing or null: all events, also those that later versions add
 *       out   201 {"data": {alertId, domainId, url, mail, confirmedAt, events, weeklySummary,
 *             active, reason, createdAt, secret}}: no later answer shows the secret again
 *       in    {"mail": "ops@example.com", "events": …, "weeklySummary": true}: alerts go by mail,
 *             after somebody has confirmed the address by the link in a mail to it; weeklySummary
 *             (default false) adds a summary on Mondays
 *       out   201, without a secret
 *
 * GET   out   200 {"data": [{alertId, …}, …]}, the oldest first
 *
 * err   401; 403 token-domains for /api/v1/alerts; 404 domain-not-found; of POST:
 *       400 json-invalid, body-missing, body-not-object, field-invalid, field-unknown;
 *       403 token-read-only, alert-limit, mail-unavailable; 413; 415; 429 too-many-confirmations;
 *       of Idempotency-Key (functions/lib/once.h) 400, 409, 422, 429
 */
#include <string.h>

#include "functions/alerts/alert-json.h"
#include "functions/lib/once.h"
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "functions/lib/webhook/address.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

struct creation {
	const struct eds_alert_scope *scope;
	struct eds_alert alert;
};

static rt_status make(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct creation *creation = arg;

	return eds_store_alert_create(ctx, store, creation->scope, &creation->alert);
}

static rt_status answer(struct rt_ctx *ctx, void *arg, struct rt_response *res)
{
	const struct eds_alert *alert = &((struct creation *)arg)->alert;
	json_t *json = alert_json(ctx, alert);

	rt_response_header(res, "etag", rt_data_etag(ctx, json));
	if (eds_alert_mail_address(alert) == NULL)
		rt_json_set_text(ctx, json, "secret", alert->secret);
	return rt_respond_data(ctx, res, 201, json);
}

static rt_status create(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	const struct eds_alert_scope *scope, struct rt_response *res)
{
	struct creation creation = {.scope = scope};
	struct eds_alert_edit wanted;

	RT_TRY(alert_read_edit(ctx, req, false, &wanted));
	if (wanted.url == NULL)
		return alert_field_invalid(
			ctx, "url", "is required, unless mail is given: an alert needs a receiver");
	creation.alert = (struct eds_alert){
		.url = wanted.url,
		.secret = eds_webhook_secret_new(ctx),
		.events = wanted.events != 0 ? wanted.events : EDS_ALERT_ALL,
		.weekly_summary = wanted.weekly_summary != NULL && *wanted.weekly_summary,
	};
	return eds_once(ctx, req, store,
		&(struct eds_once){scope->account_id, make, answer, &creation}, res);
}

static rt_status list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, struct rt_response *res)
{
	struct eds_alert *alerts;
	json_t *json = json_array();
	size_t count;

	RT_TRY(eds_store_alert_list(ctx, store, scope, &alerts, &count));
	for (size_t i = 0; i < count; i++)
		rt_json_append(json, alert_json(ctx, &alerts[i]));
	return rt_respond_data(ctx, res, 200, json);
}

static rt_status serve(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_alert_scope scope;
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(alert_scope(ctx, req, store, &scope));
	if (strcmp(req->method, "POST") == 0)
		return create(ctx, req, store, &scope, res);
	return list(ctx, store, &scope, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, serve);
}
