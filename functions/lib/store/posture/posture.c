/* Reads and writes the posture of domains: the row of each domain, and the history of its
 * changes. */
#include <limits.h>

#include "functions/lib/store/posture/posture-row.h"
#include "runtime/time.h"

/* clang-format off */
static const struct eds_db_statement MAKE = {"posture-make",
	"INSERT INTO posture (domain_id, name, due_at_ms)"
	" SELECT id, name, created_at_ms"
	" FROM domains"
	" WHERE id = $1"
	" ON CONFLICT (domain_id) DO NOTHING"};

static const struct eds_db_statement GET = {"posture-get",
	"SELECT " EDS_DB_LIST(EDS_POSTURE_COLUMNS) " FROM posture WHERE domain_id = $1"};

static const struct eds_db_statement REMEMBER = {"posture-remember",
	"INSERT INTO posture_changes (domain_id, id, changed_at_ms, item, old_state, old_record,"
	" old_findings, new_state, new_record, new_findings)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"};

static const struct eds_db_statement TRIM = {"posture-trim",
	"DELETE FROM posture_changes"
	" WHERE domain_id = $1 AND id IN (SELECT id FROM posture_changes WHERE domain_id = $1"
	" ORDER BY id COLLATE \"C\" DESC LIMIT $3 OFFSET $2)"};

#define CHANGE_COLUMNS(FIRST, NEXT) \
	FIRST(CHANGE_ID, "id") \
	NEXT(CHANGE_CHANGED_AT_MS, "changed_at_ms") \
	NEXT(CHANGE_ITEM, "item") \
	NEXT(CHANGE_OLD_STATE, "old_state") \
	NEXT(CHANGE_OLD_RECORD, "old_record") \
	NEXT(CHANGE_OLD_FINDINGS, "old_findings") \
	NEXT(CHANGE_NEW_STATE, "new_state") \
	NEXT(CHANGE_NEW_RECORD, "new_record") \
	NEXT(CHANGE_NEW_FINDINGS, "new_findings")
enum { EDS_DB_NAMES(CHANGE_COLUMNS) };

static const struct eds_db_statement HISTORY = {"posture-history",
	"SELECT " EDS_DB_LIST(CHANGE_COLUMNS)
	" FROM posture_changes"
	" WHERE domain_id = $1 AND changed_at_ms > $2 AND id COLLATE \"C\" < $3"
	" ORDER BY id COLLATE \"C\" DESC"
	" LIMIT $4"};

static const struct eds_db_statement EXPIRE = {"posture-expire",
	"DELETE FROM posture_changes"
	" WHERE (domain_id, id) IN (SELECT domain_id, id FROM posture_changes"
	" WHERE changed_at_ms <= $1 ORDER BY changed_at_ms LIMIT $2)"};
/* clang-format on */

/* Sorts after every id, since ids consist of hexadecimal digits and hyphens. */
static const char *const behind_all = "~";

void eds_store_posture_read(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_posture_kept *kept)
{
	*kept = (struct eds_posture_kept){
		.state = eds_db_text(ctx, query, EDS_POSTURE_ROW_STATE),
		.checked_at_ms = eds_db_int(query, EDS_POSTURE_ROW_CHECKED_AT_MS),
		.changed_at_ms = eds_db_int(query, EDS_POSTURE_ROW_CHANGED_AT_MS),
		.items = eds_db_text(ctx, query, EDS_POSTURE_ROW_ITEMS),
		.records = eds_db_text(ctx, query, EDS_POSTURE_ROW_RECORDS),
	};
}

rt_status eds_store_posture_make(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	enum eds_db_result result = eds_db_execute(
		store->db, &MAKE, EDS_DB_VALUES(eds_db_text_value(domain_id)), NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* Reads a domain's posture. Makes a missing row of a domain that exists, because an earlier release
 * made domains without a row. */
rt_status eds_store_posture_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_posture_kept *kept)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &GET, EDS_DB_VALUES(eds_db_text_value(domain->id)), &query);

	*kept = (struct eds_posture_kept){.state = "unknown", .items = "[]", .records = "[]"};
	if (result == EDS_DB_ROW)
		eds_store_posture_read(ctx, query, kept);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return eds_store_posture_make(ctx, store, domain->id);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

static enum eds_db_result remember(
	struct eds_store *store, const char *domain_id, const struct eds_posture_change *change)
{
	return eds_db_execute(store->db, &REMEMBER,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(change->id),
			eds_db_int_value(change->at_ms), eds_db_text_value(change->item),
			eds_db_text_value(change->old.state), eds_db_text_value(change->old.record),
			eds_db_text_value(change->old.findings),
			eds_db_text_value(change->now.state), eds_db_text_value(change->now.record),
			eds_db_text_value(change->now.findings)),
		NULL);
}

enum eds_db_result eds_store_posture_remember(
	struct eds_store *store, const struct eds_posture_due *due)
{
	enum eds_db_result result = EDS_DB_OK;

	for (size_t i = 0; i < due->change_count && result == EDS_DB_OK; i++)
		result = remember(store, due->domain_id, &due->changes[i]);
	if (result == EDS_DB_OK && due->change_count > 0)
		result = eds_db_execute(store->db, &TRIM,
			EDS_DB_VALUES(eds_db_text_value(due->domain_id),
				eds_db_int_value(EDS_POSTURE_HISTORY_MAX),
				eds_db_int_value(EDS_POSTURE_EXPIRE_BATCH)),
			NULL);
	return result;
}

static void read_change(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_posture_change *change)
{
	*change = (struct eds_posture_change){
		.id = eds_db_text(ctx, query, CHANGE_ID),
		.at_ms = eds_db_int(query, CHANGE_CHANGED_AT_MS),
		.item = eds_db_text(ctx, query, CHANGE_ITEM),
		.old = {eds_db_text(ctx, query, CHANGE_OLD_STATE),
			eds_db_text(ctx, query, CHANGE_OLD_RECORD),
			eds_db_text(ctx, query, CHANGE_OLD_FINDINGS)},
		.now = {eds_db_text(ctx, query, CHANGE_NEW_STATE),
			eds_db_text(ctx, query, CHANGE_NEW_RECORD),
			eds_db_text(ctx, query, CHANGE_NEW_FINDINGS)},
	};
}

rt_status eds_store_posture_history(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *after, int limit,
	struct eds_posture_change **changes, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &HISTORY,
		EDS_DB_VALUES(eds_db_text_value(domain->id),
			eds_db_int_value(rt_wall_ms() - EDS_POSTURE_HISTORY_MS),
			eds_db_text_value(after != NULL ? after : behind_all),
			eds_db_int_value(limit > 0 ? limit : INT_MAX)),
		&query);

	*changes = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*changes = rt_grow(ctx, *changes, *count, &room, sizeof **changes);
		read_change(ctx, query, &(*changes)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status expire(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	enum eds_db_result result = eds_db_execute(store->db, &EXPIRE,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() - EDS_POSTURE_HISTORY_MS),
			eds_db_int_value(EDS_POSTURE_EXPIRE_BATCH)),
		arg);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_posture_expire(struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	int64_t changed = 0;

	RT_TRY(eds_store_write(ctx, store, expire, &changed));
	*removed = (size_t)changed;
	return RT_OK;
}
