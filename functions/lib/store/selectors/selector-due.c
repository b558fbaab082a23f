#include <stdio.h>

#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/due.h"
#include "functions/lib/store/selectors/selector-change.h"
#include "functions/lib/store/selectors/selector-due.h"
#include "functions/lib/store/selectors/selector.h"

/* clang-format off */
#define DUE_COLUMNS(FIRST, NEXT) \
	FIRST(DUE_DOMAIN_ID, "domain_id") \
	NEXT(DUE_NAME, "name") \
	NEXT(DUE_DOMAIN, "domain") \
	NEXT(DUE_DIGEST, "digest") \
	NEXT(DUE_WILDCARD, "wildcard") \
	NEXT(DUE_PROBED_AT_MS, "probed_at_ms") \
	NEXT(DUE_CHANGED_AT_MS, "changed_at_ms") \
	NEXT(DUE_LEASE, EDS_DUE_LEASE) \
	NEXT(DUE_KEY_DIGEST, "key_digest") \
	NEXT(DUE_STATE, "state") \
	NEXT(DUE_KEY_TYPE, "key_type") \
	NEXT(DUE_KEY_BITS, "key_bits") \
	NEXT(DUE_KEY_HASH, "key_hash") \
	NEXT(DUE_RECORD_DIGEST, "record_digest")
enum { EDS_DB_NAMES(DUE_COLUMNS) };


#define CLAIMED(key) \
	"UPDATE dkim_selectors SET " EDS_DUE_TAKE \
	" WHERE (" key ") IN (SELECT " key " FROM due)" \
	" RETURNING " EDS_DB_LIST(DUE_COLUMNS)
#define CLAIM_TEXT(key, lock) EDS_DUE_FIRST("dkim_selectors", key, lock) CLAIMED(key)
#define TURNS_TEXT(lock) \
	EDS_DUE_TURNS("dkim_selectors", ", name", ", m.name", " AND m.name = t.name", "1", lock) \
	CLAIMED("domain_id, name")
/* SQLite finds a row by its rowid faster than by its key. */
static const struct eds_db_statement CLAIM = {"selector-claim", CLAIM_TEXT("rowid", "")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"selector-claim-beside", CLAIM_TEXT("domain_id, name", " FOR UPDATE SKIP LOCKED")};
static const struct eds_db_statement CLAIM_TURNS = {"selector-claim-turns", TURNS_TEXT("")};
static const struct eds_db_statement CLAIM_TURNS_BESIDE = {
	"selector-claim-turns-beside", TURNS_TEXT(" FOR UPDATE OF m SKIP LOCKED")};
static const struct eds_db_statement LONGEST_DUE = {
	"selector-longest-due", EDS_DUE_LONGEST("dkim_selectors")};
/* clang-format on */

/* Changes the due time, so that the item is not due during the check. The change also ends an
 * earlier lease of the item, because the due time is a part of the lease. */
static const struct eds_db_statement CLAIM_ONE = {"selector-claim-one",
	"UPDATE dkim_selectors"
	" SET due_at_ms = CASE WHEN due_at_ms < $1 THEN $1 ELSE due_at_ms + 1 END"
	" WHERE domain_id = $2 AND name = $3"
	" RETURNING " EDS_DB_LIST(DUE_COLUMNS)};

/* clang-format off */
static const struct eds_db_statement KEEP = {"selector-keep",
	"UPDATE dkim_selectors"
	" SET " EDS_DUE_NEXT("$1")
	" WHERE domain_id = $2 AND name = $3 AND " EDS_DUE_LEASE " = $4"};
/* clang-format on */

/* Nearly all checks find no change and only write new times. On a database server, where each
 * statement costs a message, one statement writes the times of many selectors. On SQLite, one
 * statement for each selector takes a third less time. In the list of VALUES, the first row sets
 * the types of the other rows. */
#define TOUCH_FIRST_ROW                                                                            \
	"($1, $2, CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS BIGINT))"
