/* Queues messages to alerts about changes. */
#include "functions/lib/store/alerts/alert-tell.h"
#include "runtime/time.h"

#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "functions/lib/store/alerts/alert-origin.h"
#include "functions/lib/store/alerts/outbox-add.h"

/* clang-format off */
static const struct eds_db_statement BROKE = {"alert-broke",
	"INSERT INTO alert_troubles (domain_id, subject, since_ms)"
	" VALUES ($1, $2, $3)"
	" ON CONFLICT (domain_id, subject) DO NOTHING"};

static const struct eds_db_statement RECOVERED = {"alert-recovered",
	"DELETE FROM alert_troubles WHERE domain_id = $1 AND subject = $2"};

#define RECEIVER_COLUMNS(FIRST, NEXT) \
	FIRST(RECEIVER_ID, "a.id") \
	NEXT(RECEIVER_ACCOUNT_ID, "a.account_id") \
	NEXT(RECEIVER_URL, "a.url") \
	NEXT(RECEIVER_SECRET, "a.secret") \
	NEXT(RECEIVER_EVENTS, "a.events")
enum { EDS_DB_NAMES(RECEIVER_COLUMNS) };

static const struct eds_db_statement WANTING = {"alert-wanting",
	"SELECT " EDS_DB_LIST(RECEIVER_COLUMNS)
	" FROM domains d"
	" JOIN alerts a ON a.account_id = d.account_id"
	" AND (a.domain_id IS NULL OR a.domain_id = d.id)"
	" WHERE d.id = $1 AND (a.active = 1"
	" OR (a.active = 2 AND EXISTS (SELECT 1 FROM alert_mails m WHERE m.alert_id = a.id"
	" AND m.confirmed_at_ms > 0)))"
	" ORDER BY a.id"};

#define LEFT_OUT_COLUMNS(FIRST, NEXT) \
	FIRST(LEFT_OUT_COUNT, "left_out") \
	NEXT(LEFT_OUT_UNTIL_MS, "left_out_until_ms")
enum { EDS_DB_NAMES(LEFT_OUT_COLUMNS) };

/* $2 is now, $3 the end of the hour. */
static const struct eds_db_statement LEFT_OUT = {"alert-left-out",
	"UPDATE alerts"
	" SET left_out = CASE WHEN left_out_until_ms > $2 THEN left_out + 1 ELSE 1 END,"
	" left_out_until_ms = CASE WHEN left_out_until_ms > $2 THEN left_out_until_ms ELSE $3 END"
	" WHERE id = $1"
	" RETURNING " EDS_DB_LIST(LEFT_OUT_COLUMNS)};

static const struct eds_db_statement LEAVE = {"alert-leave",
	"DELETE FROM outbox"
	" WHERE origin IN (SELECT '" EDS_ALERT_ORIGIN "' || id FROM alerts WHERE domain_id = $1)"};
/* clang-format on */

struct receiver {
	const char *id;
	const char *account_id;
	const char *url;
	const char *secret;
};

static rt_status status_of(struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result)
{
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status end_trouble(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	const char *subject, int64_t *changed)
{
	return status_of(ctx, store,
		eds_db_execute(store->db, &RECOVERED,
			EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(subject)),
			changed));
}

enum kind {
	NEITHER,
	TROUBLE,
	RECOVERY, /* the event ends the trouble that was reported under the same subject */
};

static const enum kind KINDS[EDS_ALERT_EVENTS] = {
	[EDS_ALERT_SELECTOR_BROKEN] = TROUBLE,
	[EDS_ALERT_SELECTOR_RECOVERED] = RECOVERY,
	[EDS_ALERT_MTA_STS_BROKEN] = TROUBLE,
	[EDS_ALERT_MTA_STS_RECOVERED] = RECOVERY,
	[EDS_ALERT_MX_UNCOVERED] = TROUBLE,
	[EDS_ALERT_MX_COVERED] = RECOVERY,
	[EDS_ALERT_CERTIFICATE_EXPIRING] = TROUBLE,
	[EDS_ALERT_CERTIFICATE_RENEWED] = RECOVERY,
	[EDS_ALERT_FAILURES_ROSE] = TROUBLE,
	[EDS_ALERT_FAILURES_FELL] = RECOVERY,
	[EDS_ALERT_REPORTS_STOPPED] = TROUBLE,
	[EDS_ALERT_REPORTS_RESUMED] = RECOVERY,
};

/* Records trouble and recovery; *tells is true when the event must be reported. */
static rt_status pair(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	const struct eds_alert_news *news, bool *tells)
{
	int64_t changed = 1;

	if (KINDS[news->event] == TROUBLE)
		RT_TRY(status_of(ctx, store,
			eds_db_execute(store->db, &BROKE,
				EDS_DB_VALUES(eds_db_text_value(domain_id),
					eds_db_text_value(news->subject),
					eds_db_int_value(rt_wall_ms())),
				&changed)));
	else if (KINDS[news->event] == RECOVERY)
		RT_TRY(end_trouble(ctx, store, domain_id, news->subject, &changed));
	*tells = changed > 0;
	return RT_OK;
}

rt_status eds_store_alert_trouble_over(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id, const char *subject)
{
	return end_trouble(ctx, store, domain_id, subject, NULL);
}

