/* Creates, lists, changes and deletes alerts for their owners. */
#include "functions/lib/store/alerts/alert.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <string.h>

#include "functions/lib/random-text.h"
#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/accounts/audit-write.h"
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "functions/lib/store/alerts/alert-origin.h"
#include "functions/lib/store/alerts/alert-summary.h"
#include "functions/lib/store/alerts/outbox-add.h"
#include "functions/lib/store/transaction.h"

enum {
	ID_BYTES = 16,
};

/* clang-format off */
#define ALERT_COLUMNS(FIRST, NEXT) \
	FIRST(ALERT_ID, "id") \
	NEXT(ALERT_DOMAIN_ID, "domain_id") \
	NEXT(ALERT_URL, "url") \
	NEXT(ALERT_SECRET, "secret") \
	NEXT(ALERT_EVENT_SET, "events") \
	NEXT(ALERT_ACTIVE, "active") \
	NEXT(ALERT_REASON_CODE, "reason_code") \
	NEXT(ALERT_REASON, "reason") \
	NEXT(ALERT_CREATED_AT_MS, "created_at_ms") \
	NEXT(ALERT_CONFIRMED_AT_MS, "coalesce((SELECT m.confirmed_at_ms FROM alert_mails m" \
		" WHERE m.alert_id = alerts.id), 0)") \
	NEXT(ALERT_SUMMARY_AT_MS, "coalesce((SELECT m.summary_at_ms FROM alert_mails m" \
		" WHERE m.alert_id = alerts.id), 0)")
enum { EDS_DB_NAMES(ALERT_COLUMNS) };

#define IS_OF_SCOPE "account_id = $1 AND coalesce(domain_id, '') = $2"

static const struct eds_db_statement INSERT = {"alert-insert",
	"INSERT INTO alerts (id, account_id, domain_id, url, secret, events, created_at_ms,"
	" active)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"};

static const struct eds_db_statement COUNT = {"alert-count",
	"SELECT count(*) FROM alerts WHERE account_id = $1"};

static const struct eds_db_statement LIST = {"alert-list",
	"SELECT " EDS_DB_LIST(ALERT_COLUMNS)
	" FROM alerts"
	" WHERE " IS_OF_SCOPE
	" ORDER BY created_at_ms, id COLLATE \"C\""};

static const struct eds_db_statement GET = {"alert-get",
	"SELECT " EDS_DB_LIST(ALERT_COLUMNS) " FROM alerts WHERE " IS_OF_SCOPE " AND id = $3"};

/* Changes url unless $4 is NULL, events unless $5 is 0, and active unless $6 is -1. */
static const struct eds_db_statement UPDATE = {"alert-update",
	"UPDATE alerts"
	" SET url = coalesce(CAST($4 AS TEXT), url), events = CASE WHEN CAST($5 AS BIGINT) = 0"
	" THEN events ELSE $5 END, active = CASE WHEN CAST($6 AS BIGINT) < 0 THEN active"
	" ELSE $6 END, reason_code = CASE WHEN CAST($6 AS BIGINT) > 0 THEN NULL"
	" ELSE reason_code END, reason = CASE WHEN CAST($6 AS BIGINT) > 0 THEN NULL"
	" ELSE reason END"
	" WHERE " IS_OF_SCOPE " AND id = $3"
	" RETURNING " EDS_DB_LIST(ALERT_COLUMNS)};

static const struct eds_db_statement DELETE = {"alert-delete",
	"DELETE FROM alerts WHERE " IS_OF_SCOPE " AND id = $3 RETURNING url"};
/* clang-format on */