#define TOUCH_BEGINS                                                                               \
	"WITH done (of_domain, of_name, lease, next_at_ms, seen_at_ms, looked_at_ms) AS (VALUES "
/* clang-format off */
#define TOUCH_ENDS \
	") UPDATE dkim_selectors SET " EDS_DUE_NEXT("next_at_ms") ", checked_at_ms = seen_at_ms," \
	" probed_at_ms = looked_at_ms FROM done WHERE domain_id = of_domain AND name = of_name" \
	" AND " EDS_DUE_LEASE " = lease"
/* clang-format on */

enum {
	TOUCH_ROWS = 32,
	TOUCH_VALUES = 6, /* parameters of one row */
	TOUCH_VALUES_ALL = TOUCH_ROWS * TOUCH_VALUES,
	TOUCH_BYTES_MAX = 2048,
};
_Static_assert((int)TOUCH_VALUES_ALL <= (int)EDS_DB_VALUES_MAX, "values of one statement");

/* clang-format off */
static const struct eds_db_statement TOUCH_ONE = {"selector-touch-one",
	"UPDATE dkim_selectors"
	" SET " EDS_DUE_NEXT("$4") ", checked_at_ms = $5, probed_at_ms = $6"
	" WHERE domain_id = $1 AND name = $2 AND " EDS_DUE_LEASE " = $3"};

/* The time since which the key has been published. A key that disappears and comes back keeps this
 * time, unless another key was published in between. */
#define KEY_SINCE(now, digest, hash) \
	"CASE WHEN CAST(" hash " AS TEXT) IS NULL THEN key_since_ms" \
	" WHEN key_hash = " hash " OR (key_hash IS NULL AND key_digest = " digest ")" \
	" THEN CASE WHEN key_since_ms = 0 THEN changed_at_ms ELSE key_since_ms END ELSE " now \
	" END"

static const struct eds_db_statement CHANGE = {"selector-change",
	"UPDATE dkim_selectors"
	" SET " EDS_DUE_NEXT("$1") ", checked_at_ms = $5, changed_at_ms = $5, probed_at_ms = $6,"
	" state = $7, key_type = $8, key_bits = $9, alias = $10, errors = $11, warnings = $12,"
	" wildcard = $13, digest = $14, key_digest = $15, record = $16, record_digest = $14,"
	" key_hash = coalesce(CAST($17 AS TEXT), key_hash),"
	" key_since_ms = " KEY_SINCE("$5", "$15", "$17")
	" WHERE domain_id = $2 AND name = $3 AND " EDS_DUE_LEASE " = $4"};

/* Adds record and key to a row that a program of an earlier release wrote. Unless the row already
 * has this key and its time, the key is assumed to have been published since the result last
 * changed. */
static const struct eds_db_statement FILL = {"selector-fill",
	"UPDATE dkim_selectors"
	" SET " EDS_DUE_NEXT("$1") ", checked_at_ms = $5, probed_at_ms = $6, record = $7,"
	" record_digest = digest, key_digest = $8, key_since_ms = CASE"
	" WHEN CAST($9 AS TEXT) IS NULL OR (key_hash = $9 AND key_since_ms > 0) THEN key_since_ms"
	" ELSE changed_at_ms END, key_hash = coalesce(CAST($9 AS TEXT), key_hash)"
	" WHERE domain_id = $2 AND name = $3 AND " EDS_DUE_LEASE " = $4"};
/* clang-format on */

