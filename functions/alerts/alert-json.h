/* Shared by the functions of alerts: finds the scope of a request, reads its body, and shows an
 * alert. */
#ifndef ALERTS_ALERT_JSON_H
#define ALERTS_ALERT_JSON_H

#include "functions/lib/store/alerts/alert.h"
#include "runtime/event/event.h"

/* The scope of the request: the token's account, or the domain of that account that the path names.
 * Fails as eds_auth_account() or eds_auth_domain() does. */
RT_MUST_USE rt_status alert_scope(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, struct eds_alert_scope *scope);

/* Reads a body {url, mail, events, weeklySummary, active}, in which every member is optional;
 * active is allowed only if with_active. Fails with RT_BAD_INPUT "field-invalid", "field-unknown"
 * and the errors of rt_body_object; with RT_FORBIDDEN "mail-unavailable" for a mail address when no
 * relay is configured. */
RT_MUST_USE rt_status alert_read_edit(struct rt_ctx *ctx, const struct rt_request *req,
	bool with_active, struct eds_alert_edit *edit);

/* The alert as JSON: {alertId, domainId, url, mail, confirmedAt, events, weeklySummary, active,
 * reason, createdAt}, without the secret. */
json_t *alert_json(struct rt_ctx *ctx, const struct eds_alert *alert);

/* Fails with RT_BAD_INPUT "field-invalid"; detail says what is wrong with the value of the
 * field. */
RT_MUST_USE rt_status alert_field_invalid(
	struct rt_ctx *ctx, const char *field, const char *detail);

#endif
