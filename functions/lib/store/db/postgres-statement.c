#include "functions/lib/store/db/postgres-statement.h"
#include "runtime/time.h"

#include <stdio.h>

enum {
	NUMBER_MAX = 24, /* room for an int64_t in decimal, with the NUL */
};

/* Writes values as text; the server reads them as the types that the statement needs. */
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

/* The statement's entry among those seen before; NULL at its first use, when there is no room, and
 * for a statement without a name. */
static struct known_statement *find_known(
	struct eds_postgres_db *connection, const struct eds_db_statement *statement)
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

/* Adds the statement to the batch, prepared or with its text. */
static int send_statement(struct eds_postgres_db *connection,
	const struct eds_db_statement *statement, size_t count, const char *const *texts)
{
	const struct eds_libpq *pq = connection->session.pq;
	struct known_statement *known = find_known(connection, statement);
	PGconn *to = connection->session.connection;

	if (known == NULL || connection->session.way != EDS_POSTGRES_DIRECT) {
		connection->sent++;
		return pq->sendQueryParams(
			to, statement->sql, (int)count, NULL, texts, NULL, NULL, 0);
	}
	if (!known->prepared) {
		if (!pq->sendPrepare(to, statement->name, statement->sql, 0, NULL))
			return 0;
		known->prepared_as = connection->sent++;
		connection->preparing[connection->preparing_count++] = known;
	}
	connection->sent++;
	return pq->sendQueryPrepared(to, statement->name, (int)count, texts, NULL, NULL, 0);
}

/* Sends the BEGIN, if one is due, and the remaining time as the time limit of each statement. The
 * limit is at least 1 ms, because 0 would mean no limit. set_config(…, true) sets a value for this
 * transaction only, as SET LOCAL does; but outside a BEGIN, SET LOCAL would give a warning. The
 * remaining time is also the limit after which the server ends a transaction whose client is
 * silent. */
static int send_preamble(struct eds_postgres_db *connection)
{
	static const struct eds_db_statement begins[] = {
		[EDS_DB_SERIALISABLE] = {NULL, "BEGIN ISOLATION LEVEL SERIALIZABLE"},
		[EDS_DB_GUARDED] = {NULL, "BEGIN ISOLATION LEVEL READ COMMITTED"},
	};
	static const struct eds_db_statement alone = {
		"preamble-alone", "SELECT set_config('statement_timeout', $1, true)"};
	static const struct eds_db_statement several = {"preamble-several",
		"SELECT set_config('statement_timeout', $1, true),"
		" set_config('idle_in_transaction_session_timeout', $1, true)"};
	int64_t left_ms = connection->base.wait_until_ms - rt_monotonic_ms();
	char number[NUMBER_MAX];
	const char *text = number;

	snprintf(number, sizeof number, "%lld", (long long)(left_ms > 0 ? left_ms : 1));
	if (connection->transaction == OUTSIDE)
		return send_statement(connection, &alone, 1, &text);
	return send_statement(connection, &begins[connection->isolation], 0, NULL) &&
		send_statement(connection, &several, 1, &text);
}

/* Marks the statements that the server has prepared: they stay prepared, even if a later statement
 * of the batch failed. */
static void note_prepared(struct eds_postgres_db *connection)
{
	for (size_t i = 0; i < connection->preparing_count; i++)
		connection->preparing[i]->prepared = connection->session.completed >
			connection->preparing[i]->prepared_as;
}

static bool begin_batch(struct eds_postgres_db *connection)
{
	connection->sent = connection->preparing_count = 0;
	return eds_postgres_batch(&connection->session);
}

/* Adds one step to the batch; its values may be freed afterwards, because libpq copies them. */
static int send_step(struct eds_postgres_db *connection, const struct eds_db_statement *statement,
	const struct eds_db_value *values, size_t count)
{
	char numbers[EDS_DB_VALUES_MAX][NUMBER_MAX];
	const char *texts[EDS_DB_VALUES_MAX];

	write_values(values, count, numbers, texts);
	return send_statement(connection, statement, count, texts);
}

static PGresult *end_batch(struct eds_postgres_db *connection, int sent)
{
	PGresult *result = eds_postgres_batch_result(
		&connection->session, sent, connection->base.wait_until_ms);

	note_prepared(connection);
	return result;
}

PGresult *eds_postgres_run(struct eds_postgres_db *connection,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count)
{
	int sent = begin_batch(connection) &&
		(connection->transaction == WITHIN || send_preamble(connection)) &&
		send_step(connection, statement, values, count);
	PGresult *result = end_batch(connection, sent);

	if (connection->transaction == BEGINNING)
		connection->transaction = WITHIN;
	return result;
}

PGresult *eds_postgres_run_steps(
	struct eds_postgres_db *connection, const struct eds_db_step *steps, size_t count)
{
	int sent = begin_batch(connection) && send_preamble(connection);

	for (size_t i = 0; i < count && sent; i++)
		sent = send_step(connection, steps[i].statement, steps[i].values, steps[i].count);
	return end_batch(connection, sent);
}
