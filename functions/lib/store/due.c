#include "functions/lib/store/due.h"
#include "runtime/time.h"

struct turn {
	const struct eds_due_kind *kind;
	const void *done;
	size_t done_count;
	size_t written;
	size_t max;
	char *claimed;
	size_t claimed_count;
};

static rt_status longest_due(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, int64_t now_ms, int64_t *due_ms)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, kind->longest_due, EDS_DB_VALUES(eds_db_int_value(now_ms)), &query);

	*due_ms = result == EDS_DB_ROW ? eds_db_int(query, EDS_DB_ONLY) : now_ms + 1;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

static int64_t some_time(int64_t from_ms, int64_t to_ms)
{
	uint64_t chance;

	rt_random(&chance, sizeof chance);
	return from_ms + (int64_t)(chance % (uint64_t)(to_ms - from_ms + 1));
}

static const struct eds_db_statement *statement_of(
	const struct eds_store *store, const struct eds_due_kind *kind, bool takes_turns)
{
	if (store->db->driver->writes_beside)
		return takes_turns ? kind->claim_turns_beside : kind->claim_beside;
	return takes_turns ? kind->claim_turns : kind->claim;
}

enum { CLAIM_VALUES_MAX = 6 };

/* Runs the statement that claims items, and reads the items that it has claimed. */
static rt_status claim_by(struct rt_ctx *ctx, struct eds_store *store, struct turn *turn,
	bool takes_turns, int64_t now_ms, int64_t since_ms)
{
	const struct eds_due_kind *kind = turn->kind;
	struct eds_db_value values[CLAIM_VALUES_MAX] = {
		eds_db_int_value(now_ms + kind->lease_ms),
		eds_db_int_value(now_ms),
		eds_db_int_value((int64_t)turn->max),
		eds_db_int_value(since_ms),
	};
	size_t count = 4;
	struct eds_db_query *query;
	enum eds_db_result result;

	if (kind->left_out != NULL)
		values[count++] = eds_db_text_value(kind->left_out);
	if (takes_turns)
		values[count++] = eds_db_int_value(some_time(since_ms, now_ms));
	result = eds_db_query(
		store->db, statement_of(store, kind, takes_turns), values, count, &query);
	while (result == EDS_DB_ROW) {
		kind->read(ctx, query, turn->claimed + turn->claimed_count++ * kind->item_bytes);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* Claims items. If the longest due item is late, accounts take turns. If no item is late, or if
 * other processes have claimed all the items that the claim with turns has read, claims the longest
 * due items that are free. */
static rt_status claim(struct rt_ctx *ctx, struct eds_store *store, struct turn *turn)
{
	const struct eds_due_kind *kind = turn->kind;
	int64_t now_ms = rt_wall_ms();
	int64_t since_ms;

	turn->claimed = rt_alloc_array(ctx, turn->max, kind->item_bytes);
	turn->claimed_count = 0;
	RT_TRY(longest_due(ctx, store, kind, now_ms, &since_ms));
	if (since_ms > now_ms)
		return RT_OK;
	if (now_ms - since_ms > kind->late_ms)
		RT_TRY(claim_by(ctx, store, turn, true, now_ms, since_ms));
	if (turn->claimed_count > 0)
		return RT_OK;
	return claim_by(ctx, store, turn, false, now_ms, since_ms);
}

static rt_status write_and_claim(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct turn *turn = arg;

	RT_TRY(turn->kind->write(ctx, store, turn->done, turn->done_count, &turn->written));
	return turn->max > 0 ? claim(ctx, store, turn) : RT_OK;
}

rt_status eds_store_due_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const void *done, size_t done_count, size_t *written,
	size_t max, void **claimed, size_t *claimed_count)
{
	struct turn turn = {.kind = kind, .done = done, .done_count = done_count, .max = max};

	RT_TRY(eds_store_write_guarded(ctx, store, write_and_claim, &turn));
	*written = turn.written;
	*claimed = turn.claimed;
	*claimed_count = turn.claimed_count;
	return RT_OK;
}

struct single {
	const struct eds_due_kind *kind;
	const char *domain_id;
	const char *name;
	void *item;
	bool found;
};

static rt_status claim_one(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct single *single = arg;
	const struct eds_db_value values[] = {
		eds_db_int_value(rt_wall_ms() + single->kind->lease_ms),
		eds_db_text_value(single->domain_id),
		eds_db_text_value(single->name),
	};
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, single->kind->claim_one, values, single->name != NULL ? 3 : 2, &query);

	single->found = result == EDS_DB_ROW;
	if (single->found) {
		single->kind->read(ctx, query, single->item);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return single->found ? RT_OK : RT_NOT_FOUND; /* RT_NOT_FOUND rolls the transaction back, so
						      * that nothing is written to the audit log */
}

rt_status eds_store_due_claim_one(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const char *domain_id, const char *name, void *item,
	bool *found)
{
	struct single single = {.kind = kind, .domain_id = domain_id, .name = name, .item = item};
	rt_status status = eds_store_write_guarded(ctx, store, claim_one, &single);

	*found = single.found;
	return status == RT_NOT_FOUND ? RT_OK : status;
}
