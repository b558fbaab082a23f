/* A session with a PostgreSQL server, whose every wait ends by a deadline: connecting, and sending
 * queries and waiting for the result.
 *
 * It leaves no settings behind at the server. A pooler may stand between, which gives each
 * transaction another of its connections to the server.
 */
#ifndef EDS_STORE_POSTGRES_SESSION_H
#define EDS_STORE_POSTGRES_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "functions/lib/store/db/libpq.h"

struct eds_postgres {
	const struct eds_libpq *pq;
	char *url;
	PGconn *connection; /* NULL: none, or one that was given up */
	enum { EDS_POSTGRES_UNASKED, EDS_POSTGRES_DIRECT, EDS_POSTGRES_POOLED } way;
	size_t completed;   /* statements of the latest batch, before one failed */
	const char *reason; /* why the latest call failed, in words without names */
	bool refused;       /* it was the user or the password of the latest connecting */
};

/* Connects (again). False with a reason. */
bool eds_postgres_connect(struct eds_postgres *session, int64_t until_ms);

void eds_postgres_disconnect(struct eds_postgres *session);

/* False when the server has closed the idle connection. */
bool eds_postgres_alive(const struct eds_postgres *session);

/* Asks, once for a connection, whether it goes to a server process of its own: a pooler greets with
 * another process's number than the one that does the work. Outside transactions. False when it
 * could not be asked, and then maybe without a connection. */
bool eds_postgres_ask_way(struct eds_postgres *session, int64_t until_ms);

/* From here to eds_postgres_batch_result() what is sent goes out in one message, and is one
 * transaction unless it holds a BEGIN. False when there is no connection that it can go to. */
bool eds_postgres_batch(struct eds_postgres *session);

/* The same as eds_postgres_result(), of a batch. */
PGresult *eds_postgres_batch_result(struct eds_postgres *session, int sent, int64_t until_ms);

/* The result of the query whose sending returned `sent`; the last one of several statements, or the
 * first failed one. To be cleared by the caller. NULL, and no connection any more, when it was lost
 * or the time is up. */
PGresult *eds_postgres_result(struct eds_postgres *session, int sent, int64_t until_ms);

#endif
