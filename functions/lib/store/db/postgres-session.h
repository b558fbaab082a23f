/* A session with a PostgreSQL server: connects, sends queries and waits for results, each with a
 * deadline.
 *
 * A session leaves no settings at the server, because a pooler in between may give each transaction
 * a different connection to the server.
 */
#ifndef EDS_STORE_POSTGRES_SESSION_H
#define EDS_STORE_POSTGRES_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "functions/lib/store/db/libpq.h"

struct eds_postgres {
	const struct eds_libpq *pq;
	char *url;
	PGconn *connection; /* the connection; NULL when not connected */
	enum { EDS_POSTGRES_UNASKED, EDS_POSTGRES_DIRECT, EDS_POSTGRES_POOLED } way;
	size_t completed;   /* number of statements of the latest batch that completed before a
			     * failure */
	const char *reason; /* why the latest call failed; contains no names of hosts, users or
			     * databases */
	bool refused;       /* the server refused the user or the password at the latest connect */
};

/* Connects (again). On failure returns false and sets reason. */
bool eds_postgres_connect(struct eds_postgres *session, int64_t until_ms);

void eds_postgres_disconnect(struct eds_postgres *session);

/* False when there is no connection, or when the server has closed the idle connection. */
bool eds_postgres_alive(const struct eds_postgres *session);

/* Finds out, once per connection, whether a pooler is between this process and the server: a
 * pooler's greeting has a different process number than the server process that does the work. To
 * be called outside transactions. False when the question failed; the connection may then be
 * lost. */
bool eds_postgres_ask_way(struct eds_postgres *session, int64_t until_ms);

/* Begins a batch: statements sent from here to eds_postgres_batch_result() go out in one message,
 * and are one transaction unless the batch contains a BEGIN. False when there is no usable
 * connection. */
bool eds_postgres_batch(struct eds_postgres *session);

/* Ends the batch and waits for its results. sent: true if all statements of the batch were sent.
 * Returns the same as eds_postgres_result(). */
PGresult *eds_postgres_batch_result(struct eds_postgres *session, int sent, int64_t until_ms);

/* The result of a query; of several statements, the result of the first that failed, or else of the
 * last. sent: the return value of the libpq function that sent the query. The caller clears the
 * result. NULL when the connection was lost or the time is up; the session then has no connection.
 */
PGresult *eds_postgres_result(struct eds_postgres *session, int sent, int64_t until_ms);

#endif
