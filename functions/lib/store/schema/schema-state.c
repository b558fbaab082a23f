#include "functions/lib/store/schema/schema-state.h"

/* clang-format off */
#define VERSION_COLUMNS(FIRST, NEXT) \
	FIRST(VERSION_OLDEST_PROGRAM, "v.version") \
	NEXT(VERSION_STEPS, "s.done")
enum { EDS_DB_NAMES(VERSION_COLUMNS) };

static const struct eds_db_statement VERSION_GET = {NULL,
	"SELECT " EDS_DB_LIST(VERSION_COLUMNS)
	" FROM schema_version v, schema_steps s"
	" WHERE v.id = 1 AND s.id = 1"};
/* for a database without schema_steps: the program that made it knows only 4 steps */
static const struct eds_db_statement VERSION_GET_ALONE = {NULL,
	"SELECT version, version FROM schema_version WHERE id = 1"};
/* clang-format on */
/* Reads the two schema numbers (migrations.h). A missing table (EDS_DB_REFUSED) is not an error:
 * the numbers are then 0. */
static enum eds_db_result read_versions(
	struct eds_db *db, const struct eds_db_statement *get, struct eds_schema_state *state)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(db, get, EDS_DB_NO_VALUES, &query);

	*state = (struct eds_schema_state){.counted = result == EDS_DB_ROW};
	if (result == EDS_DB_ROW) {
		state->oldest_program = eds_db_int(query, VERSION_OLDEST_PROGRAM);
		state->steps = eds_db_int(query, VERSION_STEPS);
	}
	eds_db_end(query);
	/* an older program, which only knows the version, may have run further steps */
	if (state->steps < state->oldest_program)
		state->steps = state->oldest_program;
	return result == EDS_DB_ROW || result == EDS_DB_REFUSED ? EDS_DB_OK : result;
}

enum eds_db_result eds_schema_state_read(struct eds_db *db, struct eds_schema_state *state)
{
	enum eds_db_result result = read_versions(db, &VERSION_GET, state);

	if (result != EDS_DB_OK || state->counted)
		return result;
	result = read_versions(db, &VERSION_GET_ALONE, state);
	state->counted = false;
	return result;
}
