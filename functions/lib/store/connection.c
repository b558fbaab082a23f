#include "functions/lib/store/connection.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/db/database-url.h"
#include "runtime/counts.h"
#include "runtime/time.h"

static struct eds_store process_store;

static void close_at_exit(void)
{
	eds_db_close(process_store.db);
	process_store.db = NULL;
}

/* The driver for a URL; the configuration accepts only URLs of SQLite and PostgreSQL. */
static const struct eds_db_driver *choose_driver(const char *url)
{
	const char *sqlite = eds_db_sqlite.scheme;

	return strncmp(url, sqlite, strlen(sqlite)) == 0 ? &eds_db_sqlite : &eds_db_postgres;
}

static rt_status no_database(struct rt_ctx *ctx)
{
	(void)rt_fail(ctx, RT_TEMPORARY, "store-not-migrated",
		"the database is missing or was never created: restore it, or create an empty one "
		"by invoking admin with {\"action\":\"migrate\"}");
	ctx->failure.retry_after_s = EDS_STORE_UPGRADE_RETRY_S;
	return RT_TEMPORARY;
}

static rt_status fail(struct rt_ctx *ctx, enum eds_db_result result, const char *reason)
{
	rt_count(RT_COUNT_DATABASE_ERRORS);
	switch (result) {
	case EDS_DB_BUSY:
	case EDS_DB_UNAVAILABLE:
		return rt_fail(ctx, RT_TEMPORARY, "store-unavailable",
			"the database cannot be used now: %s", reason);
	case EDS_DB_ABSENT:
		return no_database(ctx);
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

/* True when the database file must be examined. False for an event that was read together with the
 * previous one (ctx->follows), as long as the check of the schema is valid. */
static bool must_look(const struct rt_ctx *ctx, const struct eds_store *store)
{
	return !ctx->follows || rt_monotonic_ms() >= store->migrated_until_ms;
}

rt_status eds_store_connect(struct rt_ctx *ctx, bool create, struct eds_store **store)
{
	struct eds_store *own = &process_store;

	*store = own;
	own->check = NULL;
	own->also = NULL;
	if (own->db != NULL && !eds_db_usable(own->db, must_look(ctx, own))) {
		eds_db_close(own->db);
		own->db = NULL;
	}
	if (own->db == NULL)
		return open_connection(ctx, create, own);
	own->db->wait_until_ms = ctx->deadline_ms;
	return RT_OK;
}
