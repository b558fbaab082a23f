#include "functions/lib/store/due.h"

struct turn {
	const struct eds_due_kind *kind;
	const void *done;
	size_t done_count;
	size_t written;
	size_t max;
	char *claimed;
	size_t claimed_count;
};

static rt_status claim(struct rt_ctx *ctx, struct eds_store *store, struct turn *turn)
{
	const struct eds_due_kind *kind = turn->kind;
	bool beside = store->db->driver->writes_beside;
	int64_t now_ms = rt_wall_ms();
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db,
		beside ? kind->claim_beside : kind->claim,
		EDS_DB_VALUES(eds_db_int_value(now_ms + kind->lease_ms), eds_db_int_value(now_ms),
			eds_db_int_value((int64_t)turn->max)),
		&query);

	turn->claimed = rt_alloc_array(ctx, turn->max, kind->item_bytes);
	turn->claimed_count = 0;
	while (result == EDS_DB_ROW) {
		kind->read(ctx, query, turn->claimed + turn->claimed_count++ * kind->item_bytes);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status write_and_claim(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct turn *turn = arg;
	enum eds_db_result result = turn->kind->write(
		store, turn->done, turn->done_count, &turn->written);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
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
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_due_claim_one(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_due_kind *kind, const char *domain_id, const char *name, void *item,
	bool *found)
{
	struct single single = {.kind = kind, .domain_id = domain_id, .name = name, .item = item};

	RT_TRY(eds_store_write_guarded(ctx, store, claim_one, &single));
	*found = single.found;
	return RT_OK;
}
