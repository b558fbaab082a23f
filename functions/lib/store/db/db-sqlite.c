/* The SQLite driver. All processes must run on one host: WAL needs shared memory.
 *
 * Durability: WAL with synchronous=FULL, so a commit is on the disk when it returns. Every wait for
 * a lock ends at the connection's wait_until_ms. This includes the first statement: after a process
 * was killed, even opening must wait until another process has recovered the log.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "functions/lib/store/db/db.h"
#include "runtime/time.h"

enum {
	PATH_BYTES_MAX = 4096,
	REASON_MAX = 320,
	LOCK_PAUSE_MS_MAX = 16, /* the longest pause between two tries for a lock */
	SQL_BYTES_MAX = 8192,
};

struct prepared {
	const struct eds_db_statement *statement;
	sqlite3_stmt *handle;
	int indexes[EDS_DB_VALUES_MAX]; /* SQLite's index of each parameter $1, $2, …; 0 when the
					 * text lacks the parameter */
};

struct query {
	struct eds_db_query base;
	struct prepared *prepared;
	struct prepared once; /* a statement without a name, prepared for this query only */
	bool in_use;
};

struct connection {
	struct eds_db base;
	sqlite3 *handle;
	bool broken; /* the connection failed; a new connection must be opened */
	struct prepared prepared[EDS_DB_STATEMENTS_MAX];
	size_t prepared_count;
	struct query queries[4]; /* room for the queries that are open at the same time */
};

static const struct eds_db_statement BEGIN = {"begin", "BEGIN IMMEDIATE"};
static const struct eds_db_statement COMMIT = {"commit", "COMMIT"};
static const struct eds_db_statement ROLLBACK = {"rollback", "ROLLBACK"};

/* Converts a result of SQLite. sqlite3_errstr names only the class of the error, so the reason
 * reveals no path and no SQL. */
static enum eds_db_result result_of(struct connection *connection, int code)
{
	connection->base.reason = sqlite3_errstr(code);
	switch (code) {
	case SQLITE_CONSTRAINT_UNIQUE:
	case SQLITE_CONSTRAINT_PRIMARYKEY:
		return EDS_DB_UNIQUE;
	case SQLITE_CONSTRAINT_FOREIGNKEY:
		return EDS_DB_FOREIGN_KEY;
	}
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_DONE:
		return EDS_DB_OK;
	case SQLITE_ROW:
		return EDS_DB_ROW;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return EDS_DB_BUSY;
	case SQLITE_ERROR:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISUSE:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE:
	case SQLITE_TOOBIG:
		return EDS_DB_REFUSED;
	}
	connection->broken = true;
	return EDS_DB_UNAVAILABLE;
}

/* SQLite's busy handler: sleeps before the next try, each time twice as long as before, up to
 * LOCK_PAUSE_MS_MAX. Gives up at the deadline. */
static int wait_for_lock(void *data, int tries)
{
	const struct connection *connection = data;
	int64_t left_ms = connection->base.wait_until_ms - rt_monotonic_ms();
	int64_t pause_ms = tries < 4 ? 1 << tries : LOCK_PAUSE_MS_MAX;

	if (left_ms <= 0)
		return 0;
	if (pause_ms > left_ms)
		pause_ms = left_ms;
	nanosleep(&(struct timespec){.tv_nsec = pause_ms * 1000000}, NULL);
	return 1;
}

/* Finds the index of each parameter: SQLite treats "$2" as a name, and gives the names their
 * indexes in the order in which they first appear in the text. */
static void find_indexes(struct prepared *prepared)
{
	char name[16];
	int count = sqlite3_bind_parameter_count(prepared->handle);

	for (int i = 0; i < count && i < EDS_DB_VALUES_MAX; i++) {
		snprintf(name, sizeof name, "$%d", i + 1);
		prepared->indexes[i] = sqlite3_bind_parameter_index(prepared->handle, name);
	}
}

/* Removes COLLATE "C": this is PostgreSQL's name for the order of octets. SQLite does not know the
 * name, and uses this order anyway. */
static bool leave_out_order(const char *sql, char text[SQL_BYTES_MAX])
{
	static const char order[] = "COLLATE \"C\"";
	size_t length = strlen(sql);

	if (length >= SQL_BYTES_MAX)
		return false;
	memcpy(text, sql, length + 1);
	for (char *at = text; (at = strstr(at, order)) != NULL;)
		memset(at, ' ', strlen(order));
	return true;
}

static int prepare(struct connection *connection, const struct eds_db_statement *statement,
	struct prepared *prepared)
{
	char text[SQL_BYTES_MAX];
	int code;

