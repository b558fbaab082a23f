#include "functions/lib/store/postgres-session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/ctx.h"

enum {
	/* The server's own clock comes first: its refusal keeps the connection. */
	GRACE_MS = 100,
	SETTINGS_MAX = 128,
};

/* Notices of the server would be printed to standard error. */
static void ignore_notice(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

static bool wait_for(const struct eds_postgres *session, short events, int64_t until_ms)
{
	struct pollfd fd = {.fd = session->pq->socket(session->connection), .events = events};
	int64_t left_ms;
	int ready;

	do {
		left_ms = until_ms - rt_monotonic_ms();
		ready = poll(&fd, 1, left_ms > 0 ? (int)left_ms : 0);
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

void eds_postgres_disconnect(struct eds_postgres *session)
{
	if (session->connection != NULL)
		session->pq->finish(session->connection);
	session->connection = NULL;
}

/* What stands before the URL is a default that the URL may change, what stands behind it is not. */
static PGconn *start(const struct eds_postgres *session)
{
	static const char *const keywords[] = {
		"gssencmode", "fallback_application_name", "dbname", "client_encoding", NULL};
	const char *values[] = {"disable", "eds", session->url, "UTF8", NULL};

	return session->pq->connectStartParams(keywords, values, 1);
}

/* The server cannot be reached, or does not let us in. */
static bool log_in(struct eds_postgres *session, int64_t until_ms)
{
	const struct eds_libpq *pq = session->pq;
	PostgresPollingStatusType next = PGRES_POLLING_WRITING;

	session->reason = "the database server cannot be reached";
	if (pq->status(session->connection) == CONNECTION_BAD)
		return false;
	while (next != PGRES_POLLING_OK) {
		short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;

		if (!wait_for(session, events, until_ms))
			return false;
		next = pq->connectPoll(session->connection);
		if (next == PGRES_POLLING_FAILED)
			return false;
		if (pq->status(session->connection) >= CONNECTION_AWAITING_RESPONSE)
			session->reason = "logging in to the database server fails: look at user, "
					  "password, database name and certificate";
	}
	return true;
}

/* Bounds what runs outside transactions, and how long a transaction may stay open that has lost its
 * client. */
static bool set_limits(struct eds_postgres *session, int64_t until_ms)
{
	int64_t left_ms = until_ms - rt_monotonic_ms();
	char settings[SETTINGS_MAX];
	PGresult *result;
	bool done;

	if (left_ms < 1)
		left_ms = 1;
	snprintf(settings, sizeof settings,
		"SET statement_timeout = %lld; SET idle_in_transaction_session_timeout = %lld",
		(long long)left_ms, (long long)left_ms);
	result = eds_postgres_result(
		session, session->pq->sendQuery(session->connection, settings), until_ms);
	done = result != NULL && session->pq->resultStatus(result) == PGRES_COMMAND_OK;
	session->pq->clear(result);
	return done;
}

bool eds_postgres_connect(struct eds_postgres *session, int64_t until_ms)
{
	eds_postgres_disconnect(session);
	session->connection = start(session);
	session->reason = "out of memory";
	if (session->connection == NULL)
		return false;
	session->pq->setNoticeProcessor(session->connection, ignore_notice, NULL);
	if (log_in(session, until_ms) && session->pq->setnonblocking(session->connection, 1) == 0 &&
		set_limits(session, until_ms))
		return true;
	eds_postgres_disconnect(session);
	return false;
}

bool eds_postgres_alive(const struct eds_postgres *session)
{
	/* To an idle client a server says hardly anything but good-bye. */
	return session->connection != NULL && !wait_for(session, POLLIN, 0);
}

static bool send_out(struct eds_postgres *session, int64_t until_ms)
{
	const struct eds_libpq *pq = session->pq;
	int left;

	while ((left = pq->flush(session->connection)) > 0) {
		if (!wait_for(session, POLLIN | POLLOUT, until_ms) ||
			!pq->consumeInput(session->connection))
			return false;
	}
	return left == 0;
}

static bool receive(struct eds_postgres *session, int64_t until_ms)
{
	const struct eds_libpq *pq = session->pq;

	while (pq->isBusy(session->connection))
		if (!wait_for(session, POLLIN, until_ms) || !pq->consumeInput(session->connection))
			return false;
	return true;
}

static bool has_failed(const struct eds_libpq *pq, const PGresult *result)
{
	return result != NULL && pq->resultStatus(result) == PGRES_FATAL_ERROR;
}

/* Of several statements the server answers each, up to the first that fails. */
static bool collect(struct eds_postgres *session, int64_t until_ms, PGresult **last)
{
	const struct eds_libpq *pq = session->pq;
	PGresult *result;

	for (;;) {
		if (!receive(session, until_ms))
			return false;
		result = pq->getResult(session->connection);
		if (result == NULL)
			return pq->status(session->connection) == CONNECTION_OK;
		if (has_failed(pq, *last)) {
			pq->clear(result);
			continue;
		}
		pq->clear(*last);
		*last = result;
	}
}

PGresult *eds_postgres_result(struct eds_postgres *session, int sent, int64_t until_ms)
{
	PGresult *last = NULL;

	until_ms += GRACE_MS;
	session->reason = "the connection to the database was lost";
	if (sent && send_out(session, until_ms) && collect(session, until_ms, &last))
		return last;
	if (rt_monotonic_ms() >= until_ms)
		session->reason = "the database did not answer in time";
	session->pq->clear(last);
	eds_postgres_disconnect(session);
	return NULL;
}
