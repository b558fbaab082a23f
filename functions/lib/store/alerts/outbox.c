#include "functions/lib/store/alerts/outbox-add.h"
#include "runtime/time.h"

#include "functions/lib/random-text.h"

enum {
	ID_BYTES = 16,
};

/* clang-format off */
#define ADD_TEXT \
	"INSERT INTO outbox (id, origin, event, account_id, url, secret, body, created_at_ms," \
	" until_ms, forget_at_ms, due_at_ms, mail_at_ms)" \
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)" \
	" ON CONFLICT (origin, event) DO "

static const struct eds_db_statement ADD = {"outbox-add", ADD_TEXT "NOTHING"};

static const struct eds_db_statement SUM = {"outbox-sum",
	ADD_TEXT "UPDATE SET body = excluded.body WHERE outbox.state = 'waiting'"};

static const struct eds_db_statement REPLACE = {"outbox-replace",
	"DELETE FROM outbox WHERE origin = $1 AND event <> $2 AND state = 'waiting'"};

static const struct eds_db_statement DROP = {"outbox-drop",
	"UPDATE outbox"
	" SET due_at_ms = 0, state = 'failed', reason_code = 'alert-off',"
	" reason = 'The alert was switched off.', secret = ''"
	" WHERE origin = $1 AND state = 'waiting'"};

static const struct eds_db_statement REDIRECT = {"outbox-redirect",
	"UPDATE outbox SET url = $2 WHERE origin = $1 AND state = 'waiting'"};

static const struct eds_db_statement DELETE = {"outbox-delete",
	"DELETE FROM outbox WHERE origin = $1"};

#define SEEN_COLUMNS(FIRST, NEXT) \
	FIRST(SEEN_ID, "id") \
	NEXT(SEEN_STATE, "state") \
	NEXT(SEEN_TRIES, "tries") \
	NEXT(SEEN_TRIED_AT_MS, "tried_at_ms") \
	NEXT(SEEN_DUE_AT_MS, "due_at_ms") \
	NEXT(SEEN_STATUS, "status") \
	NEXT(SEEN_REASON_CODE, "reason_code") \
	NEXT(SEEN_REASON, "reason") \
	NEXT(SEEN_EVENT, "event") \
	NEXT(SEEN_CREATED_AT_MS, "created_at_ms")
enum { EDS_DB_NAMES(SEEN_COLUMNS) };

static const struct eds_db_statement LATEST = {"outbox-latest",
	"SELECT " EDS_DB_LIST(SEEN_COLUMNS)
	" FROM outbox"
	" WHERE origin = $1"
	" ORDER BY created_at_ms DESC, id DESC"
	" LIMIT $2"};

static const struct eds_db_statement FORGET = {"outbox-forget",
	"DELETE FROM outbox"
	" WHERE id IN (SELECT id FROM outbox WHERE forget_at_ms <= $1 ORDER BY forget_at_ms"
	" LIMIT $2)"};
/* clang-format on */

static rt_status status_of(struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result)
{
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_outbox_item *item)
{
	int64_t now_ms = rt_wall_ms();
	int64_t until_ms = now_ms + EDS_OUTBOX_LIFE_MS;
	int64_t due_at_ms = item->due_at_ms > 0 ? item->due_at_ms : now_ms;

	return status_of(ctx, store,
		eds_db_execute(store->db, statement,
			EDS_DB_VALUES(eds_db_text_value(eds_random_base32(ctx, ID_BYTES)),
				eds_db_text_value(item->origin), eds_db_text_value(item->event),
				eds_db_text_value(item->account_id), eds_db_text_value(item->url),
				eds_db_text_value(item->secret), eds_db_text_value(item->body),
				eds_db_int_value(now_ms),
				eds_db_int_value(
					item->until_ms < until_ms ? item->until_ms : until_ms),
				eds_db_int_value(item->forget_at_ms),
				eds_db_int_value(item->by_mail ? 0 : due_at_ms),
				eds_db_int_value(item->by_mail ? due_at_ms : 0)),
			NULL));
}

rt_status eds_store_outbox_add(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_item *item)
{
	return add(ctx, store, &ADD, item);
}

rt_status eds_store_outbox_sum(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_item *item)
{
	return add(ctx, store, &SUM, item);
}

static rt_status change_origin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const char *origin)
{
	return status_of(ctx, store,
		eds_db_execute(
			store->db, statement, EDS_DB_VALUES(eds_db_text_value(origin)), NULL));
}

rt_status eds_store_outbox_drop(struct rt_ctx *ctx, struct eds_store *store, const char *origin)
{
	return change_origin(ctx, store, &DROP, origin);
}

rt_status eds_store_outbox_delete(struct rt_ctx *ctx, struct eds_store *store, const char *origin)
{
	return change_origin(ctx, store, &DELETE, origin);
}

rt_status eds_store_outbox_redirect(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin, const char *url)
{
	return status_of(ctx, store,
		eds_db_execute(store->db, &REDIRECT,
			EDS_DB_VALUES(eds_db_text_value(origin), eds_db_text_value(url)), NULL));
}

rt_status eds_store_outbox_replace(
	struct rt_ctx *ctx, struct eds_store *store, const char *origin, const char *event)
{
	return status_of(ctx, store,
		eds_db_execute(store->db, &REPLACE,
			EDS_DB_VALUES(eds_db_text_value(origin), eds_db_text_value(event)), NULL));
}

static void read_seen(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_outbox_seen *seen)
{
	*seen = (struct eds_outbox_seen){
		.id = eds_db_text(ctx, query, SEEN_ID),
		.state = eds_db_text(ctx, query, SEEN_STATE),
		.tries = eds_db_int(query, SEEN_TRIES),
		.tried_at_ms = eds_db_int(query, SEEN_TRIED_AT_MS),
		.due_at_ms = eds_db_int(query, SEEN_DUE_AT_MS),
		.status = eds_db_int(query, SEEN_STATUS),
		.reason_code = eds_db_text(ctx, query, SEEN_REASON_CODE),
		.reason = eds_db_text(ctx, query, SEEN_REASON),
		.event = eds_db_text(ctx, query, SEEN_EVENT),
		.created_at_ms = eds_db_int(query, SEEN_CREATED_AT_MS),
	};
}

rt_status eds_store_outbox_list(struct rt_ctx *ctx, struct eds_store *store, const char *origin,
	int limit, struct eds_outbox_seen **seen, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LATEST,
		EDS_DB_VALUES(eds_db_text_value(origin), eds_db_int_value(limit)), &query);

	*seen = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*seen = rt_grow(ctx, *seen, *count, &room, sizeof **seen);
		read_seen(ctx, query, &(*seen)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return status_of(ctx, store, result);
}

rt_status eds_store_outbox_latest(struct rt_ctx *ctx, struct eds_store *store, const char *origin,
	struct eds_outbox_seen *seen, bool *found)
{
	struct eds_outbox_seen *latest;
	size_t count;

	RT_TRY(eds_store_outbox_list(ctx, store, origin, 1, &latest, &count));
	*found = count > 0;
	if (*found)
		*seen = *latest;
	return RT_OK;
}

static rt_status forget(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	(void)arg;
	return status_of(ctx, store,
		eds_db_execute(store->db, &FORGET,
			EDS_DB_VALUES(eds_db_int_value(rt_wall_ms()),
				eds_db_int_value(EDS_OUTBOX_FORGET_BATCH)),
			NULL));
}

rt_status eds_store_outbox_forget(struct rt_ctx *ctx, struct eds_store *store)
{
	return eds_store_write_guarded(ctx, store, forget, NULL);
}
