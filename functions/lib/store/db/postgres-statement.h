/* What the PostgreSQL driver keeps of its connection, and how a statement goes to the server.
 *
 * No setting is kept at the server between two transactions, since a pooler may give each another
 * connection: the time that is left of the event goes with each transaction (SET LOCAL), in one
 * message with its BEGIN and its first statement, or with the one statement that it has.
 *
 * Statements are prepared under names at their second use, which spares the server most of its
 * work, but only where no pooler is in between.
 */
#ifndef EDS_STORE_POSTGRES_STATEMENT_H
#define EDS_STORE_POSTGRES_STATEMENT_H

#include "functions/lib/store/db/db.h"
#include "functions/lib/store/db/postgres-session.h"

struct known_statement {
	const struct eds_db_statement *statement;
	bool prepared;
	size_t prepared_as; /* among the statements of the batch under way */
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
	/* BEGINNING: the server learns of it with the first statement */
	enum { OUTSIDE, BEGINNING, WITHIN, COMMITTING } transaction;
	enum eds_db_isolation isolation;
	/* of this connection; a new one knows none */
	struct known_statement known[EDS_DB_STATEMENTS_MAX];
	size_t known_count;
	/* being prepared in the batch under way: the preamble and the statements at most */
	struct known_statement *preparing[1 + EDS_DB_STEPS_MAX];
	size_t preparing_count;
	size_t sent;
	struct eds_postgres_query queries[4]; /* open at the same time */
};

/* Sends it, and waits: as eds_postgres_batch_result(). A transaction that is beginning has begun
 * then. */
PGresult *eds_postgres_run(struct eds_postgres_db *connection,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count);

/* The same of several, which are one transaction of their own. */
PGresult *eds_postgres_run_steps(
	struct eds_postgres_db *connection, const struct eds_db_step *steps, size_t count);

#endif
