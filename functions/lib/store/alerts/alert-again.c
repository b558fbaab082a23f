#include "functions/lib/store/alerts/alert-again.h"
#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/accounts/audit-write.h"
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "functions/lib/store/alerts/alert-origin.h"
#include "functions/lib/store/alerts/outbox-add.h"
#include "functions/lib/store/transaction.h"
#include "runtime/time.h"

/* clang-format off */
#define FOUND_COLUMNS(FIRST, NEXT) \
	FIRST(FOUND_WAITS, "CASE WHEN state = 'waiting' THEN 1 ELSE 0 END") \
	NEXT(FOUND_KEPT, "CASE WHEN body = '' THEN 0 ELSE 1 END")
enum { EDS_DB_NAMES(FOUND_COLUMNS) };

static const struct eds_db_statement FIND = {"outbox-find",
	"SELECT " EDS_DB_LIST(FOUND_COLUMNS) " FROM outbox WHERE id = $1 AND origin = $2"};

/* Changes nothing when another process has reopened or removed the row meanwhile. */
static const struct eds_db_statement REOPEN = {"outbox-reopen",
	"UPDATE outbox"
	" SET state = 'waiting', due_at_ms = $3, until_ms = $4, forget_at_ms = $5, tries = 0,"
	" status = 0, reason_code = NULL, reason = NULL, url = $6, secret = $7, mail_at_ms = $8"
	" WHERE id = $1 AND origin = $2 AND state <> 'waiting' AND body <> ''"};
/* clang-format on */

struct again {
	const struct eds_alert_scope *scope;
	const struct eds_alert *alert;
	const char *delivery_id;
};

static rt_status find(struct rt_ctx *ctx, struct eds_store *store, const struct again *again,
	bool *waits, bool *kept)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND,
		EDS_DB_VALUES(eds_db_text_value(again->delivery_id),
			eds_db_text_value(eds_alert_origin(ctx, again->alert->id))),
		&query);

	if (result == EDS_DB_ROW) {
		*waits = eds_db_int(query, FOUND_WAITS) != 0;
		*kept = eds_db_int(query, FOUND_KEPT) != 0;
	}
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return rt_fail(ctx, RT_NOT_FOUND, "delivery-not-found",
			"this alert has no delivery with this id");
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status under_way(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_CONFLICT, "delivery-under-way",
		"the delivery is under way already: it is tried until it arrives or a day is over");
}

static rt_status check(struct rt_ctx *ctx, struct eds_store *store, const struct again *again)
{
	bool waits = false;
	bool kept = false;

	RT_TRY(find(ctx, store, again, &waits, &kept));
	if (waits)
		return under_way(ctx);
	if (!kept)
		return rt_fail(ctx, RT_CONFLICT, "delivery-not-kept",
			"the contents of the delivery are not kept any more");
	return RT_OK;
}

static rt_status send_again(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct again *again = arg;
	bool mail = eds_alert_is_mail(again->alert->url);
	int64_t now_ms = rt_wall_ms();
	int64_t changed = 0;
	enum eds_db_result result;

	RT_TRY(eds_alert_check_confirmed(ctx, again->alert));
	RT_TRY(check(ctx, store, again));
	eds_store_audit_about(store, NULL, eds_alert_receiver(ctx, again->alert->url));
	RT_TRY(eds_store_use_alert(ctx, store, again->scope->account_id, again->scope->domain_id));
	result = eds_db_execute(store->db, &REOPEN,
		EDS_DB_VALUES(eds_db_text_value(again->delivery_id),
			eds_db_text_value(eds_alert_origin(ctx, again->alert->id)),
			eds_db_int_value(mail ? 0 : now_ms),
			eds_db_int_value(now_ms + EDS_OUTBOX_LIFE_MS),
			eds_db_int_value(now_ms + EDS_ALERT_LOG_MS),
			eds_db_text_value(again->alert->url),
			eds_db_text_value(mail ? "" : again->alert->secret),
			eds_db_int_value(mail ? now_ms - EDS_ALERT_MAIL_WAIT_MS : 0)),
		&changed);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (changed == 0)
		return under_way(ctx);
	return mail ? eds_alert_mail_plan(ctx, store, again->alert->id) : RT_OK;
}

rt_status eds_store_alert_send_again(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_scope *scope, const struct eds_alert *alert, const char *delivery_id)
{
	struct again again = {.scope = scope, .alert = alert, .delivery_id = delivery_id};

	return eds_store_write(ctx, store, send_again, &again);
}
