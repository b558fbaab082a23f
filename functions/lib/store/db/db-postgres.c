/* The PostgreSQL driver: one connection per process, opened again when it is lost.
 *
 * Transactions are serializable, or guard themselves (db.h). A serialization failure (40001), a
 * deadlock (40P01) and a connection lost before the commit give EDS_DB_BUSY: the whole transaction
 * runs again. When the answer to a commit is lost, nobody knows whether the transaction was
 * committed, so the result is EDS_DB_UNAVAILABLE and the sender of the event decides whether to
 * repeat the event. A SELECT outside a transaction is sent once more when the connection was lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/db/database-url.h"
#include "functions/lib/store/db/db.h"
#include "functions/lib/store/db/postgres-statement.h"

/* The result for each SQLSTATE (Appendix A of PostgreSQL's manual). An entry stands for all states
 * that begin with its text; the first match is used. */
static const struct {
	const char *state;
	enum eds_db_result result;
	const char *reason;
} states[] = {
	{"23505", EDS_DB_UNIQUE, "a row with this key exists"},
	{"42P07", EDS_DB_UNIQUE, "the table exists"}, /* this state and the next occur when
						       * migrations run at the same time */
	{"42710", EDS_DB_UNIQUE, "the table exists"},
	{"23503", EDS_DB_FOREIGN_KEY, "the row refers to a row that does not exist"},
	{"40001", EDS_DB_BUSY, "the transaction collided with another one"},
	{"40P01", EDS_DB_BUSY, "the transaction collided with another one"},
	{"55P03", EDS_DB_BUSY, "the row is locked"},
	{"57014", EDS_DB_BUSY, "the time for the statement is up"},
	{"25006", EDS_DB_UNAVAILABLE, "the database is read-only"},
	{"42501", EDS_DB_UNAVAILABLE, "the user has no permission for the tables or their schema"},
	{"3F000", EDS_DB_UNAVAILABLE,
		"the schema of the tables does not exist, or the user has no permission for it"},
	{"08", EDS_DB_UNAVAILABLE, "the connection to the database was lost"},
	{"53", EDS_DB_UNAVAILABLE, "the database has run out of disk, memory or connections"},
	{"57", EDS_DB_UNAVAILABLE,
		"the database server is stopping or starting, or has ended the connection"},
	{"58", EDS_DB_UNAVAILABLE, "the disk or operating system of the database server fails"},
	{"XX001", EDS_DB_UNAVAILABLE, "the database is damaged"},
	{"XX002", EDS_DB_UNAVAILABLE, "the database is damaged"},
	{"", EDS_DB_REFUSED, "the statement does not fit the schema"},
};

static enum eds_db_result lost(struct eds_postgres_db *connection)
{
	bool retry = connection->transaction != COMMITTING;

	connection->base.reason = connection->session.reason;
	return retry ? EDS_DB_BUSY : EDS_DB_UNAVAILABLE;
}

static enum eds_db_result failure(struct eds_postgres_db *connection, const PGresult *result)
{
	const char *state = connection->session.pq->resultErrorField(result, PG_DIAG_SQLSTATE);
	size_t i = 0;

	if (state == NULL)
		return lost(connection);
	while (strncmp(state, states[i].state, strlen(states[i].state)) != 0)
		i++;
	connection->base.reason = states[i].reason;
	if (states[i].result != EDS_DB_UNAVAILABLE)
		return states[i].result;
	/* disconnects, so that the next statement connects again: perhaps to another server, when
	 * this one is stopping or is no longer the primary */
	eds_postgres_disconnect(&connection->session);
	return EDS_DB_UNAVAILABLE;
}

/* Judges the outcome of the statement that was sent; *result is NULL when there can be no rows. */
static enum eds_db_result judge(
	struct eds_postgres_db *connection, PGresult *got, PGresult **result)
{
	const struct eds_libpq *pq = connection->session.pq;
	enum eds_db_result failed;

	*result = NULL;
	if (got == NULL)
		return lost(connection);
	switch (pq->resultStatus(got)) {
	case PGRES_COMMAND_OK:
	case PGRES_TUPLES_OK:
		*result = got;
		return EDS_DB_OK;
	default:
		failed = failure(connection, got);
		pq->clear(got);
		return failed;
	}
}

/* Reads the address again and connects to it if it has changed, because the password or the server
 * may be new. */
static bool connect_by_another(struct eds_postgres_db *connection)
{
	struct eds_postgres *session = &connection->session;
	int64_t until_ms = connection->base.wait_until_ms;
	char *another = eds_database_url_failed(session->url, session->refused, until_ms);

	if (another == NULL)
		return false;
	free(session->url);
	session->url = another;
	return eds_postgres_connect(session, until_ms);
}

static enum eds_db_result reconnect(struct eds_postgres_db *connection)
{
	if (connection->session.connection != NULL)
		return EDS_DB_OK;
	connection->known_count = 0;
	if (eds_postgres_connect(&connection->session, connection->base.wait_until_ms) ||
		connect_by_another(connection))
		return EDS_DB_OK;
	connection->base.reason = connection->session.reason;
	return EDS_DB_UNAVAILABLE;
}

