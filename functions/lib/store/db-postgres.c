/* The PostgreSQL driver: one connection a process, opened anew when it was lost.
 *
 * Transactions are serialisable; the server's refusal to serialise (40001), a deadlock (40P01) and
 * a connection lost before the commit are EDS_DB_BUSY: the transaction is run again whole. A lost
 * answer to a commit says nothing about what became of it, so it is EDS_DB_UNAVAILABLE, and whoever
 * sent the event decides. A SELECT outside a transaction is sent again once.
 *
 * A statement is prepared at its second use: a process that runs it once pays one round trip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/db.h"
#include "functions/lib/store/postgres-session.h"

enum {
	NUMBER_MAX = 24, /* characters of an int64_t */
	BEGIN_MAX = 128,
};

struct known_statement {
	const struct eds_db_statement *statement;
	bool prepared;
};

struct query {
	struct eds_db_query base;
	PGresult *result;
	int row;
	bool in_use;
};

struct connection {
	struct eds_db base;
	struct eds_postgres session;
	enum { OUTSIDE, WITHIN, COMMITTING } transaction;
	/* of this connection; a new one knows none */
	struct known_statement known[EDS_DB_STATEMENTS_MAX];
	size_t known_count;
	struct query queries[4]; /* open at the same time */
};

/* SQLSTATE (Appendix A of PostgreSQL's manual), whole or its class alone: the first that fits. */
static const struct {
	const char *state;
	enum eds_db_result result;
	const char *reason;
} states[] = {
	{"23505", EDS_DB_UNIQUE, "a row with this key exists"},
	{"42P07", EDS_DB_UNIQUE, "the table exists"}, /* these two: of migrations at once */
	{"42710", EDS_DB_UNIQUE, "the table exists"},
	{"23503", EDS_DB_FOREIGN_KEY, "what the row refers to does not exist"},
	{"40001", EDS_DB_BUSY, "the transaction met another"},
	{"40P01", EDS_DB_BUSY, "the transaction met another"},
	{"55P03", EDS_DB_BUSY, "the row is locked"},
	{"57014", EDS_DB_BUSY, "the time for the statement is up"},
	{"25006", EDS_DB_UNAVAILABLE, "the database is read-only"},
	{"08", EDS_DB_UNAVAILABLE, "the connection to the database was lost"},
	{"53", EDS_DB_UNAVAILABLE, "the database has run out of disk, memory or connections"},
	{"57", EDS_DB_UNAVAILABLE, "the database server stops or starts"},
	{"58", EDS_DB_UNAVAILABLE, "the database server's machine fails"},
	{"XX001", EDS_DB_UNAVAILABLE, "the database is damaged"},
	{"XX002", EDS_DB_UNAVAILABLE, "the database is damaged"},
	{"", EDS_DB_REFUSED, "the statement does not fit the schema"},
};

static enum eds_db_result lost(struct connection *connection)
{
	bool retry = connection->transaction != COMMITTING;

	connection->base.reason = connection->session.reason;
	return retry ? EDS_DB_BUSY : EDS_DB_UNAVAILABLE;
}

static enum eds_db_result failure(struct connection *connection, const PGresult *result)
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
	/* a server that stops, or is no longer the one to write to: ask for it anew */
	eds_postgres_disconnect(&connection->session);
	return EDS_DB_UNAVAILABLE;
}

/* Waits for the result of what was sent; *result is NULL unless there may be rows. */
static enum eds_db_result finish(struct connection *connection, int sent, PGresult **result)
{
	const struct eds_libpq *pq = connection->session.pq;
	PGresult *got = eds_postgres_result(
		&connection->session, sent, connection->base.wait_until_ms);
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

static enum eds_db_result reconnect(struct connection *connection)
{
	if (connection->session.connection != NULL)
		return EDS_DB_OK;
	connection->known_count = 0;
	if (eds_postgres_connect(&connection->session, connection->base.wait_until_ms))
		return EDS_DB_OK;
	connection->base.reason = connection->session.reason;
	return EDS_DB_UNAVAILABLE;
}

/* Runs SQL without parameters; several statements are one round trip. The server must confirm the
 * last one by its tag: it answers a COMMIT of what has failed before with ROLLBACK. */
static enum eds_db_result command(struct connection *connection, const char *sql, const char *tag)
{
	const struct eds_libpq *pq = connection->session.pq;
	PGresult *result;
	enum eds_db_result done;