	if (!leave_out_order(statement->sql, text))
		return SQLITE_TOOBIG;
	code = sqlite3_prepare_v3(connection->handle, text, -1,
		statement->name != NULL ? SQLITE_PREPARE_PERSISTENT : 0, &prepared->handle, NULL);
	if (code != SQLITE_OK)
		return code;
	prepared->statement = statement;
	find_indexes(prepared);
	return SQLITE_OK;
}

static int find_prepared(struct connection *connection, const struct eds_db_statement *statement,
	struct prepared **prepared)
{
	struct prepared *slot = connection->prepared;
	int code;

	*prepared = NULL;
	for (size_t i = 0; i < connection->prepared_count; i++, slot++) {
		if (slot->statement == statement) {
			*prepared = slot;
			return SQLITE_OK;
		}
	}
	if (connection->prepared_count == EDS_DB_STATEMENTS_MAX)
		return SQLITE_MISUSE;
	code = prepare(connection, statement, slot);
	if (code == SQLITE_OK) {
		*prepared = slot;
		connection->prepared_count++;
	}
	return code;
}

static int bind(struct prepared *prepared, const struct eds_db_value *values, size_t count)
{
	sqlite3_stmt *handle = prepared->handle;

	if (count > EDS_DB_VALUES_MAX || (size_t)sqlite3_bind_parameter_count(handle) != count)
		return SQLITE_MISUSE;
	for (size_t i = 0; i < count; i++) {
		int index = prepared->indexes[i];
		int code = SQLITE_OK;

		if (values[i].type == EDS_DB_INT)
			code = sqlite3_bind_int64(handle, index, values[i].number);
		else if (values[i].type == EDS_DB_TEXT)
			code = sqlite3_bind_text(handle, index, values[i].text, -1, SQLITE_STATIC);
		else
			code = sqlite3_bind_null(handle, index);
		if (code != SQLITE_OK)
			return code;
	}
	return SQLITE_OK;
}

static struct query *free_query(struct connection *connection)
{
	for (size_t i = 0; i < sizeof connection->queries / sizeof connection->queries[0]; i++) {
		struct query *query = &connection->queries[i];

		if (!query->in_use) {
			memset(query, 0, sizeof *query);
			query->base.db = &connection->base;
			query->in_use = true;
			return query;
		}
	}
	return NULL;
}

static int start(struct connection *connection, struct query *query,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count)
{
	int code;

	if (statement->name != NULL) {
		code = find_prepared(connection, statement, &query->prepared);
	} else {
		query->prepared = &query->once;
		code = prepare(connection, statement, query->prepared);
	}
	if (code == SQLITE_OK)
		code = bind(query->prepared, values, count);
	return code == SQLITE_OK ? sqlite3_step(query->prepared->handle) : code;
}

static enum eds_db_result sqlite_query(struct eds_db *db, const struct eds_db_statement *statement,
	const struct eds_db_value *values, size_t count, struct eds_db_query **out)
{
	struct connection *connection = (struct connection *)db;
	struct query *query = free_query(connection);

	*out = query != NULL ? &query->base : NULL;
	return result_of(connection,
		query != NULL ? start(connection, query, statement, values, count) : SQLITE_MISUSE);
}

static enum eds_db_result sqlite_next(struct eds_db_query *base)
{
	struct query *query = (struct query *)base;

	return result_of((struct connection *)base->db, sqlite3_step(query->prepared->handle));
}

static int64_t sqlite_column_int(struct eds_db_query *base, int column)
{
	return sqlite3_column_int64(((struct query *)base)->prepared->handle, column);
}

static const char *sqlite_column_text(struct eds_db_query *base, int column)
{
	return (const char *)sqlite3_column_text(((struct query *)base)->prepared->handle, column);
}

static int64_t sqlite_changed(struct eds_db_query *base)
{
	return sqlite3_changes64(((struct connection *)base->db)->handle);
}

/* Ends a query. Ignores the result of the reset, which repeats the failure of the last step. */
static void sqlite_end(struct eds_db_query *base)
{
	struct query *query = (struct query *)base;

	query->in_use = false;
	if (query->prepared == &query->once) {
		sqlite3_finalize(query->once.handle);
		return;
	}
	if (query->prepared == NULL)
		return;
	sqlite3_reset(query->prepared->handle);
	sqlite3_clear_bindings(query->prepared->handle);
}

/* Takes the write lock at once (BEGIN IMMEDIATE). When a transaction reads first and writes later,
 * SQLite does not let the write wait for the lock of another transaction, but refuses it.
 * `isolation` is ignored: SQLite has one writer at a time. */