const char *eds_alert_event_name(enum eds_alert_event event)
{
	static const char *const names[] = {
		[EDS_ALERT_SELECTOR_BROKEN] = "selector-broken",
		[EDS_ALERT_SELECTOR_RECOVERED] = "selector-recovered",
		[EDS_ALERT_KEY_CHANGED] = "key-changed",
		[EDS_ALERT_MTA_STS_BROKEN] = "mta-sts-broken",
		[EDS_ALERT_MTA_STS_RECOVERED] = "mta-sts-recovered",
		[EDS_ALERT_POSTURE_CHANGED] = "posture-changed",
		[EDS_ALERT_DMARC_WEAKENED] = "dmarc-weakened",
		[EDS_ALERT_MX_UNCOVERED] = "mx-uncovered",
		[EDS_ALERT_MX_COVERED] = "mx-covered",
		[EDS_ALERT_CERTIFICATE_EXPIRING] = "certificate-expiring",
		[EDS_ALERT_CERTIFICATE_RENEWED] = "certificate-renewed",
		[EDS_ALERT_FAILURES_ROSE] = "failures-rose",
		[EDS_ALERT_FAILURES_FELL] = "failures-fell",
		[EDS_ALERT_REPORTS_STOPPED] = "reports-stopped",
		[EDS_ALERT_REPORTS_RESUMED] = "reports-resumed",
		[EDS_ALERT_NEW_SOURCE] = "new-source",
	};

	_Static_assert(sizeof names / sizeof names[0] == EDS_ALERT_EVENTS, "a name for each");
	return names[event];
}

static rt_status no_alert(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "alert-not-found", "there is no alert with this id here");
}

static const char *domain_or_none(const struct eds_alert_scope *scope)
{
	return scope->domain_id != NULL ? scope->domain_id : "";
}

static void read_alert(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_alert *alert)
{
	*alert = (struct eds_alert){
		.id = eds_db_text(ctx, query, ALERT_ID),
		.domain_id = eds_db_text(ctx, query, ALERT_DOMAIN_ID),
		.url = eds_db_text(ctx, query, ALERT_URL),
		.secret = eds_db_text(ctx, query, ALERT_SECRET),
		.events = eds_db_int(query, ALERT_EVENT_SET),
		.active = eds_db_int(query, ALERT_ACTIVE) != 0,
		.reason_code = eds_db_text(ctx, query, ALERT_REASON_CODE),
		.reason = eds_db_text(ctx, query, ALERT_REASON),
		.created_at_ms = eds_db_int(query, ALERT_CREATED_AT_MS),
		.confirmed_at_ms = eds_db_int(query, ALERT_CONFIRMED_AT_MS),
		.weekly_summary = eds_db_int(query, ALERT_SUMMARY_AT_MS) > 0,
	};
}

/* The value of the column `active` of an alert that is on. Mail alerts have the value 2, so that
 * programs of earlier releases, which know only webhooks, leave mail alerts alone. */
static int64_t active_value(const char *url)
{
	return eds_alert_is_mail(url) ? 2 : 1;
}

static rt_status check_room(struct rt_ctx *ctx, struct eds_store *store, const char *account_id)
{
	int64_t count;

	RT_TRY(eds_store_count(ctx, store, &COUNT, account_id, &count));
	if (count <= EDS_ALERTS_MAX)
		return RT_OK;
	return rt_fail(ctx, RT_FORBIDDEN, "alert-limit",
		"an account may have %d alerts, those of its domains included", EDS_ALERTS_MAX);
}

struct work {
	const struct eds_alert_scope *scope;
	const char *id;
	const struct eds_alert_edit *edit;
	const char *body;
	struct eds_alert *alert;
};

static rt_status no_summary(struct rt_ctx *ctx)
{
	rt_fail_field(ctx, "weeklySummary",
		"must not be true for a webhook: the summary is sent by mail");
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"the body has a field whose value is not allowed");
}

static rt_status create(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct work *work = arg;
	const struct eds_alert *alert = work->alert;
	enum eds_db_result result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(alert->id),
			eds_db_text_value(work->scope->account_id),
			eds_db_text_value(work->scope->domain_id), eds_db_text_value(alert->url),
			eds_db_text_value(alert->secret), eds_db_int_value(alert->events),
			eds_db_int_value(alert->created_at_ms),
			eds_db_int_value(active_value(alert->url))),
		NULL);

	if (result == EDS_DB_FOREIGN_KEY)
		return eds_store_no_domain(ctx);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	eds_store_audit_about(store, NULL, eds_alert_receiver(ctx, alert->url));
	RT_TRY(check_room(ctx, store, work->scope->account_id));
	if (!eds_alert_is_mail(alert->url))
		return alert->weekly_summary ? no_summary(ctx) : RT_OK;
	RT_TRY(eds_alert_mail_add(ctx, store, work->scope->account_id, alert->id));
	RT_TRY(eds_alert_summary_want(ctx, store, alert->id, alert->weekly_summary));
	return eds_alert_mail_ask(ctx, store, work->scope->account_id, alert);
}

