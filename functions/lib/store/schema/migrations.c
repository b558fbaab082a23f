#include <stdio.h>
#include <string.h>

#include "functions/lib/store/schema/migrations.h"
#include "functions/lib/store/schema/schema-state.h"
#include "functions/lib/store/transaction.h"

static const struct eds_db_statement VERSION_TABLE = {NULL,
	"CREATE TABLE IF NOT EXISTS schema_version ( id BIGINT PRIMARY KEY CHECK (id = 1),"
	" version BIGINT NOT NULL)"};
static const struct eds_db_statement VERSION_ROW = {
	NULL, "INSERT INTO schema_version (id, version) VALUES (1, 0) ON CONFLICT DO NOTHING"};
static const struct eds_db_statement STEPS_TABLE = {NULL,
	"CREATE TABLE IF NOT EXISTS schema_steps ( id BIGINT PRIMARY KEY CHECK (id = 1),"
	" done BIGINT NOT NULL)"};
static const struct eds_db_statement STEPS_ROW = {NULL,
	"INSERT INTO schema_steps (id, done)"
	" SELECT 1, version"
	" FROM schema_version"
	" WHERE id = 1"
	" ON CONFLICT DO NOTHING"};
/* Locks the row of the version by writing it before reading it, so that a second process waits
 * here. */
static const struct eds_db_statement VERSION_LOCK = {
	NULL, "UPDATE schema_version SET version = version WHERE id = 1"};
static const struct eds_db_statement VERSION_SET = {
	NULL, "UPDATE schema_version SET version = $1 WHERE id = 1"};
static const struct eds_db_statement STEPS_SET = {
	NULL, "UPDATE schema_steps SET done = $1 WHERE id = 1"};

const struct eds_schema_step *eds_store_step(int64_t number)
{
	return number >= 1 && number <= eds_schema_step_count ? &eds_schema_steps[number - 1]
							      : NULL;
}

static rt_status read_schema(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_schema_state *state)
{
	enum eds_db_result result = eds_schema_state_read(store->db, state);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

enum {
	SQL_NAME_MAX = 63,
};

/* Adds a column unless it exists. SQLite has no IF NOT EXISTS for columns, so this function first
 * asks whether the column exists. */
static enum eds_db_result add_column(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_db_statement *statement)
{
	static const struct eds_db_statement has_column = {
		NULL, "SELECT 1 FROM pragma_table_info($1) WHERE name = $2"};
	char table[SQL_NAME_MAX + 1];
	char column[SQL_NAME_MAX + 1];
	struct eds_db_query *query;
	enum eds_db_result result;
	int definition = 0;

	if (sscanf(statement->sql, "ALTER TABLE %63s ADD COLUMN IF NOT EXISTS %63s%n", table,
		    column, &definition) != 2)
		return EDS_DB_REFUSED;
	result = eds_db_query(store->db, &has_column,
		EDS_DB_VALUES(eds_db_text_value(table), eds_db_text_value(column)), &query);
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return result == EDS_DB_ROW ? EDS_DB_OK : result;
	return eds_db_execute(store->db,
		&(struct eds_db_statement){NULL,
			rt_printf(ctx, "ALTER TABLE %s ADD COLUMN %s%s", table, column,
				statement->sql + definition)},
		EDS_DB_NO_VALUES, NULL);
}

static bool adds_column(const struct eds_store *store, const struct eds_db_statement *statement)
{
	return store->db->driver == &eds_db_sqlite &&
		strstr(statement->sql, " ADD COLUMN IF NOT EXISTS ") != NULL;
}

/* Runs the statement on PostgreSQL only, not on YugabyteDB and CockroachDB, which store rows in
 * another way and give their names in version(). */
static enum eds_db_result tune_postgres(
	struct eds_store *store, const struct eds_db_statement *statement)
{
	static const struct eds_db_statement is_postgres = {NULL,
		"SELECT 1 WHERE version() LIKE 'PostgreSQL %' AND version() NOT LIKE '%-YB-%'"};
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &is_postgres, EDS_DB_NO_VALUES, &query);

	eds_db_end(query);
	return result == EDS_DB_ROW ? eds_db_execute(store->db, statement, EDS_DB_NO_VALUES, NULL)
				    : result;
}

