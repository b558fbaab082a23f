#include "functions/lib/store/store.h"
#include "runtime/time.h"

#include <time.h>

#include "functions/lib/store/connection.h"
#include "functions/lib/store/schema/schema-state.h"

enum {
	SCHEMA_SEEN_MS = 1000,  /* how long a running program relies on its last check of the
				 * schema */
	SCHEMA_LOOK_MS = 100,   /* pause between two checks of the schema while a program waits for
				 * missing steps */
	SCHEMA_LEAVE_MS = 3000, /* part of the event's time that is left for the event's work after
				 * the wait */
};

/* Fails with RT_TEMPORARY. Either the database has no schema yet, or its schema and this program do
 * not fit each other during an upgrade, which will soon replace one of the two. */
static rt_status not_migrated(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_schema_state *state)
{
	long long known = eds_schema_step_count;

	if (state->oldest_program > known)
		(void)rt_fail(ctx, RT_TEMPORARY, "store-not-migrated",
			"the database requires programs that know schema version %lld; this "
			"program knows version %lld",
			(long long)state->oldest_program, known);
	else if (state->steps > 0)
		(void)rt_fail(ctx, RT_TEMPORARY, "store-not-migrated",
			"the database has schema version %lld, but this program needs version "
			"%lld: run admin with {\"action\":\"migrate\"}",
			(long long)state->steps, known);
	else
		return eds_store_failed(ctx, store, EDS_DB_ABSENT);
	ctx->failure.retry_after_s = EDS_STORE_UPGRADE_RETRY_S;
	return RT_TEMPORARY;
}

/* A database without any schema is not being upgraded, so waiting would be useless. */
static bool is_being_migrated(const struct eds_schema_state *state)
{
	int64_t known = eds_schema_step_count;

	return state->oldest_program <= known && state->steps > 0 && state->steps < known;
}

static rt_status read_schema(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_schema_state *state)
{
	enum eds_db_result result = eds_schema_state_read(store->db, state);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* Checks the schema. A program of a new release that starts before the migration waits for the
 * migration, as long as its event has time. */
static rt_status check_schema(struct rt_ctx *ctx, struct eds_store *store)
{
	const struct timespec a_while = {.tv_nsec = SCHEMA_LOOK_MS * 1000000L};
	int64_t wait_until_ms = ctx->deadline_ms - SCHEMA_LEAVE_MS;
	struct eds_schema_state state;

	RT_TRY(read_schema(ctx, store, &state));
	while (is_being_migrated(&state) && rt_monotonic_ms() < wait_until_ms) {
		nanosleep(&a_while, NULL);
		RT_TRY(read_schema(ctx, store, &state));
	}
	if (state.oldest_program > eds_schema_step_count || state.steps < eds_schema_step_count)
		return not_migrated(ctx, store, &state);
	store->migrated_until_ms = rt_monotonic_ms() + SCHEMA_SEEN_MS;
	return RT_OK;
}

rt_status eds_store_open(struct rt_ctx *ctx, struct eds_store **store)
{
	RT_TRY(eds_store_connect(ctx, false, store));
	if (rt_monotonic_ms() < (*store)->migrated_until_ms)
		return RT_OK;
	return check_schema(ctx, *store);
}

void eds_store_check_first(struct eds_store *store, eds_store_check check, void *arg)
{
	store->check = check;
	store->check_arg = arg;
}

void eds_store_also(struct eds_store *store, eds_store_check also, void *arg)
{
	store->also = also;
	store->also_arg = arg;
}