rt_status eds_store_alert_create(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, struct eds_alert *alert)
{
	struct work work = {.scope = scope, .alert = alert};

	alert->id = eds_random_base32(ctx, ID_BYTES);
	if (eds_alert_is_mail(alert->url)) /* for mail, replaces the caller's secret by one for the
					    * links in the mails */
		alert->secret = eds_random_base32(ctx, EDS_ALERT_LINK_BYTES);
	alert->domain_id = scope->domain_id;
	alert->active = true;
	alert->created_at_ms = rt_wall_ms();
	return eds_store_write(ctx, store, create, &work);
}

rt_status eds_store_alert_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, struct eds_alert **alerts, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST,
		EDS_DB_VALUES(eds_db_text_value(scope->account_id),
			eds_db_text_value(domain_or_none(scope))),
		&query);

	*alerts = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*alerts = rt_grow(ctx, *alerts, *count, &room, sizeof **alerts);
		read_alert(ctx, query, &(*alerts)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_alert_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const char *id, struct eds_alert *alert)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &GET,
		EDS_DB_VALUES(eds_db_text_value(scope->account_id),
			eds_db_text_value(domain_or_none(scope)), eds_db_text_value(id)),
		&query);

	if (result == EDS_DB_ROW)
		read_alert(ctx, query, alert);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return no_alert(ctx);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status write_edit(struct rt_ctx *ctx, struct eds_store *store, const struct work *work,
	const struct eds_alert *before)
{
	const struct eds_alert_edit *edit = work->edit;
	int64_t on = active_value(before->url);
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &UPDATE,
		EDS_DB_VALUES(eds_db_text_value(work->scope->account_id),
			eds_db_text_value(domain_or_none(work->scope)), eds_db_text_value(work->id),
			eds_db_text_value(edit->url), eds_db_int_value(edit->events),
			eds_db_int_value(edit->active == NULL ? -1
					: *edit->active       ? on
							      : 0)),
		&query);
	bool found = result == EDS_DB_ROW;

	if (found) {
		read_alert(ctx, query, work->alert);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return found ? RT_OK : no_alert(ctx);
}

static rt_status keeps_kind(
	struct rt_ctx *ctx, const struct eds_alert_edit *edit, const struct eds_alert *before)
{
	bool mail = eds_alert_is_mail(before->url);

	if (edit->url == NULL || eds_alert_is_mail(edit->url) == mail)
		return RT_OK;
	rt_fail_field(ctx, mail ? "url" : "mail", "must not be given for %s",
		mail ? "a mail alert" : "a webhook");
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
		"the body has a field whose value is not allowed");
}

/* A new address must be confirmed, whether the alert is on or not. After an update that names an
 * address or switches the alert on, a mail asks for confirmation if the alert is on and its address
 * is not confirmed. */
static rt_status update_mail(struct rt_ctx *ctx, struct eds_store *store, const struct work *work,
	const struct eds_alert *before)
{
	const struct eds_alert_edit *edit = work->edit;
	bool moves = edit->url != NULL && strcmp(edit->url, before->url) != 0;

	if (moves) {
		RT_TRY(eds_alert_mail_unconfirm(ctx, store, work->id));
		RT_TRY(eds_alert_mail_renew_link(ctx, store, work->id));
		work->alert->confirmed_at_ms = 0;
	}
	if (!work->alert->active)
		return eds_store_outbox_drop(ctx, store, eds_alert_origin(ctx, work->id));
	if (work->alert->confirmed_at_ms > 0)
		return RT_OK;
	if (edit->url == NULL && (edit->active == NULL || !*edit->active || before->active))
		return RT_OK;
	return eds_alert_mail_ask(ctx, store, work->scope->account_id, work->alert);
}

static rt_status want_summary(struct rt_ctx *ctx, struct eds_store *store, const struct work *work)
{
	const bool *wanted = work->edit->weekly_summary;

	if (wanted == NULL)
		return RT_OK;
	if (!eds_alert_is_mail(work->alert->url))
		return *wanted ? no_summary(ctx) : RT_OK;
	work->alert->weekly_summary = *wanted;
	return eds_alert_summary_want(ctx, store, work->id, *wanted);
}

