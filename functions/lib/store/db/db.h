/* The interface to the database drivers: SQL text and values go in; rows and a small set of results
 * come out. Only the files of the store include this header.
 *
 * A statement is a constant in the SQL that SQLite and PostgreSQL share; its parameters are $1, $2,
 * …:
 *
 *     static const struct eds_db_statement FIND = {
 *             "session-find", "SELECT expires_at_ms FROM tester_sessions WHERE test_id = $1"};
 *
 *     result = eds_db_query(db, &FIND, EDS_DB_VALUES(eds_db_text_value(test_id)), &query);
 *     if (result == EDS_DB_ROW)
 *             expires_at_ms = eds_db_int(query, EDS_DB_ONLY);
 *     eds_db_end(query);
 *
 * A driver can prepare each statement once per connection, under the statement's name. Booleans are
 * BIGINT 0 or 1, times are BIGINT epoch milliseconds, JSON is TEXT. An ORDER BY whose order must be
 * the same in every database has COLLATE "C", which compares octets: without it, a PostgreSQL
 * database may sort by the rules of a language.
 */
#ifndef EDS_DB_H
#define EDS_DB_H

#include "functions/lib/store/db/columns.h"
#include "runtime/ctx.h"

enum {
	EDS_DB_STATEMENTS_MAX = 128, /* maximum number of named statements per connection */
	EDS_DB_VALUES_MAX = 192,     /* maximum number of parameters per statement */
};

enum eds_db_result {
	EDS_DB_OK,          /* the statement is done; a query has no (further) row */
	EDS_DB_ROW,         /* a row can be read */
	EDS_DB_UNIQUE,      /* a row with this key exists (SQLSTATE 23505) */
	EDS_DB_FOREIGN_KEY, /* the row refers to a row that does not exist (23503) */
	EDS_DB_BUSY,        /* a lock was not obtained or the statement not done in time, or the
			     * transaction must run again (40001, 40P01, or the connection was
			     * lost before the commit) */
	EDS_DB_ABSENT,      /* returned by eds_db_open without create: there is no such database */
	EDS_DB_UNAVAILABLE, /* the database cannot be used: the disk is full or fails, the file is
			     * damaged or gone, there is no connection, or its user has no
			     * permission for the tables */
	EDS_DB_REFUSED,     /* the statement does not fit the schema: an old schema, or our bug */
};

struct eds_db_statement {
	const char *name; /* the name under which it is prepared; NULL when it is run once and not
			   * prepared */
	const char *sql;
};

struct eds_db_value {
	enum { EDS_DB_NULL, EDS_DB_INT, EDS_DB_TEXT } type;
	int64_t number;
	const char *text; /* the text, borrowed until the query ends */
};

static inline struct eds_db_value eds_db_int_value(int64_t number)
{
	return (struct eds_db_value){.type = EDS_DB_INT, .number = number};
}

/* A text as value; a NULL pointer gives SQL's NULL. */
static inline struct eds_db_value eds_db_text_value(const char *text)
{
	return (struct eds_db_value){
		.type = text != NULL ? EDS_DB_TEXT : EDS_DB_NULL, .text = text};
}

/* The values of $1, $2, …: two arguments, the array and its count. */
#define EDS_DB_VALUES(...)                                                                         \
	(const struct eds_db_value[]){__VA_ARGS__},                                                \
		sizeof((const struct eds_db_value[]){__VA_ARGS__}) / sizeof(struct eds_db_value)
#define EDS_DB_NO_VALUES NULL, 0

/* What the statements of a transaction can rely on. */
enum eds_db_isolation {
	EDS_DB_SERIALISABLE, /* the statements run as if there were no other transaction */
	EDS_DB_GUARDED, /* each statement sees the state committed when it begins, and must check
			 * the conditions on which it relies */
};

/* One statement of a transaction whose statements are all known beforehand. */
struct eds_db_step {
	const struct eds_db_statement *statement;
	const struct eds_db_value *values;
	size_t count;
};

enum {
	EDS_DB_STEPS_MAX = 4,
};

/* The functions of a driver. The driver's structs for connection and query begin with struct eds_db
 * and struct eds_db_query. */
struct eds_db;
struct eds_db_query;

