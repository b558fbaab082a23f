#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "functions/lib/store/accounts/audit-write.h"
#include "functions/lib/store/db/database-url.h"
#include "runtime/config/config.h"

static struct eds_store process_store;

static void close_at_exit(void)
{
	eds_db_close(process_store.db);
	process_store.db = NULL;
}

/* The configuration admits no URL but theirs. */
static const struct eds_db_driver *choose_driver(const char *url)
{
	const char *sqlite = eds_db_sqlite.scheme;

	return strncmp(url, sqlite, strlen(sqlite)) == 0 ? &eds_db_sqlite : &eds_db_postgres;
}

enum {
	RETRY_PAUSE_US = 500, /* at most, before the first retry of a transaction */
	DOUBLINGS_MAX = 8,
	UPGRADE_RETRY_S = 5,
	SCHEMA_SEEN_MS = 1000,  /* a migration under a warm program is noticed after it */
	SCHEMA_LOOK_MS = 100,   /* how often a program looks for steps that it waits for */
	SCHEMA_LEAVE_MS = 3000, /* of an event's time, for its work after that wait */
};

/* As in the midst of an upgrade: the database, or this program, is replaced in a moment. */
static rt_status not_migrated(struct rt_ctx *ctx, const struct eds_schema_state *state)
{
	long long known = eds_store_steps_known();

	if (state->oldest_program > known)
		(void)rt_fail(ctx, RT_TEMPORARY, "store-not-migrated",
			"the database wants programs that know schema version %lld, this one "
			"knows %lld",
			(long long)state->oldest_program, known);
	else if (state->steps > 0)
		(void)rt_fail(ctx, RT_TEMPORARY, "store-not-migrated",
			"the database has schema version %lld, this program needs %lld: run admin "
			"with {\"action\":\"migrate\"}",
			(long long)state->steps, known);
	else
		(void)rt_fail(ctx, RT_TEMPORARY, "store-not-migrated",
			"the database is gone or was never made: put it back, or make a new one by "
			"starting the runner again or by admin with {\"action\":\"migrate\"}");
	ctx->failure.retry_after_s = UPGRADE_RETRY_S;
	return RT_TEMPORARY;
}

static rt_status fail(struct rt_ctx *ctx, enum eds_db_result result, const char *reason)
{
	switch (result) {
	case EDS_DB_BUSY:
	case EDS_DB_UNAVAILABLE:
		return rt_fail(ctx, RT_TEMPORARY, "store-unavailable",
			"the database cannot be used now: %s", reason);
	case EDS_DB_ABSENT:
		return not_migrated(ctx, &(struct eds_schema_state){.steps = 0});
	default:
		return rt_fail(
			ctx, RT_INTERNAL, "store-failed", "the database refused: %s", reason);
	}
}

rt_status eds_store_failed(struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result)
{
	if (result == EDS_DB_BUSY)
		store->again = true;
	return fail(ctx, result, store->db->reason);
}

static rt_status open_connection(struct rt_ctx *ctx, bool create, struct eds_store *store)
{
	static bool exit_hooked;
	const char *reason;
	const char *url;
	enum eds_db_result result;

	store->migrated_until_ms = 0;
	RT_TRY(eds_database_url(ctx, &url));
	result = eds_db_open(
		choose_driver(url), url, create, ctx->deadline_ms, &store->db, &reason);
	if (result != EDS_DB_OK)
		return fail(ctx, result, reason);
	if (!exit_hooked)
		atexit(close_at_exit);
	exit_hooked = true;
	return RT_OK;
}

rt_status eds_store_connect(struct rt_ctx *ctx, bool create, struct eds_store **store)
{
	struct eds_store *own = &process_store;

	*store = own;
	own->check = NULL;
	own->also = NULL;
	if (own->db != NULL && !eds_db_usable(own->db)) {
		eds_db_close(own->db);
		own->db = NULL;
	}
	if (own->db == NULL)
		return open_connection(ctx, create, own);
	own->db->wait_until_ms = ctx->deadline_ms;
	return RT_OK;
}

/* A database without any schema is not in the midst of an upgrade. */
static bool is_being_migrated(const struct eds_schema_state *state)
{
	int64_t known = eds_store_steps_known();

	return state->oldest_program <= known && state->steps > 0 && state->steps < known;
}

