#include "functions/lib/store/db/postgres-session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ctx.h"
#include "runtime/time.h"

enum {
	/* We wait this much longer than the time limit that the server has for a statement, so that
	 * the server's time-out error arrives first: after that error the connection is still
	 * usable.
	 */
	GRACE_MS = 100,
};

/* Drops notices of the server, which libpq would print to standard error. */
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

/* Starts to connect. Keywords before dbname are defaults that the URL may change; keywords after it
 * override the URL. */
static PGconn *start(const struct eds_postgres *session)
{
	static const char *const keywords[] = {
		"gssencmode", "fallback_application_name", "dbname", "client_encoding", NULL};
	const char *values[] = {"disable", "eds", session->url, "UTF8", NULL};

	return session->pq->connectStartParams(keywords, values, 1);
}

static bool says(const struct eds_postgres *session, const char *text)
{
	return strstr(session->pq->errorMessage(session->connection), text) != NULL;
}

/* The meaning of a failed login by its SQLSTATE. When a connect fails, libpq gives the SQLSTATE
 * only as a part of its message; the verbosity that eds_postgres_connect() sets reduces the message
 * to the SQLSTATE. 08P01 comes from PgBouncer before 1.19. */
static const struct {
	const char *state;
	bool refused; /* the secret may be old: it is read again */
	const char *reason;
} login_failures[] = {
	{"  28P01", true, "the database server refuses user or password"},
	{"  08P01", true, "the database server refuses user or password"},
	{"  28000", true,
		"the database server refuses this user, or this user from this address "
		"(pg_hba.conf)"},
	{"  3D000", false, "the database server has no database of that name"},
	{"  42501", false, "the user may not connect to this database"},
	{"  53100", false, "the disk of the database server is full"},
	{"  53300", false, "the database server has no connection left for this user"},
	{"  57P03", false, "the database server is starting or stopping"},
};

static void judge_failed_login(struct eds_postgres *session)
{
	for (size_t i = 0; i < sizeof login_failures / sizeof login_failures[0]; i++) {
		if (!says(session, login_failures[i].state))
			continue;
		session->refused = login_failures[i].refused;
		session->reason = login_failures[i].reason;
		return;
	}
}

/* Why a connection fails before the server was asked. libpq's message quotes the text that libpq
 * does not understand. This text may be a part of the password, so the message is not passed on. */
static const char *reason_of_no_start(const struct eds_postgres *session)
{
	return says(session, "invalid ")
		? "EDS_DATABASE_URL has a parameter or a value that is invalid, or a password "
		  "with a character that is not escaped"
		: "the database server cannot be reached";
}

/* Connects and logs in; false when the server cannot be reached or refuses the login. */
static bool log_in(struct eds_postgres *session, int64_t until_ms)
{
	const struct eds_libpq *pq = session->pq;
	PostgresPollingStatusType next = PGRES_POLLING_WRITING;

	session->reason = reason_of_no_start(session);
	if (pq->status(session->connection) == CONNECTION_BAD)
		return false;
	while (next != PGRES_POLLING_OK) {
		short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;

		if (!wait_for(session, events, until_ms))
			return false;
		next = pq->connectPoll(session->connection);
		if (next == PGRES_POLLING_FAILED) {
			judge_failed_login(session);
			return false;
		}
		if (pq->status(session->connection) >= CONNECTION_AWAITING_RESPONSE)
			session->reason =
				"logging in to the database server fails: check the user, "
				"password, database name and certificate";
	}
	return true;
}

bool eds_postgres_connect(struct eds_postgres *session, int64_t until_ms)
{
	eds_postgres_disconnect(session);
	session->way = EDS_POSTGRES_UNASKED;
	session->refused = false;
	session->connection = start(session);
	session->reason = "out of memory";
	if (session->connection == NULL)
		return false;
	session->pq->setNoticeProcessor(session->connection, ignore_notice, NULL);
	(void)session->pq->setErrorVerbosity(session->connection, PQERRORS_SQLSTATE);
	if (log_in(session, until_ms) && session->pq->setnonblocking(session->connection, 1) == 0)
		return true;
	eds_postgres_disconnect(session);
	return false;
}

