#include "functions/lib/store/alerts/outbox-due.h"
#include "functions/lib/store/alerts/alert-off.h"
#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/alerts/outbox-add.h"
#include "functions/lib/store/due.h"
#include "runtime/time.h"

/* clang-format off */
#define IS_DUE "due_at_ms > 0 AND due_at_ms <= $2 AND $5 NOT LIKE '%|' || account_id || '|%'"
#define DUE_COLUMNS(FIRST, NEXT) \
	FIRST(DUE_ID, "id") \
	NEXT(DUE_ACCOUNT_ID, "account_id") \
	NEXT(DUE_URL, "url") \
	NEXT(DUE_SECRET, "secret") \
	NEXT(DUE_BODY, "body") \
	NEXT(DUE_UNTIL_MS, "until_ms") \
	NEXT(DUE_TRIES, "tries") \
	NEXT(DUE_LEASE_MS, "due_at_ms") \
	NEXT(DUE_ORIGIN, "origin") \
	NEXT(DUE_CREATED_AT_MS, "created_at_ms")
enum { EDS_DB_NAMES(DUE_COLUMNS) };

#define CLAIMED \
	"UPDATE outbox" \
	" SET due_at_ms = $1, tries = tries + 1" \
	" WHERE id IN (SELECT id FROM due)" \
	" RETURNING " EDS_DB_LIST(DUE_COLUMNS)
#define CLAIM_TEXT(lock) \
	"WITH due AS (SELECT id FROM outbox WHERE " IS_DUE " AND due_at_ms >= $4" \
	" ORDER BY due_at_ms LIMIT $3" lock ") " CLAIMED
/* A claim in which accounts take turns, as due.h describes for EDS_DUE_TURNS. */
#define TURNS_TEXT(lock) \
	"WITH seen AS (SELECT * FROM (SELECT id, account_id, due_at_ms FROM outbox WHERE " IS_DUE \
	" AND due_at_ms >= $4 ORDER BY due_at_ms LIMIT 4 * CAST($3 AS BIGINT)) AS longest UNION SELECT * FROM" \
	" (SELECT id, account_id, due_at_ms FROM outbox WHERE " IS_DUE " AND due_at_ms >= $6" \
	" ORDER BY due_at_ms LIMIT 4 * CAST($3 AS BIGINT)) AS later)," \
	" turns AS (SELECT id, due_at_ms, row_number() OVER (PARTITION BY account_id" \
	" ORDER BY due_at_ms) AS turn FROM seen)," \
	" due AS (SELECT m.id FROM turns t JOIN outbox m ON m.id = t.id WHERE m.due_at_ms > 0" \
	" AND m.due_at_ms <= $2 ORDER BY t.turn, t.due_at_ms LIMIT $3" lock ") " CLAIMED

static const struct eds_db_statement CLAIM = {"outbox-claim", CLAIM_TEXT("")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"outbox-claim-beside", CLAIM_TEXT(" FOR UPDATE SKIP LOCKED")};
static const struct eds_db_statement CLAIM_TURNS = {"outbox-claim-turns", TURNS_TEXT("")};
static const struct eds_db_statement CLAIM_TURNS_BESIDE = {
	"outbox-claim-turns-beside", TURNS_TEXT(" FOR UPDATE OF m SKIP LOCKED")};
static const struct eds_db_statement LONGEST_DUE = {"outbox-longest-due",
	"SELECT due_at_ms"
	" FROM outbox"
	" WHERE due_at_ms > 0 AND due_at_ms <= $1"
	" ORDER BY due_at_ms"
	" LIMIT 1"};

static const struct eds_db_statement AGAIN = {"outbox-again",
	"UPDATE outbox"
	" SET due_at_ms = $3, tries = tries - $4, tried_at_ms = CASE WHEN CAST($4 AS BIGINT) = 0"
	" THEN $5 ELSE tried_at_ms END, status = $6, reason_code = $7, reason = $8"
	" WHERE id = $1 AND due_at_ms + 0 = $2"};

static const struct eds_db_statement GIVE_BACK = {"outbox-give-back",
	"UPDATE outbox"
	" SET due_at_ms = $3, tries = tries - 1"
	" WHERE id = $1 AND due_at_ms + 0 = $2"};

static const struct eds_db_statement SETTLE = {"outbox-settle",
	"UPDATE outbox"
	" SET due_at_ms = 0, state = $3, tried_at_ms = $4, status = $5, reason_code = $6,"
	" reason = $7, body = " EDS_OUTBOX_BODY_KEPT ", secret = ''"
	" WHERE id = $1 AND due_at_ms + 0 = $2"};
