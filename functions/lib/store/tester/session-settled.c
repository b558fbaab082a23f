#include "functions/lib/store/tester/session-settled.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/store/transaction.h"

enum {
	NAMES_AT_ONCE = 32,
};

/* Gives those sessions among the ids $2 to $33 that still wait for a message or an analysis. $1 is
 * now. */
static const struct eds_db_statement PENDING = {"sessions-pending",
	"SELECT s.test_id"
	" FROM tester_sessions s"
	" WHERE s.expires_at_ms > $1 AND s.test_id IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11,"
	" $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28,"
	" $29, $30, $31, $32, $33) AND (NOT EXISTS"
	" (SELECT 1 FROM tester_messages m WHERE m.test_id = s.test_id) OR EXISTS"
	" (SELECT 1 FROM tester_uploads u WHERE u.test_id = s.test_id AND u.due_at_ms > 0))"};

struct names {
	const char *const *items;
	size_t count;
	bool *is_settled;
};

static void mark_pending(const struct names *names, const char *test_id)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], test_id) == 0)
			names->is_settled[i] = false;
}

static rt_status look(struct rt_ctx *ctx, struct eds_store *store, const struct names *names)
{
	struct eds_db_value values[1 + NAMES_AT_ONCE];
	struct eds_db_query *query;
	enum eds_db_result result;

	values[0] = eds_db_int_value(rt_wall_ms());
	for (size_t i = 0; i < NAMES_AT_ONCE; i++)
		values[1 + i] = eds_db_text_value(i < names->count ? names->items[i] : "");
	for (size_t i = 0; i < names->count; i++)
		names->is_settled[i] = true;
	result = eds_db_query(store->db, &PENDING, values, 1 + NAMES_AT_ONCE, &query);
	for (; result == EDS_DB_ROW; result = eds_db_next(query))
		mark_pending(names, eds_db_text(ctx, query, EDS_DB_ONLY));
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_sessions_settled(struct rt_ctx *ctx, struct eds_store *store,
	const char *const *test_ids, size_t count, bool *is_settled)
{
	for (size_t at = 0; at < count; at += NAMES_AT_ONCE) {
		const struct names names = {
			.items = test_ids + at,
			.count = count - at < NAMES_AT_ONCE ? count - at : NAMES_AT_ONCE,
			.is_settled = is_settled + at,
		};

		RT_TRY(look(ctx, store, &names));
	}
	return RT_OK;
}
