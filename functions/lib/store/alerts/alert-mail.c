/* Due alert mails: claims them with a lease and writes their outcomes. */
#include "functions/lib/store/alerts/alert-mail-row.h"
#include "runtime/time.h"

#include <sha2.h>
#include <string.h>

#include "functions/lib/random-text.h"
#include "functions/lib/store/alerts/alert-origin.h"
#include "functions/lib/store/alerts/outbox-add.h"
#include "functions/lib/store/due.h"

enum {
	TOKEN_BYTES = 32,
};

/* clang-format off */
/* The lease of a mail and the pause before its next try last two hours at most. So a held_until_ms
 * more than three hours in the future was written while a clock was fast, and is ignored. */
#define HELD_MAX_MS "10800000"
#define DUE(now) \
	"due_at_ms > 0 AND due_at_ms <= " now \
	" AND (held_until_ms <= " now " OR held_until_ms > " now " + " HELD_MAX_MS ")"
#define CLAIMED_COLUMNS(FIRST, NEXT) \
	FIRST(CLAIMED_ALERT_ID, "alert_id") \
	NEXT(CLAIMED_HELD_UNTIL_MS, "held_until_ms") \
	NEXT(CLAIMED_TRIES, "tries")
enum { EDS_DB_NAMES(CLAIMED_COLUMNS) };

#define CLAIM_TEXT(lock) \
	"WITH due AS (SELECT alert_id FROM alert_mails WHERE " DUE("$2") \
	" AND due_at_ms >= $4 ORDER BY due_at_ms LIMIT $3" lock ")" \
	" UPDATE alert_mails" \
	" SET held_until_ms = $1" \
	" WHERE alert_id IN (SELECT alert_id FROM due)" \
	" RETURNING " EDS_DB_LIST(CLAIMED_COLUMNS)

static const struct eds_db_statement CLAIM = {"alert-mail-claim", CLAIM_TEXT("")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"alert-mail-claim-beside", CLAIM_TEXT(" FOR UPDATE SKIP LOCKED")};
static const struct eds_db_statement LONGEST_DUE = {"alert-mail-longest-due",
	"SELECT due_at_ms"
	" FROM alert_mails"
	" WHERE " DUE("$1")
	" ORDER BY due_at_ms"
	" LIMIT 1"};

/* Gives up events for an address that is not confirmed, requests to confirm an address that is
 * confirmed already, and events past their time. */
static const struct eds_db_statement DROP_OLD = {"alert-mail-drop-old",
	"UPDATE outbox"
	" SET state = 'failed', reason_code = coalesce(reason_code, 'delivery-late'),"
	" reason = coalesce(reason, 'The time allowed for this delivery ended before it was made.')"
	" WHERE origin = $1 AND state = 'waiting' AND mail_at_ms > 0"
	" AND (until_ms <= $2 OR (CAST($3 AS BIGINT) > 0"
	" AND event LIKE '" EDS_ALERT_CONFIRMATION " %')"
	" OR (CAST($3 AS BIGINT) = 0 AND event NOT LIKE '" EDS_ALERT_CONFIRMATION " %'))"};

/* Locks the row, so that another process can change the address only before this transaction reads,
 * or after it has written. */
static const struct eds_db_statement HOLD = {"alert-mail-hold",
	"UPDATE alert_mails SET held_until_ms = $2 WHERE alert_id = $1 AND held_until_ms = $2"};

#define ALERT_COLUMNS(FIRST, NEXT) \
	FIRST(ALERT_URL, "a.url") \
	NEXT(ALERT_SECRET, "a.secret") \
	NEXT(ALERT_DOMAIN, "d.name") \
	NEXT(ALERT_CONFIRMED_AT_MS, "m.confirmed_at_ms")
enum { EDS_DB_NAMES(ALERT_COLUMNS) };

static const struct eds_db_statement OF_ALERT = {"alert-mail-of-alert",
	"SELECT " EDS_DB_LIST(ALERT_COLUMNS)
	" FROM alert_mails m"
	" JOIN alerts a ON a.id = m.alert_id"
	" LEFT JOIN domains d ON d.id = a.domain_id"
	" WHERE m.alert_id = $1 AND m.held_until_ms = $2"};

#define EVENT_COLUMNS(FIRST, NEXT) \
	FIRST(EVENT_ID, "id") \
	NEXT(EVENT_NAME, "event") \
	NEXT(EVENT_BODY, "body") \
	NEXT(EVENT_CREATED_AT_MS, "created_at_ms") \
	NEXT(EVENT_UNTIL_MS, "until_ms")
enum { EDS_DB_NAMES(EVENT_COLUMNS) };

static const struct eds_db_statement EVENTS = {"alert-mail-events",
	"SELECT " EDS_DB_LIST(EVENT_COLUMNS)
	" FROM outbox"
	" WHERE origin = $1 AND state = 'waiting' AND mail_at_ms > 0 AND mail_at_ms <= $2"
	" ORDER BY created_at_ms, id"
	" LIMIT $3"};

