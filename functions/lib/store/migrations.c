/* Brings the schema up to date: step N turns version N-1 into version N. */
#include "functions/lib/store/schema.h"
#include "functions/lib/store/transaction.h"

static const char *const *const STEPS[] = {
	EDS_SCHEMA_TESTER,
	EDS_SCHEMA_DOMAINS,
	EDS_SCHEMA_MTA_STS,
	EDS_SCHEMA_REPORTS,
};

static const struct eds_db_statement VERSION_TABLE = {NULL,
	"CREATE TABLE IF NOT EXISTS schema_version ("
	" id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL)"};
static const struct eds_db_statement VERSION_ROW = {
	NULL, "INSERT INTO schema_version (id, version) VALUES (1, 0) ON CONFLICT DO NOTHING"};
static const struct eds_db_statement VERSION_GET = {
	NULL, "SELECT version FROM schema_version WHERE id = 1"};
/* Writes before it reads: whoever comes second waits here for the row. */
static const struct eds_db_statement VERSION_LOCK = {
	NULL, "UPDATE schema_version SET version = version WHERE id = 1"};
static const struct eds_db_statement VERSION_SET = {
	NULL, "UPDATE schema_version SET version = $1 WHERE id = 1"};

int64_t eds_store_version_known(void)
{
	return sizeof STEPS / sizeof STEPS[0];
}

rt_status eds_store_version(struct rt_ctx *ctx, struct eds_store *store, int64_t *version)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &VERSION_GET, EDS_DB_NO_VALUES, &query);

	*version = 0;
	if (result == EDS_DB_ROW)
		*version = eds_db_int(query, 0);
	eds_db_end(query);
	/* refused: there is no such table, so nothing has been migrated */
	if (result == EDS_DB_ROW || result == EDS_DB_OK || result == EDS_DB_REFUSED)
		return RT_OK;
	return eds_store_failed(ctx, store, result);
}

static rt_status run(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_db_statement *statement)
{
	enum eds_db_result result = eds_db_execute(store->db, statement, EDS_DB_NO_VALUES, NULL);

	/* to PostgreSQL, IF NOT EXISTS does not cover what somebody makes at this moment */
	if (result == EDS_DB_UNIQUE)
		result = EDS_DB_BUSY;
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status make_version_table(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	(void)arg;
	RT_TRY(run(ctx, store, &VERSION_TABLE));
	return run(ctx, store, &VERSION_ROW);
}

static rt_status run_step(struct rt_ctx *ctx, struct eds_store *store, int64_t step)
{
	const char *const *sql = STEPS[step - 1];
	enum eds_db_result result;

	for (; *sql != NULL; sql++) {
		struct eds_db_statement statement = {NULL, *sql};

		RT_TRY(run(ctx, store, &statement));
	}
	result = eds_db_execute(
		store->db, &VERSION_SET, EDS_DB_VALUES(eds_db_int_value(step)), NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* One step under the lock of the version's row; none when another process came first. */
static rt_status next_step(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	int64_t *version = arg;

	RT_TRY(run(ctx, store, &VERSION_LOCK));
	RT_TRY(eds_store_version(ctx, store, version));
	if (*version >= eds_store_version_known())
		return RT_OK;
	RT_TRY(run_step(ctx, store, *version + 1));
	(*version)++;
	return RT_OK;
}

rt_status eds_store_migrate(struct rt_ctx *ctx, int *from_version, int *to_version)
{
	int64_t known = eds_store_version_known();
	struct eds_store *store;
	int64_t version;

	RT_TRY(eds_store_connect(ctx, true, &store));
	RT_TRY(eds_store_version(ctx, store, &version));
	*from_version = (int)version;
	if (version == 0)
		RT_TRY(eds_store_write(ctx, store, make_version_table, NULL));
	while (version < known)
		RT_TRY(eds_store_write(ctx, store, next_step, &version));
	*to_version = (int)version;
	if (version > known)
		return rt_fail(ctx, RT_INTERNAL, "store-not-migrated",
			"the database has schema version %lld, newer than this program's %lld",
			(long long)version, (long long)known);
	return RT_OK;
}
