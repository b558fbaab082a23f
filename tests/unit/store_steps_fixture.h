/* Code shared by the tests that let each step of a change in the store fail in turn, as on a broken
 * disk: the call must report the failure, and the database must keep no part of the change. */
#ifndef STORE_STEPS_FIXTURE_H
#define STORE_STEPS_FIXTURE_H

#include "runtime/json.h"
#include "tests/unit/store_fixture.h"

#include <dlfcn.h>

enum {
	STEPS_MAX = 1000,
};

/* The number of steps of the change so far, and the number of the step that fails; 0 while no
 * change is under way. */
static int steps;
static int failing;
static char failed[256];

/* Replaces SQLite's function, so that one of its steps can fail. */
int sqlite3_step(sqlite3_stmt *statement)
{
	static int (*real)(sqlite3_stmt *);

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_step");
	if (failing > 0 && ++steps == failing) {
		snprintf(failed, sizeof failed, "%s", sqlite3_sql(statement));
		return SQLITE_IOERR;
	}
	return real(statement);
}

/* A number that changes whenever another connection commits a change. */
static inline int64_t version_of(sqlite3 *db)
{
	sqlite3_stmt *statement;
	int64_t version;

	assert_int_equal(
		sqlite3_prepare_v2(db, "PRAGMA data_version", -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	version = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return version;
}

typedef rt_status (*store_change)(struct eds_store *store);

static inline rt_status with_failing_step(store_change call, int at)
{
	struct eds_store *store = open_store();
	rt_status status;

	rt_json_use_arena(event.arena);
	steps = 0;
	failing = at;
	status = call(store);
	failing = 0;
	return status;
}

/* Repeats the change, each time with a later failing step, until no step fails: only then may the
 * call succeed and the database have changed. */
static inline void assert_each_step_counts(store_change call, int steps_min)
{
	sqlite3 *db;
	int64_t version;
	rt_status status = RT_TEMPORARY;
	int at = 0;

	if (on_postgres())
		skip();
	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	version = version_of(db);
	while (at++ < STEPS_MAX) {
		status = with_failing_step(call, at);
		if (steps < at)
			break;
		if (status == RT_OK)
			fail_msg("the call succeeded although this step failed: %s", failed);
		if (version_of(db) != version)
			fail_msg("the database changed although this step failed: %s", failed);
		assert_int_equal(status, RT_TEMPORARY);
	}
	assert_int_equal(status, RT_OK);
	assert_true(version_of(db) != version);
	assert_in_range(steps, steps_min, STEPS_MAX);
	sqlite3_close(db);
}

#endif
