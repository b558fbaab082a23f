/* The schema, as a numbered list of steps: step N turns version N-1 into version N.
 *
 * A step that has been released is never edited, only followed by another. The statements are
 * shared by SQLite and PostgreSQL and may be repeated (IF NOT EXISTS), for clusters whose
 * transactions do not cover DDL.
 */
#include "functions/lib/store/transaction.h"

enum {
	STATEMENTS_MAX = 16, /* of one step */
};

/* Times are epoch milliseconds. Keys begin with random text, so that a cluster spreads them. */
static const char *const STEPS[][STATEMENTS_MAX] = {
	/* 1: tester sessions and the messages they received */
	{
		"CREATE TABLE IF NOT EXISTS tester_sessions ( test_id TEXT PRIMARY KEY,"
		" client TEXT NOT NULL," /* who made it, for counting */
		" created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL,"
		" reanalyze_from_ms BIGINT NOT NULL DEFAULT 0)", /* not before */

		"CREATE INDEX IF NOT EXISTS tester_sessions_by_client ON tester_sessions "
		"(client, created_at_ms)",

		"CREATE INDEX IF NOT EXISTS tester_sessions_by_expiry ON tester_sessions "
		"(expires_at_ms)",

		"CREATE TABLE IF NOT EXISTS tester_messages ( test_id TEXT NOT NULL REFERENCES "
		"tester_sessions (test_id),"
		" message_id TEXT NOT NULL," /* in the mail store; one message may serve several
						sessions */
		" received_at_ms BIGINT NOT NULL,"
		" client_ip TEXT," /* the envelope, NULL where the receiver did not say */
		" helo TEXT, mail_from TEXT, tls TEXT,"
		" result TEXT NOT NULL," /* JSON object */
		" PRIMARY KEY (test_id, message_id))",

		"CREATE INDEX IF NOT EXISTS tester_messages_by_time ON tester_messages (test_id, "
		"received_at_ms, message_id)",

		"CREATE INDEX IF NOT EXISTS tester_messages_by_message ON tester_messages "
		"(message_id)",
	},

	/* 2: accounts, their tokens and domains */
	{
		"CREATE TABLE IF NOT EXISTS accounts ( id TEXT PRIMARY KEY, name TEXT NOT NULL "
		"UNIQUE, plan TEXT NOT NULL CHECK (plan IN ('free', 'paid')), created_at_ms "
		"BIGINT NOT NULL)",

		"CREATE TABLE IF NOT EXISTS tokens ( id TEXT PRIMARY KEY, account_id TEXT NOT "
		"NULL REFERENCES accounts (id), name TEXT NOT NULL,"
		" digest_head TEXT NOT NULL UNIQUE," /* how it is found: 16 digits of the digest */
		" digest TEXT NOT NULL, created_at_ms BIGINT NOT NULL,"
		" expires_at_ms BIGINT NOT NULL,"  /* 0: never */
		" revoked_at_ms BIGINT NOT NULL)", /* 0: not */

		"CREATE TABLE IF NOT EXISTS domains ( id TEXT PRIMARY KEY, account_id TEXT NOT "
		"NULL REFERENCES accounts (id),"
		" name TEXT NOT NULL," /* lower case, A-labels */
		" created_at_ms BIGINT NOT NULL, UNIQUE (account_id, name))",

		/* DKIM selectors, each with its latest check, and what changed */
		"CREATE TABLE IF NOT EXISTS dkim_selectors ( domain_id TEXT NOT NULL REFERENCES "
		"domains (id) ON DELETE CASCADE,"
		" name TEXT NOT NULL,"   /* lower case: unique without regard to case */
		" shown TEXT NOT NULL,"  /* as given */
		" domain TEXT NOT NULL," /* its name, so that due work is read from one table */
		" manual BIGINT NOT NULL, created_at_ms BIGINT NOT NULL,"
		" due_at_ms BIGINT NOT NULL,"     /* or the end of the lease of who checks it now */
		" checked_at_ms BIGINT NOT NULL," /* this and the times below: 0 never */
		" changed_at_ms BIGINT NOT NULL, probed_at_ms BIGINT NOT NULL, digest BIGINT NOT "
		"NULL, wildcard BIGINT NOT NULL,"
		" first_seen_at_ms BIGINT NOT NULL," /* evidence from reports */
		" last_seen_at_ms BIGINT NOT NULL, pass_count BIGINT NOT NULL, fail_count BIGINT "
		"NOT NULL, state TEXT NOT NULL, key_type TEXT, key_bits BIGINT NOT NULL, alias "
		"TEXT,"
		" errors TEXT NOT NULL," /* JSON arrays */
		" warnings TEXT NOT NULL, PRIMARY KEY (domain_id, name))",

		"CREATE INDEX IF NOT EXISTS dkim_selectors_by_due ON dkim_selectors (due_at_ms)",

		"CREATE TABLE IF NOT EXISTS dkim_changes ( domain_id TEXT NOT NULL, name TEXT "
		"NOT NULL, changed_at_ms BIGINT NOT NULL, state TEXT NOT NULL, key_type TEXT, "
		"key_bits BIGINT NOT NULL, errors TEXT NOT NULL, warnings TEXT NOT NULL, PRIMARY "
		"KEY (domain_id, name, changed_at_ms), FOREIGN KEY (domain_id, name) REFERENCES "
		"dkim_selectors (domain_id, name) ON DELETE CASCADE)",

		"CREATE INDEX IF NOT EXISTS dkim_changes_by_time ON dkim_changes (changed_at_ms)",
	},
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

	for (int i = 0; i < STATEMENTS_MAX && sql[i] != NULL; i++) {
		struct eds_db_statement statement = {NULL, sql[i]};

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