static rt_status change(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_selector_due *due, int64_t *changed)
{
	const struct eds_selector_check *check = due->check;
	enum eds_db_result result = eds_db_execute(store->db, &CHANGE,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms), eds_db_text_value(due->domain_id),
			eds_db_text_value(due->name), eds_db_int_value(due->lease),
			eds_db_int_value(check->checked_at_ms),
			eds_db_int_value(check->probed_at_ms), eds_db_text_value(check->state),
			eds_db_text_value(check->key_type), eds_db_int_value(check->key_bits),
			eds_db_text_value(check->alias), eds_db_text_value(check->errors),
			eds_db_text_value(check->warnings), eds_db_int_value(check->wildcard),
			eds_db_int_value(check->digest), eds_db_int_value(check->key_digest),
			eds_db_text_value(check->record), eds_db_text_value(check->key_hash)),
		changed);

	if (result == EDS_DB_OK && *changed > 0)
		result = eds_store_selector_remember(
			store, due->domain_id, due->name, check, due->changed_at_ms > 0);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (*changed == 0)
		return RT_OK;
	return eds_store_alert_tell(ctx, store, due->domain_id, &due->news);
}

static rt_status fill(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_selector_due *due, int64_t *changed)
{
	const struct eds_selector_check *check = due->check;
	enum eds_db_result result = eds_db_execute(store->db, &FILL,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms), eds_db_text_value(due->domain_id),
			eds_db_text_value(due->name), eds_db_int_value(due->lease),
			eds_db_int_value(check->checked_at_ms),
			eds_db_int_value(check->probed_at_ms), eds_db_text_value(check->record),
			eds_db_int_value(check->key_digest), eds_db_text_value(check->key_hash)),
		changed);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* Makes the statement that writes the times of TOUCH_ROWS rows at once. */
static const struct eds_db_statement *touch_all(void)
{
	static char text[TOUCH_BYTES_MAX];
	static const struct eds_db_statement statement = {"selector-touch-all", text};
	size_t length;

	if (text[0] != '\0')
		return &statement;
	length = (size_t)snprintf(text, sizeof text, "%s", TOUCH_BEGINS TOUCH_FIRST_ROW);
	for (int i = TOUCH_VALUES; i < TOUCH_VALUES_ALL; i += TOUCH_VALUES)
		length += (size_t)snprintf(text + length, sizeof text - length,
			",($%d,$%d,$%d,$%d,$%d,$%d)", i + 1, i + 2, i + 3, i + 4, i + 5, i + 6);
	snprintf(text + length, sizeof text - length, "%s", TOUCH_ENDS);
	return &statement;
}

/* Collects selectors for which only times must be written, until there are enough for one
 * statement. */
struct touched {
	struct eds_db_value values[TOUCH_VALUES_ALL];
	size_t count;
};

static enum eds_db_result touch(
	struct eds_store *store, struct touched *touched, size_t rows, int64_t *changed)
{
	enum eds_db_result result = EDS_DB_OK;

	*changed = 0;
	if (rows == TOUCH_ROWS && store->db->driver->writes_beside)
		return eds_db_execute(
			store->db, touch_all(), touched->values, TOUCH_VALUES_ALL, changed);
	for (size_t i = 0; i < rows && result == EDS_DB_OK; i++) {
		int64_t one = 0;

		result = eds_db_execute(store->db, &TOUCH_ONE, touched->values + i * TOUCH_VALUES,
			TOUCH_VALUES, &one);
		*changed += one;
	}
	return result;
}

static enum eds_db_result take_touched(struct eds_store *store, struct touched *touched,
	const struct eds_selector_due *due, int64_t *changed)
{
	struct eds_db_value *value = touched->values + touched->count++ * TOUCH_VALUES;

	*value++ = eds_db_text_value(due->domain_id);
	*value++ = eds_db_text_value(due->name);
	*value++ = eds_db_int_value(due->lease);
	*value++ = eds_db_int_value(due->next_at_ms);
	*value++ = eds_db_int_value(due->check->checked_at_ms);
	*value = eds_db_int_value(due->check->probed_at_ms);
	if (touched->count < TOUCH_ROWS)
		return EDS_DB_OK;
	touched->count = 0;
	return touch(store, touched, TOUCH_ROWS, changed);
}