static enum eds_db_result sqlite_begin(struct eds_db *db, enum eds_db_isolation isolation)
{
	(void)isolation;
	return eds_db_execute(db, &BEGIN, EDS_DB_NO_VALUES, NULL);
}

static enum eds_db_result sqlite_commit(struct eds_db *db)
{
	return eds_db_execute(db, &COMMIT, EDS_DB_NO_VALUES, NULL);
}

/* Rolls back, unless a failure has done so by itself. When the rollback fails, closing the
 * connection ends the transaction. */
static void sqlite_rollback(struct eds_db *db)
{
	struct connection *connection = (struct connection *)db;
	const char *reason = db->reason;

	if (sqlite3_get_autocommit(connection->handle))
		return;
	if (eds_db_execute(db, &ROLLBACK, EDS_DB_NO_VALUES, NULL) != EDS_DB_OK)
		connection->broken = true;
	db->reason = reason;
}

static bool sqlite_usable(struct eds_db *db, bool look)
{
	struct connection *connection = (struct connection *)db;
	int moved = 1;

	if (connection->broken || !look)
		return !connection->broken;
	sqlite3_file_control(connection->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved == 0;
}

static void sqlite_close(struct eds_db *db)
{
	struct connection *connection = (struct connection *)db;

	for (size_t i = 0; i < connection->prepared_count; i++)
		sqlite3_finalize(connection->prepared[i].handle);
	sqlite3_close_v2(connection->handle);
	free(connection);
}

/* Makes every missing folder of the path, readable only by the owner. */
static bool make_folders(const char *path)
{
	char folder[PATH_BYTES_MAX];

	if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
		return false;
	for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(folder, 0700) != 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}

/* Creates the database file, because SQLite would create it readable by others. SQLite gives the
 * log the mode of the database file. */
static bool make_file(const char *path)
{
	int fd;

	if (!make_folders(path))
		return false;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return fd >= 0 && close(fd) == 0;
}

/* Sets up a new connection. Retries, because switching an empty database to WAL needs exclusive
 * access, and SQLite does not always call the busy handler for that. */
static int set_up(struct connection *connection)
{
	static const char pragmas[] = "PRAGMA journal_mode = WAL;"
				      "PRAGMA synchronous = FULL;"
				      "PRAGMA foreign_keys = ON;";
	int code;
	int tries = 0;

	do
		code = sqlite3_exec(connection->handle, pragmas, NULL, NULL, NULL);
	while ((code & 0xff) == SQLITE_BUSY && wait_for_lock(connection, tries++));
	return code;
}

static int open_handle(struct connection *connection, const char *path)
{
	int code;

	/* Without statistics SQLite takes no lock for each allocation. Once the library is in use
	 * the call fails, which does no harm. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	code = sqlite3_open_v2(path, &connection->handle,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	if (code != SQLITE_OK)
		return code;
	sqlite3_busy_handler(connection->handle, wait_for_lock, connection);
	return set_up(connection);
}

static enum eds_db_result sqlite_open(const char *url, bool create, int64_t wait_until_ms,
	struct eds_db **db, const char **reason)
{
	const char *path = url + strlen(eds_db_sqlite.scheme);
	static char unmade[REASON_MAX];
	struct connection *connection;
	enum eds_db_result result;

	*db = NULL;
	if (create && !make_file(path)) {
		snprintf(unmade, sizeof unmade, "the database file %.200s cannot be %s: %s", path,
			errno == EACCES && access(path, F_OK) == 0 ? "written" : "made",
			strerror(errno));
		*reason = unmade;
		return EDS_DB_UNAVAILABLE;
	}
	if (!create && access(path, F_OK) != 0 && errno == ENOENT)
		return EDS_DB_ABSENT;
	*reason = "out of memory";
	connection = calloc(1, sizeof *connection);
	if (connection == NULL)
		return EDS_DB_UNAVAILABLE;
	connection->base.driver = &eds_db_sqlite;
	connection->base.wait_until_ms = wait_until_ms;
	result = result_of(connection, open_handle(connection, path));
	*reason = connection->base.reason;
	if (result != EDS_DB_OK) {
		sqlite_close(&connection->base);
		return result;
	}
	*db = &connection->base;
	return EDS_DB_OK;
}

const struct eds_db_driver eds_db_sqlite = {
	.scheme = "sqlite:",
	.open = sqlite_open,
	.close = sqlite_close,
	.usable = sqlite_usable,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.query = sqlite_query,
	.next = sqlite_next,
	.column_int = sqlite_column_int,
	.column_text = sqlite_column_text,
	.changed = sqlite_changed,
	.end = sqlite_end,
};
