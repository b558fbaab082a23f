/* The schema numbers of a database (migrations.h). Only the files of the store include it. */
#ifndef EDS_STORE_SCHEMA_STATE_H
#define EDS_STORE_SCHEMA_STATE_H

#include "functions/lib/store/db/db.h"
#include "functions/lib/store/schema/schema.h"

/* All 0 when the database has no schema. */
struct eds_schema_state {
	int64_t oldest_program; /* oldest program that works with it, by the number of steps that it
				   knows */
	int64_t steps;          /* steps done */
	bool counted;           /* the database contains the two numbers above */
};

/* EDS_DB_OK, or the reason why it could not be read. */
RT_MUST_USE enum eds_db_result eds_schema_state_read(
	struct eds_db *db, struct eds_schema_state *state);

#endif