static rt_status keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_selector_due *due, int64_t *changed)
{
	enum eds_db_result result = eds_db_execute(store->db, &KEEP,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms), eds_db_text_value(due->domain_id),
			eds_db_text_value(due->name), eds_db_int_value(due->lease)),
		changed);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status write_outcome(struct rt_ctx *ctx, struct eds_store *store, struct touched *touched,
	const struct eds_selector_due *due, int64_t *changed)
{
	enum eds_db_result result;

	switch (due->outcome) {
	case EDS_DUE_OPEN:
		break;
	case EDS_DUE_KEPT:
		return keep(ctx, store, due, changed);
	case EDS_DUE_SAME:
		result = take_touched(store, touched, due, changed);
		return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
	case EDS_DUE_FILLED:
		return fill(ctx, store, due, changed);
	case EDS_DUE_CHANGED:
		return change(ctx, store, due, changed);
	}
	return RT_OK;
}

static rt_status write_outcomes(struct rt_ctx *ctx, struct eds_store *store, const void *items,
	size_t count, size_t *written)
{
	const struct eds_selector_due *due = items;
	struct touched touched;
	enum eds_db_result result;
	int64_t changed = 0;

	*written = 0;
	touched.count = 0;
	for (size_t i = 0; i < count; i++) {
		changed = 0;
		RT_TRY(write_outcome(ctx, store, &touched, &due[i], &changed));
		*written += (size_t)changed;
	}
	result = touch(store, &touched, touched.count, &changed);
	*written += (size_t)changed;
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static void read_due(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	*(struct eds_selector_due *)item = (struct eds_selector_due){
		.domain_id = eds_db_text(ctx, query, DUE_DOMAIN_ID),
		.name = eds_db_text(ctx, query, DUE_NAME),
		.domain = eds_db_text(ctx, query, DUE_DOMAIN),
		.digest = eds_db_int(query, DUE_DIGEST),
		.wildcard = eds_db_int(query, DUE_WILDCARD) != 0,
		.probed_at_ms = eds_db_int(query, DUE_PROBED_AT_MS),
		.changed_at_ms = eds_db_int(query, DUE_CHANGED_AT_MS),
		.lease = eds_db_int(query, DUE_LEASE),
		.key_digest = eds_db_int(query, DUE_KEY_DIGEST),
		.state = eds_db_text(ctx, query, DUE_STATE),
		.key_type = eds_db_text(ctx, query, DUE_KEY_TYPE),
		.key_bits = eds_db_int(query, DUE_KEY_BITS),
		.key_hash = eds_db_text(ctx, query, DUE_KEY_HASH),
		.record_digest = eds_db_int(query, DUE_RECORD_DIGEST),
	};
}

static const struct eds_due_kind SELECTORS = {
	.item_bytes = sizeof(struct eds_selector_due),
	.lease_ms = EDS_SELECTOR_LEASE_MS,
	.claim = &CLAIM,
	.claim_beside = &CLAIM_BESIDE,
	.claim_turns = &CLAIM_TURNS,
	.claim_turns_beside = &CLAIM_TURNS_BESIDE,
	.longest_due = &LONGEST_DUE,
	.late_ms = EDS_DUE_LATE_MS,
	.claim_one = &CLAIM_ONE,
	.read = read_due,
	.write = write_outcomes,
};

rt_status eds_store_selectors_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_selector_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_selector_due **claimed, size_t *claimed_count)
{
	void *items;

	RT_TRY(eds_store_due_turn(
		ctx, store, &SELECTORS, done, done_count, written, max, &items, claimed_count));
	*claimed = items;
	return RT_OK;
}

rt_status eds_store_selector_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector_due *due)
{
	bool found;

	RT_TRY(eds_store_due_claim_one(
		ctx, store, &SELECTORS, domain->id, rt_lower(ctx, name), due, &found));
	return found ? RT_OK : eds_store_no_selector(ctx);
}