/* A new program that comes before its migration waits for it, for as long as its event has time. */
static rt_status check_schema(struct rt_ctx *ctx, struct eds_store *store)
{
	const struct timespec a_while = {.tv_nsec = SCHEMA_LOOK_MS * 1000000L};
	int64_t wait_until_ms = ctx->deadline_ms - SCHEMA_LEAVE_MS;
	struct eds_schema_state state;

	RT_TRY(eds_store_schema(ctx, store, &state));
	while (is_being_migrated(&state) && rt_monotonic_ms() < wait_until_ms) {
		nanosleep(&a_while, NULL);
		RT_TRY(eds_store_schema(ctx, store, &state));
	}
	if (state.oldest_program > eds_store_steps_known() || state.steps < eds_store_steps_known())
		return not_migrated(ctx, &state);
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

rt_status eds_store_has_row(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	bool *has)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, statement, values, count, &query);

	eds_db_end(query);
	*has = result == EDS_DB_ROW;
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

struct transaction {
	enum eds_db_isolation isolation;
	eds_store_body body;
	void *arg;
};

static rt_status attempt(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct transaction *transaction = arg;
	enum eds_db_result result = eds_db_begin(
		store->db, store->check != NULL ? EDS_DB_SERIALISABLE : transaction->isolation);
	rt_status status = RT_OK;

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (store->check != NULL)
		status = store->check(ctx, store, store->check_arg);
	if (status == RT_OK)
		status = transaction->body(ctx, store, transaction->arg);
	if (status == RT_OK && store->also != NULL)
		status = store->also(ctx, store, store->also_arg);
	if (status == RT_OK)
		status = eds_store_audit_write(ctx, store);
	if (status == RT_OK) {
		result = eds_db_commit(store->db);
		if (result == EDS_DB_OK) {
			store->entry = NULL;
			return RT_OK;
		}
		status = eds_store_failed(ctx, store, result);
	}
	eds_db_rollback(store->db);
	return status;
}

/* By chance, up to twice as long each time: those that met do not all meet again. */
static void pause_before_retry(const struct eds_store *store, int retries)
{
	int64_t left_ms = store->db->wait_until_ms - rt_monotonic_ms();
	int64_t most_us = (int64_t)RETRY_PAUSE_US
		<< (retries < DOUBLINGS_MAX ? retries : DOUBLINGS_MAX);
	struct timespec pause = {0};
	uint32_t chance;

	if (left_ms < 1)
		return;
	if (most_us > left_ms * 1000)
		most_us = left_ms * 1000;
	rt_random(&chance, sizeof chance);
	pause.tv_nsec = (long)(chance % most_us) * 1000;
	nanosleep(&pause, NULL);
}

static rt_status repeat(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body attempt_it, void *arg)
{
	rt_status status;

	for (int retries = 0;; retries++) {
		store->again = false;
		status = attempt_it(ctx, store, arg);
		if (!store->again || rt_monotonic_ms() >= store->db->wait_until_ms)
			return status;
		pause_before_retry(store, retries);
		rt_fail_clear(ctx);
	}
}

static rt_status write_as(
	struct rt_ctx *ctx, struct eds_store *store, struct transaction transaction)
{
	rt_status status = repeat(ctx, store, attempt, &transaction);

	store->check = NULL;
	store->also = NULL;
	return status;
}

rt_status eds_store_write(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg)
{
	return write_as(ctx, store, (struct transaction){EDS_DB_SERIALISABLE, body, arg});
}

rt_status eds_store_write_guarded(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg)
{
	return write_as(ctx, store, (struct transaction){EDS_DB_GUARDED, body, arg});
}

struct at_once {
	const struct eds_db_step *steps;
	size_t count;
	int64_t *changed;
};

static rt_status attempt_at_once(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct at_once *all = arg;
	enum eds_db_result result = eds_db_at_once(store->db, all->steps, all->count, all->changed);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_write_at_once(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_step *steps, size_t count, int64_t *changed)
{
	struct at_once all = {steps, count, changed};

	return repeat(ctx, store, attempt_at_once, &all);
}

void *eds_store_grow(struct rt_ctx *ctx, void *rows, size_t count, size_t *room, size_t row_bytes)
{
	void *larger;

	if (count < *room)
		return rows;
	*room = *room * 2 + 16;
	larger = rt_alloc_array(ctx, *room, row_bytes);
	if (count > 0)
		memcpy(larger, rows, count * row_bytes);
	return larger;
}
