#include "functions/alerts/alert-json.h"
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "runtime/event/event-http.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/alerts/mail-address.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/webhook/address.h"
#include "functions/lib/webhook/delivery-json.h"
#include "runtime/config/config.h"

rt_status alert_scope(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	struct eds_alert_scope *scope)
{
	struct eds_account account;
	struct eds_domain domain;

	if (rt_request_param(req, "id") != NULL) {
		RT_TRY(eds_auth_domain(ctx, req, store, &domain));
		*scope = (struct eds_alert_scope){domain.account_id, domain.id};
		return RT_OK;
	}
	RT_TRY(eds_auth_account(ctx, req, store, &account));
	*scope = (struct eds_alert_scope){account.id, NULL};
	return RT_OK;
}

rt_status alert_field_invalid(struct rt_ctx *ctx, const char *field, const char *detail)
{
	rt_fail_field(ctx, field, "%s", detail);
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"the body has a field whose value is not allowed");
}

static rt_status read_url(struct rt_ctx *ctx, const json_t *url, struct eds_alert_edit *edit)
{
	struct eds_webhook_address address;
	const char *reason;

	if (!json_is_string(url))
		return alert_field_invalid(ctx, "url", "must be a string");
	if (!eds_webhook_address_read(ctx, json_string_value(url), &address, &reason))
		return alert_field_invalid(ctx, "url", reason);
	edit->url = rt_printf(ctx, "https://%s%s", address.host, address.path);
	return RT_OK;
}

static rt_status read_mail(struct rt_ctx *ctx, const json_t *mail, struct eds_alert_edit *edit)
{
	const char *address;

	if (edit->url != NULL)
		return alert_field_invalid(ctx, "mail", "must not be given together with url");
	if (!json_is_string(mail))
		return alert_field_invalid(ctx, "mail", "must be a string");
	address = mail_address_read(ctx, json_string_value(mail));
	if (address == NULL)
		return alert_field_invalid(ctx, "mail",
			"must be a mail address like ops@example.com, in ASCII and without quotes");
	if (rt_config()->alert_relay.url[0] == '\0')
		return rt_fail(ctx, RT_FORBIDDEN, "mail-unavailable",
			"this service sends no mail: name a webhook, or have its operator set "
			"EDS_ALERT_RELAY");
	edit->url = rt_printf(ctx, "mailto:%s", address);
	return RT_OK;
}

/* The bit of the event with this name; 0 for an unknown name. */
static int64_t event_named(const json_t *name)
{
	for (int i = 0; json_is_string(name) && i < EDS_ALERT_EVENTS; i++)
		if (strcmp(json_string_value(name),
			    eds_alert_event_name((enum eds_alert_event)i)) == 0)
			return INT64_C(1) << i;
	return 0;
}

static rt_status read_events(struct rt_ctx *ctx, const json_t *events, struct eds_alert_edit *edit)
{
	edit->events = json_is_null(events) ? EDS_ALERT_ALL : 0;
	for (size_t i = 0; i < json_array_size(events); i++) {
		int64_t event = event_named(json_array_get(events, i));

		if (event == 0)
			return alert_field_invalid(ctx, "events",
				"must be an array of selector-broken, selector-recovered, "
				"key-changed, mta-sts-broken, mta-sts-recovered, posture-changed, "
				"dmarc-weakened, mx-uncovered, mx-covered, certificate-expiring, "
				"certificate-renewed, failures-rose, failures-fell, "
				"reports-stopped, reports-resumed and new-source, or null for all");
		edit->events |= event;
	}
	if (edit->events == 0)
		return alert_field_invalid(
			ctx, "events", "must be an array with at least one event, or null for all");
	return RT_OK;
}

/* Reads an optional boolean; *value stays NULL when the field is absent. */
static rt_status read_boolean(
	struct rt_ctx *ctx, const json_t *body, const char *field, const bool **value)
{
	const json_t *given = json_object_get(body, field);
	bool *copy;

	if (given == NULL)
		return RT_OK;
	if (!json_is_boolean(given))
		return alert_field_invalid(ctx, field, "must be true or false");
	copy = rt_alloc(ctx, sizeof *copy);
	*copy = json_is_true(given);
	*value = copy;
	return RT_OK;
}

rt_status alert_read_edit(struct rt_ctx *ctx, const struct rt_request *req, bool with_active,
	struct eds_alert_edit *edit)
{
	static const char *const fields[] = {"url", "mail", "events", "weeklySummary", "active"};
	const json_t *value;
	json_t *body;

	*edit = (struct eds_alert_edit){0};
	RT_TRY(rt_body_object(ctx, req, &body));
	RT_TRY(rt_body_only(ctx, body, fields, with_active ? 5 : 4));
	value = json_object_get(body, "url");
	if (value != NULL)
		RT_TRY(read_url(ctx, value, edit));
	value = json_object_get(body, "mail");
	if (value != NULL)
		RT_TRY(read_mail(ctx, value, edit));
	value = json_object_get(body, "events");
	if (value != NULL)
		RT_TRY(read_events(ctx, value, edit));
	RT_TRY(read_boolean(ctx, body, "weeklySummary", &edit->weekly_summary));
	return read_boolean(ctx, body, "active", &edit->active);
}

json_t *alert_json(struct rt_ctx *ctx, const struct eds_alert *alert)
{
	json_t *json = json_object();
	json_t *events = json_array();

	for (int i = 0; i < EDS_ALERT_EVENTS; i++)
		if ((alert->events & INT64_C(1) << i) != 0)
			rt_json_append(
				events, json_string(eds_alert_event_name((enum eds_alert_event)i)));
	rt_json_set_text(ctx, json, "alertId", alert->id);
	rt_json_set_text(ctx, json, "domainId", alert->domain_id);
	rt_json_set_text(ctx, json, "url", alert->url);
	rt_json_set_text(ctx, json, "mail", eds_alert_mail_address(alert));
	rt_json_set(json, "confirmedAt", eds_time_or_null(ctx, alert->confirmed_at_ms));
	rt_json_set(json, "events", events);
	rt_json_set(json, "weeklySummary", json_boolean(alert->weekly_summary));
	rt_json_set(json, "active", json_boolean(alert->active));
	rt_json_set(json, "reason", eds_reason_json(ctx, alert->reason_code, alert->reason));
	rt_json_set_text(ctx, json, "createdAt", rt_time_format(ctx, alert->created_at_ms));
	return json;
}