struct eds_db_driver {
	const char *scheme; /* prefix of the driver's URLs: "sqlite:" */
	bool writes_beside; /* transactions may write concurrently, and SKIP LOCKED works */
	enum eds_db_result (*open)(const char *url, bool create, int64_t wait_until_ms,
		struct eds_db **db, const char **reason);
	void (*close)(struct eds_db *db);
	bool (*usable)(struct eds_db *db, bool look);
	enum eds_db_result (*begin)(struct eds_db *db, enum eds_db_isolation isolation);
	enum eds_db_result (*commit)(struct eds_db *db);
	void (*rollback)(struct eds_db *db);
	/* runs all steps in one message; NULL when the driver runs them one after another */
	enum eds_db_result (*at_once)(
		struct eds_db *db, const struct eds_db_step *steps, size_t count, int64_t *number);
	enum eds_db_result (*query)(struct eds_db *db, const struct eds_db_statement *statement,
		const struct eds_db_value *values, size_t count, struct eds_db_query **query);
	enum eds_db_result (*next)(struct eds_db_query *query);
	int64_t (*column_int)(struct eds_db_query *query, int column);
	const char *(*column_text)(struct eds_db_query *query, int column);
	int64_t (*changed)(struct eds_db_query *query);
	void (*end)(struct eds_db_query *query);
};

struct eds_db {
	const struct eds_db_driver *driver;
	int64_t wait_until_ms; /* the deadline of waits for locks, on the monotonic clock */
	const char *reason;    /* why the latest call failed; contains no names of hosts or files */
	int open_count;        /* number of queries that eds_db_end() has not ended; kept by db.c */
};

struct eds_db_query {
	struct eds_db *db;
};

extern const struct eds_db_driver eds_db_sqlite;
extern const struct eds_db_driver eds_db_postgres;

/* Opens the database of the URL; waits for locks until wait_until_ms. With `create`, makes a
 * missing SQLite database and its folders. On failure *db is NULL and *reason says why, except for
 * EDS_DB_ABSENT; when a file cannot be made, *reason names the database file. */
RT_MUST_USE enum eds_db_result eds_db_open(const struct eds_db_driver *driver, const char *url,
	bool create, int64_t wait_until_ms, struct eds_db **db, const char **reason);
void eds_db_close(struct eds_db *db); /* Does nothing for NULL. */

/* False when the caller must close the connection and open a new one: a failure may have broken it,
 * or the database file was replaced. Examines the file only if `look` is set, because the
 * examination takes a tenth of the time of a small event. To be called between events; sanitizer
 * builds end the process if the last event has left a query open. */
RT_MUST_USE bool eds_db_usable(struct eds_db *db, bool look);

/* Begins a transaction that will write. On EDS_DB_BUSY from this call or from a statement of the
 * transaction, roll back and run the whole transaction again. After any other failure only a
 * rollback is possible. A statement outside a transaction is its own transaction. */
RT_MUST_USE enum eds_db_result eds_db_begin(struct eds_db *db, enum eds_db_isolation isolation);
RT_MUST_USE enum eds_db_result eds_db_commit(struct eds_db *db);
void eds_db_rollback(struct eds_db *db);

/* Runs a whole EDS_DB_GUARDED transaction, in one message if the driver can do so. Each step sees
 * what was committed when that step began, including what was committed while an earlier step
 * waited for a lock. number: the first column of the first row that the last step gives, 0 when it
 * gives none. On EDS_DB_BUSY, the caller runs the transaction again. If the connection was lost, it
 * is possible that the first run was committed, so running the steps twice must have the same
 * effect as once. On any other failure nothing was done. */
RT_MUST_USE enum eds_db_result eds_db_at_once(
	struct eds_db *db, const struct eds_db_step *steps, size_t count, int64_t *number);

/* Runs the steps one after another within the caller's transaction. */
RT_MUST_USE enum eds_db_result eds_db_run_steps(
	struct eds_db *db, const struct eds_db_step *steps, size_t count, int64_t *number);

/* Runs a statement up to its first row: returns EDS_DB_ROW, EDS_DB_OK when there is no row, or a
 * failure. Call eds_db_end() in every case. For a statement with RETURNING, first read all rows:
 * call eds_db_next() until it returns EDS_DB_OK. */
RT_MUST_USE enum eds_db_result eds_db_query(struct eds_db *db,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	struct eds_db_query **query);
RT_MUST_USE enum eds_db_result eds_db_next(struct eds_db_query *query);
void eds_db_end(struct eds_db_query *query); /* NULL is fine */

/* Read columns of the row by their names (columns.h). Text is copied into the event's memory; NULL
 * for SQL's NULL. */
int64_t eds_db_int(struct eds_db_query *query, int column);
char *eds_db_text(struct rt_ctx *ctx, struct eds_db_query *query, int column);

/* Runs a statement that gives no rows. changed (may be NULL): rows inserted, updated or deleted. */
RT_MUST_USE enum eds_db_result eds_db_execute(struct eds_db *db,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count,
	int64_t *changed);

#endif
