/* The state that the PostgreSQL driver keeps for its connection, and the functions that send
 * statements to the server.
 *
 * No setting stays at the server between transactions, since a pooler may give each transaction a
 * different connection. The event's remaining time is therefore sent with each transaction, as SET
 * LOCAL would do, in one message with its BEGIN and first statement, or with its only statement.
 *
 * Statements are prepared under names at their second use, which saves the server most of the work,
 * but only when no pooler is between this process and the server.
 */
#ifndef EDS_STORE_POSTGRES_STATEMENT_H
#define EDS_STORE_POSTGRES_STATEMENT_H

#include "functions/lib/store/db/db.h"
#include "functions/lib/store/db/postgres-session.h"

struct known_statement {
	const struct eds_db_statement *statement;
	bool prepared;
	size_t prepared_as; /* position of its PREPARE in the current batch */
};

struct eds_postgres_query {
	struct eds_db_query base;
	PGresult *result;
	int row;
	bool in_use;
};

struct eds_postgres_db {
	struct eds_db base;
	struct eds_postgres session;
	/* BEGINNING: BEGIN is yet to be sent, with the first statement */
	enum { OUTSIDE, BEGINNING, WITHIN, COMMITTING } transaction;
	enum eds_db_isolation isolation;
	/* statements with a name that this connection has run; a new connection begins with none */
	struct known_statement known[EDS_DB_STATEMENTS_MAX];
	size_t known_count;
	/* statements that the current batch prepares: at most one in send_preamble() and one for
	 * each step */
	struct known_statement *preparing[1 + EDS_DB_STEPS_MAX];
	size_t preparing_count;
	size_t sent;
	struct eds_postgres_query
		queries[4]; /* the queries that are open; there may be several at a time */
};

/* Sends a statement and waits for its result, as eds_postgres_batch_result() does. Also sends the
 * BEGIN, if one is due. */
PGresult *eds_postgres_run(struct eds_postgres_db *connection,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count);

/* Sends several statements, which are one transaction of their own, and waits for the result, as
 * eds_postgres_batch_result() does. */
PGresult *eds_postgres_run_steps(
	struct eds_postgres_db *connection, const struct eds_db_step *steps, size_t count);

#endif