/* Runs SQL without parameters. Checks the command tag, because the server answers COMMIT with the
 * tag ROLLBACK when the transaction has failed before. */
static enum eds_db_result command(
	struct eds_postgres_db *connection, const char *sql, const char *tag)
{
	const struct eds_libpq *pq = connection->session.pq;
	PGresult *result;
	enum eds_db_result done;

	result = eds_postgres_result(&connection->session,
		pq->sendQuery(connection->session.connection, sql), connection->base.wait_until_ms);
	done = judge(connection, result, &result);
	if (done == EDS_DB_OK && strcmp(pq->cmdStatus(result), tag) != 0) {
		connection->base.reason = "the transaction had failed before";
		done = EDS_DB_REFUSED;
	}
	pq->clear(result);
	return done;
}

static enum eds_db_result run(struct eds_postgres_db *connection,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	PGresult **result)
{
	return judge(connection, eds_postgres_run(connection, statement, values, count), result);
}

/* Asks whether a pooler is between this process and the server, but only when a connection is used
 * for the second time, so that a process that runs once does not spend the round trip. */
static bool ask_way(struct eds_postgres_db *connection)
{
	return connection->known_count == 0 || connection->transaction == WITHIN ||
		eds_postgres_ask_way(&connection->session, connection->base.wait_until_ms);
}

/* Outside a transaction, opens a lost connection again before it runs the statement, and sends a
 * SELECT once more when the connection is lost meanwhile. Within a transaction, a lost connection
 * loses the whole transaction. */
static enum eds_db_result run_anywhere(struct eds_postgres_db *connection,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	PGresult **result)
{
	bool select = strncmp(statement->sql, "SELECT", 6) == 0;
	enum eds_db_result done = EDS_DB_BUSY;

	*result = NULL;
	if (connection->transaction != OUTSIDE)
		return connection->session.connection == NULL
			? EDS_DB_BUSY
			: run(connection, statement, values, count, result);
	for (int tries = select ? 2 : 1; tries > 0; tries--) {
		done = reconnect(connection);
		if (done == EDS_DB_OK && !ask_way(connection))
			done = lost(connection);
		if (done == EDS_DB_OK)
			done = run(connection, statement, values, count, result);
		if (connection->session.connection != NULL)
			return done;
	}
	return EDS_DB_UNAVAILABLE;
}

static struct eds_postgres_query *free_query(struct eds_postgres_db *connection)
{
	for (size_t i = 0; i < sizeof connection->queries / sizeof connection->queries[0]; i++) {
		struct eds_postgres_query *query = &connection->queries[i];

		if (!query->in_use) {
			*query = (struct eds_postgres_query){
				.base.db = &connection->base, .in_use = true};
			return query;
		}
	}
	return NULL;
}

static enum eds_db_result row_result(const struct eds_postgres_query *query)
{
	const struct eds_libpq *pq = ((struct eds_postgres_db *)query->base.db)->session.pq;

	return query->row < pq->ntuples(query->result) ? EDS_DB_ROW : EDS_DB_OK;
}

static enum eds_db_result postgres_query(struct eds_db *db,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	struct eds_db_query **out)
{
	struct eds_postgres_db *connection = (struct eds_postgres_db *)db;
	struct eds_postgres_query *query = free_query(connection);
	enum eds_db_result result;

	*out = query != NULL ? &query->base : NULL;
	db->reason = "too many values or open queries";
	if (query == NULL || count > EDS_DB_VALUES_MAX)
		return EDS_DB_REFUSED;
	result = run_anywhere(connection, statement, values, count, &query->result);
	return result == EDS_DB_OK ? row_result(query) : result;
}

static enum eds_db_result postgres_next(struct eds_db_query *base)
{
	struct eds_postgres_query *query = (struct eds_postgres_query *)base;

	query->row++;
	return row_result(query);
}

static const char *postgres_column_text(struct eds_db_query *base, int column)
{
	const struct eds_libpq *pq = ((struct eds_postgres_db *)base->db)->session.pq;
	const struct eds_postgres_query *query = (struct eds_postgres_query *)base;

	if (pq->getisnull(query->result, query->row, column))
		return NULL;
	return pq->getvalue(query->result, query->row, column);
}

static int64_t postgres_column_int(struct eds_db_query *base, int column)
{
	const char *text = postgres_column_text(base, column);

	return text != NULL ? strtoll(text, NULL, 10) : 0;
}

static int64_t postgres_changed(struct eds_db_query *base)
{
	const struct eds_libpq *pq = ((struct eds_postgres_db *)base->db)->session.pq;

	return strtoll(pq->cmdTuples(((struct eds_postgres_query *)base)->result), NULL, 10);
}

static void postgres_end(struct eds_db_query *base)
{
	struct eds_postgres_query *query = (struct eds_postgres_query *)base;

	((struct eds_postgres_db *)base->db)->session.pq->clear(query->result);
	query->result = NULL;
	query->in_use = false;
}