	done = finish(connection, pq->sendQuery(connection->session.connection, sql), &result);
	if (done == EDS_DB_OK && strcmp(pq->cmdStatus(result), tag) != 0) {
		connection->base.reason = "the transaction had failed before";
		done = EDS_DB_REFUSED;
	}
	pq->clear(result);
	return done;
}

/* The statement's place among those seen before; NULL at the first time, and when there is no room.
 */
static struct known_statement *find_known(
	struct connection *connection, const struct eds_db_statement *statement)
{
	if (statement->name == NULL)
		return NULL;
	for (size_t i = 0; i < connection->known_count; i++)
		if (connection->known[i].statement == statement)
			return &connection->known[i];
	if (connection->known_count < EDS_DB_STATEMENTS_MAX)
		connection->known[connection->known_count++] = (struct known_statement){
			.statement = statement};
	return NULL;
}

static enum eds_db_result prepare(struct connection *connection, struct known_statement *known)
{
	const struct eds_libpq *pq = connection->session.pq;
	const struct eds_db_statement *statement = known->statement;
	PGresult *result;
	enum eds_db_result done;

	if (known->prepared)
		return EDS_DB_OK;
	done = finish(connection,
		pq->sendPrepare(
			connection->session.connection, statement->name, statement->sql, 0, NULL),
		&result);
	pq->clear(result);
	known->prepared = done == EDS_DB_OK;
	return done;
}

/* Values as text, which the server reads as the types that the statement needs. */
static void write_values(const struct eds_db_value *values, size_t count,
	char numbers[][NUMBER_MAX], const char **texts)
{
	for (size_t i = 0; i < count; i++) {
		texts[i] = values[i].text;
		if (values[i].type == EDS_DB_NULL)
			texts[i] = NULL;
		if (values[i].type != EDS_DB_INT)
			continue;
		snprintf(numbers[i], NUMBER_MAX, "%lld", (long long)values[i].number);
		texts[i] = numbers[i];
	}
}

static enum eds_db_result run(struct connection *connection,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	PGresult **result)
{
	const struct eds_libpq *pq = connection->session.pq;
	struct known_statement *known = find_known(connection, statement);
	char numbers[EDS_DB_VALUES_MAX][NUMBER_MAX];
	const char *texts[EDS_DB_VALUES_MAX];
	enum eds_db_result done;
	int sent;

	*result = NULL;
	write_values(values, count, numbers, texts);
	if (known == NULL) {
		sent = pq->sendQueryParams(connection->session.connection, statement->sql,
			(int)count, NULL, texts, NULL, NULL, 0);
		return finish(connection, sent, result);
	}
	done = prepare(connection, known);
	if (done != EDS_DB_OK)
		return done;
	sent = pq->sendQueryPrepared(
		connection->session.connection, statement->name, (int)count, texts, NULL, NULL, 0);
	return finish(connection, sent, result);
}

/* Outside a transaction the connection may be opened anew first, and a SELECT that lost its
 * connection is sent again. Within one, all is lost with the connection. */
static enum eds_db_result run_anywhere(struct connection *connection,
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
		if (done == EDS_DB_OK)
			done = run(connection, statement, values, count, result);
		if (connection->session.connection != NULL)
			return done;
	}
	return EDS_DB_UNAVAILABLE;
}

static struct query *free_query(struct connection *connection)
{
	for (size_t i = 0; i < sizeof connection->queries / sizeof connection->queries[0]; i++) {
		struct query *query = &connection->queries[i];

		if (!query->in_use) {
			*query = (struct query){.base.db = &connection->base, .in_use = true};
			return query;
		}
	}
	return NULL;
}

static enum eds_db_result row_result(const struct query *query)
{
	const struct eds_libpq *pq = ((struct connection *)query->base.db)->session.pq;

	return query->row < pq->ntuples(query->result) ? EDS_DB_ROW : EDS_DB_OK;
}

