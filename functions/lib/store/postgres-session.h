/* A session with a PostgreSQL server, whose every wait ends by a deadline: connecting, and sending
 * one query and waiting for its result.
 *
 * The server is told the time too (statement_timeout), so that it does not go on with what nobody
 * waits for any more.
 */
#ifndef EDS_STORE_POSTGRES_SESSION_H
#define EDS_STORE_POSTGRES_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "functions/lib/store/libpq.h"

struct eds_postgres {
	const struct eds_libpq *pq;
	char *url;
	PGconn *connection; /* NULL: none, or one that was given up */
	const char *reason; /* why the latest call failed, in words without names */
};

/* Connects (again). False with a reason. */
bool eds_postgres_connect(struct eds_postgres *session, int64_t until_ms);

void eds_postgres_disconnect(struct eds_postgres *session);

/* False when the server has closed the idle connection. */
bool eds_postgres_alive(const struct eds_postgres *session);

/* The result of the query whose sending returned `sent`; the last one of several statements, or the
 * first failed one. To be cleared by the caller. NULL, and no connection any more, when it was lost
 * or the time is up. */
PGresult *eds_postgres_result(struct eds_postgres *session, int sent, int64_t until_ms);

#endif
