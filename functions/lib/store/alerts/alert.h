/* Alerts: receivers that an account names for events of one of its domains, or of all of them.
 * Deliveries go through the outbox (outbox.h). The row of a delivery is written in the transaction
 * of the change (alert-news.h), so a change is never committed without it, and nothing is sent for
 * a change that was not committed.
 *
 * A webhook is switched off, with the reason, when it answers 410, or accepts nothing during the
 * whole life of a delivery. alert-mail.h says when a mail alert is switched off.
 */
#ifndef EDS_STORE_ALERT_H
#define EDS_STORE_ALERT_H

#include "functions/lib/store/alerts/outbox.h"
#include "functions/lib/store/domains/domain.h"

enum {
	EDS_ALERTS_MAX = 20, /* maximum number of alerts per account, including those of its
			      * domains */
	EDS_ALERT_DELIVERIES_SHOWN = 50,
};
#define EDS_ALERT_LOG_MS (INT64_C(7) * 24 * 3600 * 1000) /* how long a delivery is shown */

enum eds_alert_event {
	EDS_ALERT_SELECTOR_BROKEN,
	EDS_ALERT_SELECTOR_RECOVERED,
	EDS_ALERT_KEY_CHANGED,
	EDS_ALERT_MTA_STS_BROKEN,
	EDS_ALERT_MTA_STS_RECOVERED,
	EDS_ALERT_POSTURE_CHANGED,
	EDS_ALERT_DMARC_WEAKENED,
	EDS_ALERT_MX_UNCOVERED,
	EDS_ALERT_MX_COVERED,
	EDS_ALERT_CERTIFICATE_EXPIRING,
	EDS_ALERT_CERTIFICATE_RENEWED,
	EDS_ALERT_FAILURES_ROSE,
	EDS_ALERT_FAILURES_FELL,
	EDS_ALERT_REPORTS_STOPPED,
	EDS_ALERT_REPORTS_RESUMED,
	EDS_ALERT_NEW_SOURCE,
	EDS_ALERT_EVENTS,
};
/* The set of all events. A set has one bit for each event. */
#define EDS_ALERT_ALL INT64_C(-1)

const char *eds_alert_event_name(enum eds_alert_event event); /* The name of an event:
							       * "selector-broken", … */

/* The owner of an alert: the domain, or the account when domain_id is NULL. */
struct eds_alert_scope {
	const char *account_id;
	const char *domain_id;
};

struct eds_alert {
	const char *id;
	const char *domain_id; /* the domain that the alert is about; NULL for all domains of the
				* account */
	const char *url;       /* the receiver: a webhook, or "mailto:ADDRESS" for a mail alert */
	const char *secret;    /* for mail: part of the links that switch the alert off */
	int64_t events;
	bool active;
	bool weekly_summary;     /* for mail: a summary is sent every Monday */
	int64_t confirmed_at_ms; /* for mail: when the address was confirmed; 0 if it is not */
	const char *reason_code; /* why the service has switched the alert off; NULL if it has
				  * not */
	const char *reason;
	int64_t created_at_ms;
};

/* What an update changes. */
struct eds_alert_edit {
	const char *url;            /* the new URL, of the same kind; NULL for no change */
	int64_t events;             /* the new set of events; 0 for no change */
	const bool *active;         /* the new value; NULL for no change */
	const bool *weekly_summary; /* NULL: no change */
};

struct eds_alert_delivery {
	struct eds_outbox_seen seen;
	const char *type;
	int64_t created_at_ms;
};

/* Creates an alert with the url, events and weekly_summary of *alert. The secret of a webhook is
 * that of *alert; for a mail alert this function makes one. A mail alert waits until its address is
 * confirmed. RT_BAD_INPUT "field-invalid" for a weekly summary to a webhook; RT_LIMIT
 * "too-many-confirmations" when no further mail may ask for the confirmation (alert-mail.h);
 * RT_FORBIDDEN "alert-limit" when the account has EDS_ALERTS_MAX alerts; RT_NOT_FOUND
 * "domain-not-found" when the domain has just been deleted. */
RT_MUST_USE rt_status eds_store_alert_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, struct eds_alert *alert);

/* Lists the alerts of this scope only, oldest first. */
RT_MUST_USE rt_status eds_store_alert_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, struct eds_alert **alerts, size_t *count);

/* Reads an alert. RT_NOT_FOUND "alert-not-found", also from the functions below, whether the alert
 * is unknown, of another scope or of another account. */
RT_MUST_USE rt_status eds_store_alert_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const char *id, struct eds_alert *alert);

/* Changes an alert. Waiting deliveries go to the new URL of a webhook; they are given up when the
 * address of a mail alert changes, or when the alert is switched off. A new mail address must be
 * confirmed first. After an edit that names an address or switches the alert on, a mail asks for
 * confirmation if the alert is on and its address is not confirmed; RT_LIMIT
 * "too-many-confirmations" when no further mail may ask. RT_BAD_INPUT "field-invalid" for a URL of
 * another kind than the alert's, and for a weekly summary to a webhook. */
RT_MUST_USE rt_status eds_store_alert_update(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const char *id, const struct eds_alert_edit *edit,
	struct eds_alert *alert);

/* Deletes the alert and its deliveries. */
RT_MUST_USE rt_status eds_store_alert_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const char *id);

/* Queues this body as a test delivery to the alert, whether it is active or not. RT_CONFLICT
 * "alert-not-confirmed" for a mail address that is not confirmed; RT_LIMIT "too-many-alerts", with
 * retry_after_s, when the hourly limit of the account or of the domain is used up. */
RT_MUST_USE rt_status eds_store_alert_test(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const struct eds_alert *alert, const char *body);

/* Lists the latest EDS_ALERT_DELIVERIES_SHOWN deliveries, newest first. */
RT_MUST_USE rt_status eds_store_alert_deliveries(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert *alert, struct eds_alert_delivery **deliveries, size_t *count);

#endif