/* clang-format on */

static rt_status status_of(struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result)
{
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static void read_due(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	*(struct eds_outbox_due *)item = (struct eds_outbox_due){
		.id = eds_db_text(ctx, query, DUE_ID),
		.account_id = eds_db_text(ctx, query, DUE_ACCOUNT_ID),
		.url = eds_db_text(ctx, query, DUE_URL),
		.secret = eds_db_text(ctx, query, DUE_SECRET),
		.body = eds_db_text(ctx, query, DUE_BODY),
		.until_ms = eds_db_int(query, DUE_UNTIL_MS),
		.tries = eds_db_int(query, DUE_TRIES),
		.lease_ms = eds_db_int(query, DUE_LEASE_MS),
		.origin = eds_db_text(ctx, query, DUE_ORIGIN),
		.created_at_ms = eds_db_int(query, DUE_CREATED_AT_MS),
	};
}

static rt_status write_again(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_due *due)
{
	return status_of(ctx, store,
		eds_db_execute(store->db, &AGAIN,
			EDS_DB_VALUES(eds_db_text_value(due->id), eds_db_int_value(due->lease_ms),
				eds_db_int_value(due->next_at_ms),
				eds_db_int_value(due->outcome == EDS_OUTBOX_UNTRIED),
				eds_db_int_value(rt_wall_ms()), eds_db_int_value(due->status),
				eds_db_text_value(due->reason_code),
				eds_db_text_value(due->reason)),
			NULL));
}

static rt_status write_given_back(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_due *due)
{
	return status_of(ctx, store,
		eds_db_execute(store->db, &GIVE_BACK,
			EDS_DB_VALUES(eds_db_text_value(due->id), eds_db_int_value(due->lease_ms),
				eds_db_int_value(due->next_at_ms)),
			NULL));
}

static rt_status write_settled(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_due *due)
{
	bool failed = due->outcome == EDS_OUTBOX_FAILED;
	int64_t changed = 0;

	RT_TRY(status_of(ctx, store,
		eds_db_execute(store->db, &SETTLE,
			EDS_DB_VALUES(eds_db_text_value(due->id), eds_db_int_value(due->lease_ms),
				eds_db_text_value(failed ? "failed" : "delivered"),
				eds_db_int_value(rt_wall_ms()), eds_db_int_value(due->status),
				eds_db_text_value(due->reason_code),
				eds_db_text_value(due->reason)),
			&changed)));
	return failed && changed > 0 ? eds_store_alert_failed(ctx, store, due) : RT_OK;
}

static rt_status write_outcome(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_outbox_due *due)
{
	switch (due->outcome) {
	case EDS_OUTBOX_OPEN:
		return RT_OK;
	case EDS_OUTBOX_DELIVERED:
	case EDS_OUTBOX_FAILED:
		return write_settled(ctx, store, due);
	case EDS_OUTBOX_GIVEN_BACK:
		return write_given_back(ctx, store, due);
	case EDS_OUTBOX_LATER:
	case EDS_OUTBOX_UNTRIED:
		break;
	}
	return write_again(ctx, store, due);
}

static rt_status write_outcomes(struct rt_ctx *ctx, struct eds_store *store, const void *items,
	size_t count, size_t *written)
{
	const struct eds_outbox_due *due = items;

	*written = count;
	for (size_t i = 0; i < count; i++)
		RT_TRY(write_outcome(ctx, store, &due[i]));
	return RT_OK;
}

static const struct eds_due_kind OUTBOX = {
	.item_bytes = sizeof(struct eds_outbox_due),
	.lease_ms = EDS_OUTBOX_LEASE_MS,
	.claim = &CLAIM,
	.claim_beside = &CLAIM_BESIDE,
	.claim_turns = &CLAIM_TURNS,
	.claim_turns_beside = &CLAIM_TURNS_BESIDE,
	.longest_due = &LONGEST_DUE,
	.late_ms = 0, /* accounts always take turns, because rows of a receiver that does not answer
		       * stay overdue for a long time */
	.read = read_due,
	.write = write_outcomes,
};

rt_status eds_store_outbox_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_outbox_due *done, size_t done_count, const char *left_out, size_t max,
	struct eds_outbox_due **claimed, size_t *claimed_count)
{
	struct eds_due_kind kind = OUTBOX;
	size_t written;
	void *items;

	kind.left_out = left_out;
	RT_TRY(eds_store_due_turn(
		ctx, store, &kind, done, done_count, &written, max, &items, claimed_count));
	*claimed = items;
	return RT_OK;
}