static enum eds_db_result postgres_begin(struct eds_db *db, enum eds_db_isolation isolation)
{
	struct eds_postgres_db *connection = (struct eds_postgres_db *)db;
	enum eds_db_result result = reconnect(connection);

	if (result == EDS_DB_OK && !ask_way(connection))
		result = lost(connection);
	if (result != EDS_DB_OK)
		return result;
	connection->transaction = BEGINNING;
	connection->isolation = isolation;
	return EDS_DB_OK;
}

static enum eds_db_result postgres_commit(struct eds_db *db)
{
	struct eds_postgres_db *connection = (struct eds_postgres_db *)db;
	enum eds_db_result result = EDS_DB_BUSY;

	if (connection->transaction == BEGINNING) {
		connection->transaction = OUTSIDE; /* nothing to commit: the server was never told
						    * of the transaction */
		return EDS_DB_OK;
	}
	connection->transaction = COMMITTING;
	if (connection->session.connection != NULL)
		result = command(connection, "COMMIT", "COMMIT");
	connection->transaction = result == EDS_DB_OK ? OUTSIDE : WITHIN;
	return result;
}

/* Sends all steps in one message, at whose end the server commits all of them, or none. */
static enum eds_db_result send_at_once(struct eds_postgres_db *connection,
	const struct eds_db_step *steps, size_t count, int64_t *number)
{
	const struct eds_libpq *pq = connection->session.pq;
	PGresult *result = eds_postgres_run_steps(connection, steps, count);
	enum eds_db_result done;

	done = judge(connection, result, &result);
	connection->transaction = OUTSIDE;
	*number = 0;
	if (done == EDS_DB_OK && pq->ntuples(result) > 0)
		*number = strtoll(pq->getvalue(result, 0, EDS_DB_ONLY), NULL, 10);
	pq->clear(result);
	return done;
}

static enum eds_db_result postgres_at_once(
	struct eds_db *db, const struct eds_db_step *steps, size_t count, int64_t *number)
{
	struct eds_postgres_db *connection = (struct eds_postgres_db *)db;
	enum eds_db_result result = reconnect(connection);

	db->reason = result == EDS_DB_OK ? "too many steps" : db->reason;
	if (count > EDS_DB_STEPS_MAX)
		return EDS_DB_REFUSED;
	if (result == EDS_DB_OK && !ask_way(connection))
		result = lost(connection);
	return result == EDS_DB_OK ? send_at_once(connection, steps, count, number) : result;
}

/* Rolls back. When that fails, closing the connection ends the transaction. */
static void postgres_rollback(struct eds_db *db)
{
	struct eds_postgres_db *connection = (struct eds_postgres_db *)db;
	const char *reason = db->reason;

	if (connection->transaction == WITHIN && connection->session.connection != NULL &&
		command(connection, "ROLLBACK", "ROLLBACK") != EDS_DB_OK)
		eds_postgres_disconnect(&connection->session);
	connection->transaction = OUTSIDE;
	db->reason = reason;
}

static bool postgres_usable(struct eds_db *db, bool look)
{
	(void)look;
	return eds_postgres_alive(&((struct eds_postgres_db *)db)->session);
}

static void postgres_close(struct eds_db *db)
{
	struct eds_postgres_db *connection = (struct eds_postgres_db *)db;

	eds_postgres_disconnect(&connection->session);
	free(connection->session.url);
	free(connection);
}

static enum eds_db_result open_session(struct eds_postgres_db *connection, const char *url)
{
	connection->session.pq = eds_libpq();
	connection->session.url = strdup(url);
	connection->base.reason = "PostgreSQL's client library libpq.so.5 is not installed";
	if (connection->session.pq == NULL)
		return EDS_DB_UNAVAILABLE;
	return reconnect(connection);
}

/* Ignores create: the operator of the server creates the database. */
static enum eds_db_result postgres_open(const char *url, bool create, int64_t wait_until_ms,
	struct eds_db **db, const char **reason)
{
	struct eds_postgres_db *connection = calloc(1, sizeof *connection);
	enum eds_db_result result;

	(void)create;
	*db = NULL;
	*reason = "out of memory";
	if (connection == NULL)
		return EDS_DB_UNAVAILABLE;
	connection->base.driver = &eds_db_postgres;
	connection->base.wait_until_ms = wait_until_ms;
	result = open_session(connection, url);
	*reason = connection->base.reason;
	if (result != EDS_DB_OK) {
		postgres_close(&connection->base);
		return result;
	}
	*db = &connection->base;
	return EDS_DB_OK;
}

const struct eds_db_driver eds_db_postgres = {
	.scheme = "postgres", /* for postgresql:// and postgres:// */
	.writes_beside = true,
	.open = postgres_open,
	.close = postgres_close,
	.usable = postgres_usable,
	.begin = postgres_begin,
	.commit = postgres_commit,
	.rollback = postgres_rollback,
	.at_once = postgres_at_once,
	.query = postgres_query,
	.next = postgres_next,
	.column_int = postgres_column_int,
	.column_text = postgres_column_text,
	.changed = postgres_changed,
	.end = postgres_end,
};