bool eds_postgres_alive(const struct eds_postgres *session)
{
	/* an idle client hardly ever gets anything to read except the end of the connection */
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

/* Keeps the last result, or the first one that failed. */
static void keep_result(const struct eds_libpq *pq, PGresult **kept, PGresult *result)
{
	if (has_failed(pq, *kept)) {
		pq->clear(result);
		return;
	}
	pq->clear(*kept);
	*kept = result;
}

/* Collects the results of several statements; the server answers each of them, up to the first that
 * fails. */
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
		keep_result(pq, last, result);
	}
}

/* Collects the results of a batch. The results of each statement end with NULL, and the batch ends
 * with the sync. Outside a BEGIN the server commits the batch, or rolls it back after a failure,
 * before it answers the sync; within a BEGIN the sync commits nothing. */
static bool collect_batch(struct eds_postgres *session, int64_t until_ms, PGresult **last)
{
	const struct eds_libpq *pq = session->pq;
	ExecStatusType status = PGRES_EMPTY_QUERY;
	PGresult *result;

	while (status != PGRES_PIPELINE_SYNC) {
		if (!receive(session, until_ms))
			return false;
		result = pq->getResult(session->connection);
		if (result == NULL && pq->status(session->connection) != CONNECTION_OK)
			return false;
		status = pq->resultStatus(result);
		if (result == NULL || status == PGRES_PIPELINE_SYNC ||
			status == PGRES_PIPELINE_ABORTED)
			pq->clear(result);
		else
			keep_result(pq, last, result);
		if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
			session->completed++;
	}
	return pq->getResult(session->connection) == NULL &&
		pq->exitPipelineMode(session->connection) != 0;
}

typedef bool (*collector)(struct eds_postgres *session, int64_t until_ms, PGresult **last);

static PGresult *result_of(
	struct eds_postgres *session, collector collect_all, int sent, int64_t until_ms)
{
	PGresult *last = NULL;

	until_ms += GRACE_MS;
	session->reason = "the connection to the database was lost";
	if (sent && send_out(session, until_ms) && collect_all(session, until_ms, &last))
		return last;
	if (rt_monotonic_ms() >= until_ms)
		session->reason = "the database did not answer in time";
	session->pq->clear(last);
	eds_postgres_disconnect(session);
	return NULL;
}

PGresult *eds_postgres_result(struct eds_postgres *session, int sent, int64_t until_ms)
{
	return result_of(session, collect, sent, until_ms);
}

bool eds_postgres_ask_way(struct eds_postgres *session, int64_t until_ms)
{
	const struct eds_libpq *pq = session->pq;
	PGresult *result;

	if (session->way != EDS_POSTGRES_UNASKED)
		return true;
	result = eds_postgres_result(
		session, pq->sendQuery(session->connection, "SELECT pg_backend_pid()"), until_ms);
	if (result != NULL && pq->resultStatus(result) == PGRES_TUPLES_OK)
		session->way = strtol(pq->getvalue(result, 0, 0), NULL, 10) ==
				pq->backendPID(session->connection)
			? EDS_POSTGRES_DIRECT
			: EDS_POSTGRES_POOLED;
	pq->clear(result);
	return session->way != EDS_POSTGRES_UNASKED;
}

bool eds_postgres_batch(struct eds_postgres *session)
{
	session->completed = 0;
	return session->connection != NULL &&
		session->pq->enterPipelineMode(session->connection) != 0;
}

PGresult *eds_postgres_batch_result(struct eds_postgres *session, int sent, int64_t until_ms)
{
	return result_of(session, collect_batch,
		sent && session->pq->pipelineSync(session->connection), until_ms);
}