static rt_status find_receivers(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	enum eds_alert_event event, struct receiver *receivers, size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &WANTING, EDS_DB_VALUES(eds_db_text_value(domain_id)), &query);

	for (*count = 0; result == EDS_DB_ROW; result = eds_db_next(query)) {
		if ((eds_db_int(query, RECEIVER_EVENTS) & INT64_C(1) << event) == 0 ||
			*count == EDS_ALERTS_MAX)
			continue;
		receivers[(*count)++] = (struct receiver){
			.id = eds_db_text(ctx, query, RECEIVER_ID),
			.account_id = eds_db_text(ctx, query, RECEIVER_ACCOUNT_ID),
			.url = eds_db_text(ctx, query, RECEIVER_URL),
			.secret = eds_db_text(ctx, query, RECEIVER_SECRET),
		};
	}
	eds_db_end(query);
	return status_of(ctx, store, result);
}

static struct eds_outbox_item item_for(
	struct rt_ctx *ctx, const struct receiver *receiver, const char *event, const char *body)
{
	bool mail = eds_alert_is_mail(receiver->url);
	int64_t now_ms = rt_wall_ms();

	return (struct eds_outbox_item){
		.origin = eds_alert_origin(ctx, receiver->id),
		.event = event,
		.account_id = receiver->account_id,
		.url = receiver->url,
		.secret = mail ? "" : receiver->secret,
		.body = body,
		.by_mail = mail,
		.until_ms = now_ms + EDS_OUTBOX_LIFE_MS,
		.forget_at_ms = now_ms + EDS_ALERT_LOG_MS,
	};
}

/* Counts an event that is left out. When the hour is over, one message reports how many events were
 * left out in this hour. */
static rt_status leave_out(struct rt_ctx *ctx, struct eds_store *store,
	const struct receiver *receiver, int64_t hour_ends_ms)
{
	struct eds_outbox_item item;
	struct eds_db_query *query;
	int64_t until_ms = 0;
	int64_t left_out = 0;
	enum eds_db_result result = eds_db_query(store->db, &LEFT_OUT,
		EDS_DB_VALUES(eds_db_text_value(receiver->id), eds_db_int_value(rt_wall_ms()),
			eds_db_int_value(hour_ends_ms)),
		&query);

	if (result == EDS_DB_ROW) {
		left_out = eds_db_int(query, LEFT_OUT_COUNT);
		until_ms = eds_db_int(query, LEFT_OUT_UNTIL_MS);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	RT_TRY(status_of(ctx, store, result));
	item = item_for(ctx, receiver, rt_printf(ctx, "alerts-left-out %lld", (long long)until_ms),
		rt_printf(ctx,
			"{\"type\":\"alerts-left-out\",\"timestamp\":\"%s\",\"data\":{\"count\":"
			"%lld,\"what\":\"The account has reached its limit of alerts per hour; "
			"alerts not sent: %lld.\",\"advice\":\"The history of each domain shows "
			"what changed.\"}}",
			rt_time_format(ctx, rt_wall_ms()), (long long)left_out,
			(long long)left_out));
	item.due_at_ms = until_ms;
	RT_TRY(eds_store_outbox_sum(ctx, store, &item));
	return item.by_mail ? eds_alert_mail_plan(ctx, store, receiver->id) : RT_OK;
}

/* The name of the event in the outbox. It contains the domain: an alert of the account is about
 * many domains, and one run may find changes of several domains at the same moment. */
static char *name_of(struct rt_ctx *ctx, const char *domain_id, const struct eds_alert_news *news)
{
	return rt_printf(ctx, "%s %s %s %s", eds_alert_event_name(news->event), domain_id,
		news->subject, news->change);
}

static rt_status tell_one(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	const struct receiver *receiver, const struct eds_alert_news *news)
{
	rt_status status = eds_store_use_alert(ctx, store, receiver->account_id, domain_id);
	struct eds_outbox_item item;

	if (status == RT_LIMIT) {
		int64_t wait_ms = (int64_t)ctx->failure.retry_after_s * 1000;

		rt_fail_clear(ctx);
		return leave_out(ctx, store, receiver, rt_wall_ms() + wait_ms);
	}
	RT_TRY(status);
	item = item_for(ctx, receiver, name_of(ctx, domain_id, news), news->body);
	RT_TRY(eds_store_outbox_add(ctx, store, &item));
	return item.by_mail ? eds_alert_mail_plan(ctx, store, receiver->id) : RT_OK;
}

static rt_status tell(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	const struct eds_alert_news *news)
{
	struct receiver receivers[EDS_ALERTS_MAX];
	size_t count = 0;
	bool tells;

	RT_TRY(pair(ctx, store, domain_id, news, &tells));
	if (tells)
		RT_TRY(find_receivers(ctx, store, domain_id, news->event, receivers, &count));
	for (size_t i = 0; i < count; i++)
		RT_TRY(tell_one(ctx, store, domain_id, &receivers[i], news));
	return RT_OK;
}

rt_status eds_store_alert_tell(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	const struct eds_alert_all_news *news)
{
	for (size_t i = 0; i < news->count; i++)
		RT_TRY(tell(ctx, store, domain_id, &news->items[i]));
	return RT_OK;
}

rt_status eds_store_alert_leave(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	return status_of(ctx, store,
		eds_db_execute(
			store->db, &LEAVE, EDS_DB_VALUES(eds_db_text_value(domain_id)), NULL));
}