/* True for a statement that only PostgreSQL needs. Settings of how rows are stored (SET) matter
 * only to PostgreSQL. Indexes in the order of octets are not needed elsewhere, because other
 * databases keep keys in this order anyway. */
static bool is_of_postgres(const struct eds_db_statement *statement)
{
	return strstr(statement->sql, " SET (") != NULL ||
		strstr(statement->sql, "_by_octets ON ") != NULL;
}

static enum eds_db_result execute(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_db_statement *statement)
{
	if (adds_column(store, statement))
		return add_column(ctx, store, statement);
	if (!is_of_postgres(statement))
		return eds_db_execute(store->db, statement, EDS_DB_NO_VALUES, NULL);
	return store->db->driver == &eds_db_sqlite ? EDS_DB_OK : tune_postgres(store, statement);
}

static rt_status run(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_db_statement *statement)
{
	enum eds_db_result result = execute(ctx, store, statement);

	/* another process makes the table at this moment, which PostgreSQL's IF NOT EXISTS does not
	 * cover */
	if (result == EDS_DB_UNIQUE)
		result = EDS_DB_BUSY;
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status make_version_tables(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	(void)arg;
	RT_TRY(run(ctx, store, &VERSION_TABLE));
	RT_TRY(run(ctx, store, &VERSION_ROW));
	RT_TRY(run(ctx, store, &STEPS_TABLE));
	return run(ctx, store, &STEPS_ROW);
}

static rt_status set(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, int64_t value)
{
	enum eds_db_result result = eds_db_execute(
		store->db, statement, EDS_DB_VALUES(eds_db_int_value(value)), NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status run_step(struct rt_ctx *ctx, struct eds_store *store, int64_t number,
	const struct eds_schema_state *state)
{
	const struct eds_schema_step *step = eds_store_step(number);

	for (const char *const *sql = step->sql; *sql != NULL; sql++) {
		struct eds_db_statement statement = {NULL, *sql};

		RT_TRY(run(ctx, store, &statement));
	}
	if (step->oldest_program > state->oldest_program)
		RT_TRY(set(ctx, store, &VERSION_SET, step->oldest_program));
	return set(ctx, store, &STEPS_SET, number);
}

/* Runs the next step while it holds the lock of the version's row. Does nothing when another
 * process has done all steps first. */
static rt_status next_step(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct eds_schema_state *state = arg;

	RT_TRY(run(ctx, store, &VERSION_LOCK));
	RT_TRY(read_schema(ctx, store, state));
	if (state->steps >= eds_schema_step_count)
		return RT_OK;
	RT_TRY(run_step(ctx, store, state->steps + 1, state));
	state->steps++;
	return RT_OK;
}

rt_status eds_store_migrate(struct rt_ctx *ctx, int *from_version, int *to_version)
{
	int64_t known = eds_schema_step_count;
	struct eds_schema_state state;
	struct eds_store *store;

	RT_TRY(eds_store_connect(ctx, true, &store));
	RT_TRY(read_schema(ctx, store, &state));
	*from_version = (int)state.steps;
	if (!state.counted && state.oldest_program <= known)
		RT_TRY(eds_store_write(ctx, store, make_version_tables, NULL));
	while (state.steps < known)
		RT_TRY(eds_store_write(ctx, store, next_step, &state));
	*to_version = (int)state.steps;
	if (state.oldest_program > known)
		return rt_fail(ctx, RT_INTERNAL, "store-not-migrated",
			"the database requires programs that know schema version %lld; this "
			"program knows version %lld",
			(long long)state.oldest_program, (long long)known);
	return RT_OK;
}