static enum eds_db_result postgres_query(struct eds_db *db,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	struct eds_db_query **out)
{
	struct connection *connection = (struct connection *)db;
	struct query *query = free_query(connection);
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
	struct query *query = (struct query *)base;

	query->row++;
	return row_result(query);
}

static const char *postgres_column_text(struct eds_db_query *base, int column)
{
	const struct eds_libpq *pq = ((struct connection *)base->db)->session.pq;
	const struct query *query = (struct query *)base;

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
	const struct eds_libpq *pq = ((struct connection *)base->db)->session.pq;

	return strtoll(pq->cmdTuples(((struct query *)base)->result), NULL, 10);
}

static void postgres_end(struct eds_db_query *base)
{
	struct query *query = (struct query *)base;

	((struct connection *)base->db)->session.pq->clear(query->result);
	query->result = NULL;
	query->in_use = false;
}

/* With the time it may take, in the same round trip; 0 would mean no limit to the server. */
static enum eds_db_result postgres_begin(struct eds_db *db, enum eds_db_isolation isolation)
{
	struct connection *connection = (struct connection *)db;
	int64_t left_ms = db->wait_until_ms - rt_monotonic_ms();
	enum eds_db_result result = reconnect(connection);
	char sql[BEGIN_MAX];

	if (result != EDS_DB_OK)
		return result;
	snprintf(sql, sizeof sql, "BEGIN ISOLATION LEVEL %s; SET LOCAL statement_timeout = %lld",
		isolation == EDS_DB_SERIALISABLE ? "SERIALIZABLE" : "READ COMMITTED",
		(long long)(left_ms > 0 ? left_ms : 1));
	result = command(connection, sql, "SET");
	if (result == EDS_DB_OK)
		connection->transaction = WITHIN;
	return result;
}

static enum eds_db_result postgres_commit(struct eds_db *db)
{
	struct connection *connection = (struct connection *)db;
	enum eds_db_result result = EDS_DB_BUSY;

	connection->transaction = COMMITTING;
	if (connection->session.connection != NULL)
		result = command(connection, "COMMIT", "COMMIT");
	connection->transaction = result == EDS_DB_OK ? OUTSIDE : WITHIN;
	return result;
}

/* A transaction that cannot be rolled back ends with the connection. */
static void postgres_rollback(struct eds_db *db)
{
	struct connection *connection = (struct connection *)db;
	const char *reason = db->reason;

	if (connection->transaction == OUTSIDE)
		return;
	if (connection->session.connection != NULL &&
		command(connection, "ROLLBACK", "ROLLBACK") != EDS_DB_OK)
		eds_postgres_disconnect(&connection->session);
	connection->transaction = OUTSIDE;
	db->reason = reason;
}

static bool postgres_usable(struct eds_db *db)
{
	return eds_postgres_alive(&((struct connection *)db)->session);
}

static void postgres_close(struct eds_db *db)
{
	struct connection *connection = (struct connection *)db;

	eds_postgres_disconnect(&connection->session);
	free(connection->session.url);
	free(connection);
}

static enum eds_db_result open_session(struct connection *connection, const char *url)
{
	connection->session.pq = eds_libpq();
	connection->session.url = strdup(url);
	connection->base.reason = "PostgreSQL's client library libpq.so.5 is not installed";
	if (connection->session.pq == NULL)
		return EDS_DB_UNAVAILABLE;
	return reconnect(connection);
}

/* The database itself is made by whoever runs the server: create has no meaning here. */
static enum eds_db_result postgres_open(const char *url, bool create, int64_t wait_until_ms,
	struct eds_db **db, const char **reason)
{
	struct connection *connection = calloc(1, sizeof *connection);
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
	.scheme = "postgres", /* postgresql:// or postgres:// */
	.writes_beside = true,
	.open = postgres_open,
	.close = postgres_close,
	.usable = postgres_usable,
	.begin = postgres_begin,
	.commit = postgres_commit,
	.rollback = postgres_rollback,
	.query = postgres_query,
	.next = postgres_next,
	.column_int = postgres_column_int,
	.column_text = postgres_column_text,
	.changed = postgres_changed,
	.end = postgres_end,
};
