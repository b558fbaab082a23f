#include "functions/lib/store/db/db.h"

#include <assert.h>

enum eds_db_result eds_db_open(const struct eds_db_driver *driver, const char *url, bool create,
	int64_t wait_until_ms, struct eds_db **db, const char **reason)
{
	return driver->open(url, create, wait_until_ms, db, reason);
}

void eds_db_close(struct eds_db *db)
{
	if (db != NULL)
		db->driver->close(db);
}

bool eds_db_usable(struct eds_db *db, bool look)
{
#ifdef RT_ARENA_MALLOC
	assert(db->open_count == 0);
#endif
	return db->driver->usable(db, look);
}

enum eds_db_result eds_db_begin(struct eds_db *db, enum eds_db_isolation isolation)
{
	return db->driver->begin(db, isolation);
}

enum eds_db_result eds_db_commit(struct eds_db *db)
{
	return db->driver->commit(db);
}

void eds_db_rollback(struct eds_db *db)
{
	db->driver->rollback(db);
}

static enum eds_db_result run_step(
	struct eds_db *db, const struct eds_db_step *step, int64_t *number)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		db, step->statement, step->values, step->count, &query);

	*number = result == EDS_DB_ROW ? eds_db_int(query, EDS_DB_ONLY) : 0;
	while (result == EDS_DB_ROW)
		result = eds_db_next(query);
	eds_db_end(query);
	return result;
}

enum eds_db_result eds_db_run_steps(
	struct eds_db *db, const struct eds_db_step *steps, size_t count, int64_t *number)
{
	enum eds_db_result result = EDS_DB_OK;

	*number = 0;
	for (size_t i = 0; i < count && result == EDS_DB_OK; i++)
		result = run_step(db, &steps[i], number);
	return result;
}

enum eds_db_result eds_db_at_once(
	struct eds_db *db, const struct eds_db_step *steps, size_t count, int64_t *number)
{
	enum eds_db_result result;

	if (db->driver->at_once != NULL)
		return db->driver->at_once(db, steps, count, number);
	result = eds_db_begin(db, EDS_DB_GUARDED);
	if (result != EDS_DB_OK)
		return result;
	result = eds_db_run_steps(db, steps, count, number);
	if (result == EDS_DB_OK)
		result = eds_db_commit(db);
	if (result != EDS_DB_OK)
		eds_db_rollback(db);
	return result;
}

enum eds_db_result eds_db_query(struct eds_db *db, const struct eds_db_statement *statement,
	const struct eds_db_value *values, size_t count, struct eds_db_query **query)
{
	enum eds_db_result result = db->driver->query(db, statement, values, count, query);

	db->open_count += *query != NULL;
	return result;
}

enum eds_db_result eds_db_next(struct eds_db_query *query)
{
	return query->db->driver->next(query);
}

void eds_db_end(struct eds_db_query *query)
{
	if (query == NULL)
		return;
	query->db->open_count--;
	query->db->driver->end(query);
}

int64_t eds_db_int(struct eds_db_query *query, int column)
{
	return query->db->driver->column_int(query, column);
}

char *eds_db_text(struct rt_ctx *ctx, struct eds_db_query *query, int column)
{
	const char *text = query->db->driver->column_text(query, column);

	return text != NULL ? rt_strdup(ctx, text) : NULL;
}

enum eds_db_result eds_db_execute(struct eds_db *db, const struct eds_db_statement *statement,
	const struct eds_db_value *values, size_t count, int64_t *changed)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(db, statement, values, count, &query);

	while (result == EDS_DB_ROW)
		result = eds_db_next(query);
	if (result == EDS_DB_OK && changed != NULL)
		*changed = query->db->driver->changed(query);
	eds_db_end(query);
	return result;
}