static const struct eds_db_statement NEW_TOKEN = {"alert-mail-new-token",
	"UPDATE alert_mails"
	" SET token_digest = $3, token_until_ms = $4"
	" WHERE alert_id = $1 AND held_until_ms = $2"};

static const struct eds_db_statement GIVE_BACK = {"alert-mail-give-back",
	"UPDATE alert_mails"
	" SET held_until_ms = $3, tries = $4"
	" WHERE alert_id = $1 AND held_until_ms = $2"};

static const struct eds_db_statement TRIED = {"alert-mail-tried",
	"UPDATE outbox"
	" SET state = $2, tries = tries + 1, tried_at_ms = $3, status = $4, reason_code = $5,"
	" reason = $6"
	" WHERE id = $1 AND state = 'waiting'"};

static const struct eds_db_statement SWITCH_OFF = {"alert-mail-switch-off",
	"UPDATE alerts SET active = 0, reason_code = $2, reason = $3 WHERE id = $1"};

static const struct eds_db_statement FORGET = {"alert-mail-forget",
	"DELETE FROM alert_mail_asks"
	" WHERE id IN (SELECT id FROM alert_mail_asks WHERE asked_at_ms <= $1"
	" ORDER BY asked_at_ms LIMIT $2)"};
/* clang-format on */