static rt_status update(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct work *work = arg;
	const char *origin = eds_alert_origin(ctx, work->id);
	struct eds_alert before = {.url = ""};

	RT_TRY(eds_store_alert_get(ctx, store, work->scope, work->id, &before));
	RT_TRY(keeps_kind(ctx, work->edit, &before));
	RT_TRY(write_edit(ctx, store, work, &before));
	eds_store_audit_about(store, NULL, eds_alert_receiver(ctx, work->alert->url));
	RT_TRY(want_summary(ctx, store, work));
	if (eds_alert_is_mail(before.url))
		return update_mail(ctx, store, work, &before);
	if (!work->alert->active)
		return eds_store_outbox_drop(ctx, store, origin);
	if (work->edit->url != NULL)
		return eds_store_outbox_redirect(ctx, store, origin, work->edit->url);
	return RT_OK;
}

rt_status eds_store_alert_update(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const char *id, const struct eds_alert_edit *edit,
	struct eds_alert *alert)
{
	struct work work = {.scope = scope, .id = id, .edit = edit, .alert = alert};

	return eds_store_write(ctx, store, update, &work);
}

static rt_status delete (struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct work *work = arg;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &DELETE,
		EDS_DB_VALUES(eds_db_text_value(work->scope->account_id),
			eds_db_text_value(domain_or_none(work->scope)),
			eds_db_text_value(work->id)),
		&query);
	bool found = result == EDS_DB_ROW;

	if (found) {
		eds_store_audit_about(
			store, NULL, eds_alert_receiver(ctx, eds_db_text(ctx, query, EDS_DB_ONLY)));
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (!found)
		return no_alert(ctx);
	return eds_store_outbox_delete(ctx, store, eds_alert_origin(ctx, work->id));
}

rt_status eds_store_alert_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const char *id)
{
	struct work work = {.scope = scope, .id = id};

	return eds_store_write(ctx, store, delete, &work);
}

static rt_status test(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct work *work = arg;
	bool mail = eds_alert_is_mail(work->alert->url);
	int64_t now_ms = rt_wall_ms();
	const struct eds_outbox_item item = {
		.origin = eds_alert_origin(ctx, work->alert->id),
		.event = rt_printf(ctx, "test %s", rt_uuid(ctx)),
		.account_id = work->scope->account_id,
		.url = work->alert->url,
		.secret = work->alert->secret,
		.body = work->body,
		.by_mail = mail,
		.due_at_ms = mail ? now_ms - EDS_ALERT_MAIL_WAIT_MS : 0,
		.until_ms = now_ms + EDS_OUTBOX_LIFE_MS,
		.forget_at_ms = now_ms + EDS_ALERT_LOG_MS,
	};

	eds_store_audit_about(store, NULL, eds_alert_receiver(ctx, work->alert->url));
	RT_TRY(eds_alert_check_confirmed(ctx, work->alert));
	RT_TRY(eds_store_use_alert(ctx, store, work->scope->account_id, work->scope->domain_id));
	RT_TRY(eds_store_outbox_add(ctx, store, &item));
	return mail ? eds_alert_mail_plan(ctx, store, work->alert->id) : RT_OK;
}

rt_status eds_store_alert_test(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const struct eds_alert *alert, const char *body)
{
	struct eds_alert tested = *alert;
	struct work work = {.scope = scope, .body = body, .alert = &tested};

	return eds_store_write(ctx, store, test, &work);
}

rt_status eds_store_alert_deliveries(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert *alert, struct eds_alert_delivery **deliveries, size_t *count)
{
	struct eds_outbox_seen *seen;
	int64_t next_ms;

	RT_TRY(eds_alert_mail_next(ctx, store, alert->id, &next_ms));
	RT_TRY(eds_store_outbox_list(ctx, store, eds_alert_origin(ctx, alert->id),
		EDS_ALERT_DELIVERIES_SHOWN, &seen, count));
	*deliveries = rt_alloc_array(ctx, *count > 0 ? *count : 1, sizeof **deliveries);
	for (size_t i = 0; i < *count; i++) {
		(*deliveries)[i] = (struct eds_alert_delivery){.seen = seen[i],
			.type = rt_memdup(ctx, seen[i].event, strcspn(seen[i].event, " ")),
			.created_at_ms = seen[i].created_at_ms};
		if (eds_alert_is_mail(alert->url) && strcmp(seen[i].state, "waiting") == 0)
			(*deliveries)[i].seen.due_at_ms = next_ms;
	}
	return RT_OK;
}
