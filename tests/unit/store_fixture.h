/* Code shared by the tests of the store: a database of their own, events for calls of the store,
 * and a second connection that reads rows and lets time pass.
 *
 * The database is SQLite in a temporary folder, or, if EDS_TEST_DATABASE_URL names a PostgreSQL
 * server, a schema of its own there (tests/support/postgres.mjs).
 */
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "functions/lib/store/db/postgres-session.h"
#include "functions/lib/store/schema/migrations.h"
#include "functions/lib/store/store.h"
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/config/config.h"
#include "runtime/time.h"
#include "tests/unit/temp_folder.h"

enum {
	EVENT_MS = 10000,
	PATH_MAX_BYTES = 512,
	SQL_MAX_BYTES = 1024,
};

static char folder[TEMP_FOLDER_BYTES];
static char database[PATH_MAX_BYTES]; /* the path of SQLite's file */
/* the address of the database, in the form of EDS_DATABASE_URL */
static char database_url[PATH_MAX_BYTES];
/* the test's own connection to PostgreSQL; unused with SQLite */
static struct eds_postgres server;
static char schema[32] = "none";
static struct rt_ctx event;

static inline void next_event(int timeout_ms)
{
	if (event.arena == NULL)
		event.arena = rt_arena_new();
	rt_arena_reset(event.arena);
	rt_fail_clear(&event);
	event.limit_count = 0;
	event.function = "test";
	event.request_id = "test";
	event.deadline_ms = rt_monotonic_ms() + timeout_ms;
}

static inline bool on_postgres(void)
{
	return server.url != NULL;
}

static inline int64_t sql_on_postgres(const char *text)
{
	int64_t until_ms = rt_monotonic_ms() + EVENT_MS;
	int64_t value = 0;
	PGresult *result;

	assert_true(server.connection != NULL || eds_postgres_connect(&server, until_ms));
	result = eds_postgres_result(
		&server, server.pq->sendQuery(server.connection, text), until_ms);
	assert_non_null(result);
	assert_int_not_equal(server.pq->resultStatus(result), PGRES_FATAL_ERROR);
	if (server.pq->ntuples(result) > 0)
		value = strtoll(server.pq->getvalue(result, 0, 0), NULL, 10);
	server.pq->clear(result);
	return value;
}

static inline void disconnect_others(void)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text,
		"SELECT count(pg_terminate_backend(pid, %d)) FROM pg_stat_activity"
		" WHERE application_name = '%s' AND pid <> pg_backend_pid()",
		EVENT_MS, schema);
	sql_on_postgres(text);
}

/* Drops the schema and ends the other connections, so that processes notice the loss as they notice
 * the loss of an SQLite file. */
static inline void remove_schema(void)
{
	char text[SQL_MAX_BYTES];

	disconnect_others();
	snprintf(text, sizeof text, "DROP SCHEMA IF EXISTS %s CASCADE", schema);
	sql_on_postgres(text);
}

static inline void empty_schema(void)
{
	char text[SQL_MAX_BYTES];

	remove_schema();
	snprintf(text, sizeof text, "CREATE SCHEMA %s", schema);
	sql_on_postgres(text);
}

static inline void remove_database(void)
{
	char path[PATH_MAX_BYTES + 8];

	if (on_postgres()) {
		empty_schema();
		return;
	}

	unlink(database);
	snprintf(path, sizeof path, "%s-wal", database);
	unlink(path);
	snprintf(path, sizeof path, "%s-shm", database);
	unlink(path);
}

static inline void choose_schema(const char *url)
{
	snprintf(schema, sizeof schema, "unit%ld", (long)getpid());
	snprintf(database_url, sizeof database_url,
		"%s&options=-csearch_path%%3D%s&application_name=%s", url, schema, schema);
	server.pq = eds_libpq();
	server.url = database_url;
}

/* Runs before the first test: makes the process's configuration name the database. */
static inline int choose_database(void **state)
{
	const char *url = getenv("EDS_TEST_DATABASE_URL");

	(void)state;
	if (!make_temp_folder(folder, "eds-test-store"))
		return -1;
	snprintf(database, sizeof database, "%s/var/eds.db", folder);
	snprintf(database_url, sizeof database_url, "sqlite:%s/var/eds.db", folder);
	if (url != NULL)
		choose_schema(url);
	setenv("EDS_DATABASE_URL", database_url, 1);
	rt_config_require();
	return 0;
}

static inline int remove_folder(void **state)
{
	char path[PATH_MAX_BYTES];

	(void)state;
	remove_database();
	if (on_postgres())
		remove_schema();
	eds_postgres_disconnect(&server);
	snprintf(path, sizeof path, "%s/var", folder);
	rmdir(path);
	rmdir(folder);
	rt_arena_free(event.arena);
	event.arena = NULL;
	return 0;
}

static inline int no_database(void **state)
{
	(void)state;
	remove_database();
	next_event(EVENT_MS);
	return 0;
}

static inline int empty_database(void **state)
{
	int from;
	int to;

	no_database(state);
	return eds_store_migrate(&event, &from, &to) == RT_OK ? 0 : -1;
}

static inline struct eds_store *open_store(void)
{
	struct eds_store *store;

	next_event(EVENT_MS);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	return store;
}

/* Runs SQL on a connection of its own; returns the first column of the first row, 0 without a
 * row. */
static inline int64_t sql(const char *text)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	int64_t value = 0;
	int code;

	if (on_postgres())
		return sql_on_postgres(text);
	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, EVENT_MS);
	assert_int_equal(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK);
	code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	else
		assert_int_equal(code, SQLITE_DONE);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return value;
}

/* Creates a session and copies its id into this buffer, which outlives the event. */
static inline const char *new_session(char test_id[EDS_TEST_ID_LENGTH + 1])
{
	struct eds_store *store = open_store();
	struct eds_session session;

	assert_int_equal(eds_store_session_create(&event, store, "192.0.2.1", 0, &session), RT_OK);
	memcpy(test_id, session.test_id, EDS_TEST_ID_LENGTH + 1);
	return test_id;
}

static inline rt_status complete(
	const char *test_id, const char *message_id, int64_t received_at_ms, const char *result)
{
	struct eds_session_message message = {
		.message_id = message_id, .received_at_ms = received_at_ms, .mail_from = ""};

	return eds_store_session_complete(&event, open_store(), test_id, &message, result);
}

static inline void expire(const char *test_id)
{
	char text[256];

	snprintf(text, sizeof text,
		"UPDATE tester_sessions SET expires_at_ms = %lld WHERE test_id = '%s'",
		(long long)rt_wall_ms(), test_id);
	sql(text);
}

#endif