static rt_status execute(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	int64_t *changed)
{
	enum eds_db_result result = eds_db_execute(store->db, statement, values, count, changed);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static void read_claimed(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	*(struct eds_alert_mail *)item = (struct eds_alert_mail){
		.alert_id = eds_db_text(ctx, query, CLAIMED_ALERT_ID),
		.lease_ms = eds_db_int(query, CLAIMED_HELD_UNTIL_MS),
		.tries = eds_db_int(query, CLAIMED_TRIES),
	};
}

static rt_status write_none(struct rt_ctx *ctx, struct eds_store *store, const void *items,
	size_t count, size_t *written)
{
	(void)ctx;
	(void)store;
	(void)items;
	*written = count;
	return RT_OK;
}

/* Accounts do not take turns (due.h), because each has few alerts, and events that come together
 * make one mail. */
static const struct eds_due_kind MAILS = {
	.item_bytes = sizeof(struct eds_alert_mail),
	.lease_ms = EDS_ALERT_MAIL_LEASE_MS,
	.claim = &CLAIM,
	.claim_beside = &CLAIM_BESIDE,
	.longest_due = &LONGEST_DUE,
	.late_ms = INT64_MAX,
	.read = read_claimed,
	.write = write_none,
};

rt_status eds_store_alert_mail_claim(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_alert_mail *mail, bool *found)
{
	size_t written;
	size_t count;
	void *items;

	RT_TRY(eds_store_due_turn(ctx, store, &MAILS, NULL, 0, &written, 1, &items, &count));
	*found = count > 0;
	if (*found)
		*mail = *(struct eds_alert_mail *)items;
	return RT_OK;
}

static const char *digest_of(struct rt_ctx *ctx, const char *token)
{
	char *digest = rt_alloc(ctx, SHA256_DIGEST_STRING_LENGTH);

	return SHA256Data((const uint8_t *)token, strlen(token), digest);
}

static rt_status make_token(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_alert_mail *mail)
{
	mail->token = eds_random_base32(ctx, TOKEN_BYTES);
	return execute(ctx, store, &NEW_TOKEN,
		EDS_DB_VALUES(eds_db_text_value(mail->alert_id), eds_db_int_value(mail->lease_ms),
			eds_db_text_value(digest_of(ctx, mail->token)),
			eds_db_int_value(rt_wall_ms() + EDS_ALERT_LINK_MS)),
		NULL);
}

static rt_status load_alert(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_alert_mail *mail, bool *found, bool *confirmed)
{
	struct eds_alert alert = {0};
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &OF_ALERT,
		EDS_DB_VALUES(eds_db_text_value(mail->alert_id), eds_db_int_value(mail->lease_ms)),
		&query);

	*found = result == EDS_DB_ROW;
	if (*found) {
		alert.url = eds_db_text(ctx, query, ALERT_URL);
		mail->address = eds_alert_mail_address(&alert);
		mail->secret = eds_db_text(ctx, query, ALERT_SECRET);
		mail->domain = eds_db_text(ctx, query, ALERT_DOMAIN);
		*confirmed = eds_db_int(query, ALERT_CONFIRMED_AT_MS) > 0;
		*found = mail->address != NULL;
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status load_events(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_alert_mail *mail, const char *origin)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &EVENTS,
		EDS_DB_VALUES(eds_db_text_value(origin), eds_db_int_value(rt_wall_ms()),
			eds_db_int_value(EDS_ALERT_MAIL_EVENTS_MAX)),
		&query);

	mail->events = rt_alloc_array(ctx, EDS_ALERT_MAIL_EVENTS_MAX, sizeof *mail->events);
	for (mail->count = 0; result == EDS_DB_ROW; mail->count++) {
		const char *event = eds_db_text(ctx, query, EVENT_NAME);

		mail->events[mail->count] = (struct eds_alert_mail_event){
			.id = eds_db_text(ctx, query, EVENT_ID),
			.type = rt_memdup(ctx, event, strcspn(event, " ")),
			.body = eds_db_text(ctx, query, EVENT_BODY),
			.created_at_ms = eds_db_int(query, EVENT_CREATED_AT_MS),
			.until_ms = eds_db_int(query, EVENT_UNTIL_MS),
		};
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status load(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct eds_alert_mail *mail = arg;
	const char *origin = eds_alert_origin(ctx, mail->alert_id);
	bool confirmed = false;
	int64_t held = 0;
	bool found = false;

	mail->count = 0;
	RT_TRY(execute(ctx, store, &HOLD,
		EDS_DB_VALUES(eds_db_text_value(mail->alert_id), eds_db_int_value(mail->lease_ms)),
		&held));
	if (held == 0)
		return RT_OK;
	RT_TRY(load_alert(ctx, store, mail, &found, &confirmed));
	if (!found)
		return RT_OK;
	RT_TRY(execute(ctx, store, &DROP_OLD,
		EDS_DB_VALUES(eds_db_text_value(origin), eds_db_int_value(rt_wall_ms()),
			eds_db_int_value(confirmed)),
		NULL));
	RT_TRY(load_events(ctx, store, mail, origin));
	return confirmed || mail->count == 0 ? RT_OK : make_token(ctx, store, mail);
}

rt_status eds_store_alert_mail_load(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_alert_mail *mail)
{
	return eds_store_write_guarded(ctx, store, load, mail);
}

static const char *state_of(
	const struct eds_alert_mail *mail, const struct eds_alert_mail_event *event)
{
	if (mail->outcome == EDS_OUTBOX_DELIVERED)
		return "delivered";
	if (mail->outcome == EDS_OUTBOX_LATER && mail->next_at_ms < event->until_ms)
		return "waiting";
	return "failed";
}

static rt_status write_event(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_alert_mail *mail, const struct eds_alert_mail_event *event)
{
	return execute(ctx, store, &TRIED,
		EDS_DB_VALUES(eds_db_text_value(event->id),
			eds_db_text_value(state_of(mail, event)), eds_db_int_value(rt_wall_ms()),
			eds_db_int_value(mail->status), eds_db_text_value(mail->reason_code),
			eds_db_text_value(mail->reason)),
		NULL);
}

static rt_status switch_off(struct rt_ctx *ctx, struct eds_store *store, const char *alert_id,
	const char *code, const char *reason)
{
	RT_TRY(execute(ctx, store, &SWITCH_OFF,
		EDS_DB_VALUES(eds_db_text_value(alert_id), eds_db_text_value(code),
			eds_db_text_value(reason)),
		NULL));
	return eds_store_outbox_drop(ctx, store, eds_alert_origin(ctx, alert_id));
}

/* Ends the lease first, which locks the row. A process that plans the alert's next mail at the same
 * moment writes that row too, so the two run one after the other and the later sees the earlier's
 * changes. */
static rt_status write_outcome(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_alert_mail *mail = arg;
	bool later = mail->outcome == EDS_OUTBOX_LATER;
	int64_t changed = 0;

	RT_TRY(execute(ctx, store, &GIVE_BACK,
		EDS_DB_VALUES(eds_db_text_value(mail->alert_id), eds_db_int_value(mail->lease_ms),
			eds_db_int_value(later ? mail->next_at_ms : 0),
			eds_db_int_value(later ? mail->tries + 1 : 0)),
		&changed));
	if (changed == 0)
		return RT_OK;
	for (size_t i = 0; i < mail->count; i++)
		RT_TRY(write_event(ctx, store, mail, &mail->events[i]));
	if (mail->is_refused)
		RT_TRY(switch_off(ctx, store, mail->alert_id, mail->reason_code, mail->reason));
	return eds_alert_mail_plan(ctx, store, mail->alert_id);
}

rt_status eds_store_alert_mail_write(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_alert_mail *mail)
{
	struct eds_alert_mail written = *mail;

	return eds_store_write_guarded(ctx, store, write_outcome, &written);
}

static rt_status forget(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	(void)arg;
	return execute(ctx, store, &FORGET,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() -
				      INT64_C(24) * 3600 * 1000 * EDS_ALERT_ASKS_LONG_DAYS),
			eds_db_int_value(EDS_OUTBOX_FORGET_BATCH)),
		NULL);
}

rt_status eds_store_alert_mail_forget(struct rt_ctx *ctx, struct eds_store *store)
{
	return eds_store_write_guarded(ctx, store, forget, NULL);
}
