/* The schema numbers of a database (migrations.h). Only the files of the store and their tests
 * include this header. */
#ifndef EDS_STORE_SCHEMA_STATE_H
#define EDS_STORE_SCHEMA_STATE_H

#include "functions/lib/store/db/db.h"
#include "functions/lib/store/schema/schema.h"

/* The numbers of a database; all 0 when it has no schema. */
struct eds_schema_state {
	int64_t oldest_program; /* the oldest program that works with the database, identified by
				 * the number of steps that it knows */
	int64_t steps;          /* number of steps that are done */
	bool counted;           /* the database contains both numbers */
};

/* Reads the numbers. Returns EDS_DB_OK, or the reason why they could not be read. */
RT_MUST_USE enum eds_db_result eds_schema_state_read(
	struct eds_db *db, struct eds_schema_state *state);

#endif
