#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/transaction.h"
#include "runtime/config.h"

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
	UPGRADE_RETRY_S = 5,
	SCHEMA_SEEN_MS = 1000, /* a migration under a warm program is noticed after it */
};

/* As in the midst of an upgrade: the database, or this program, is replaced in a moment. */
static rt_status not_migrated(struct rt_ctx *ctx, int64_t version)
{
	int64_t known = eds_store_version_known();

	(void)rt_fail(ctx, RT_TEMPORARY, "store-not-migrated",
		"the database has schema version %lld, this program needs %lld%s",
		(long long)version, (long long)known,
		version < known ? ": run admin with {\"action\":\"migrate\"}" : "");
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
		return not_migrated(ctx, 0);
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
	const char *url = rt_config()->database_url;
	const char *reason;
	enum eds_db_result result;

	store->migrated_until_ms = 0;
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
	if (own->db != NULL && !eds_db_usable(own->db)) {
		eds_db_close(own->db);
		own->db = NULL;
	}
	if (own->db == NULL)
		return open_connection(ctx, create, own);
	own->db->wait_until_ms = ctx->deadline_ms;
	return RT_OK;
}

rt_status eds_store_open(struct rt_ctx *ctx, struct eds_store **store)
{
	int64_t version;

	RT_TRY(eds_store_connect(ctx, false, store));
	if (rt_monotonic_ms() < (*store)->migrated_until_ms)
		return RT_OK;
	RT_TRY(eds_store_version(ctx, *store, &version));
	if (version != eds_store_version_known())
		return not_migrated(ctx, version);
	(*store)->migrated_until_ms = rt_monotonic_ms() + SCHEMA_SEEN_MS;
	return RT_OK;
}

static rt_status attempt(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_db_isolation isolation, eds_store_body body, void *arg)
{
	enum eds_db_result result = eds_db_begin(store->db, isolation);
	rt_status status;

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	status = body(ctx, store, arg);
	if (status == RT_OK) {
		result = eds_db_commit(store->db);
		if (result == EDS_DB_OK)
			return RT_OK;
		status = eds_store_failed(ctx, store, result);
	}
	eds_db_rollback(store->db);
	return status;
}

static rt_status transact(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_db_isolation isolation, eds_store_body body, void *arg)
{
	rt_status status;

	for (;;) {
		store->again = false;
		status = attempt(ctx, store, isolation, body, arg);
		if (!store->again || rt_monotonic_ms() >= store->db->wait_until_ms)
			return status;
		rt_fail_clear(ctx);
	}
}

rt_status eds_store_write(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg)
{
	return transact(ctx, store, EDS_DB_SERIALISABLE, body, arg);
}

rt_status eds_store_write_guarded(
	struct rt_ctx *ctx, struct eds_store *store, eds_store_body body, void *arg)
{
	return transact(ctx, store, EDS_DB_GUARDED, body, arg);
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
