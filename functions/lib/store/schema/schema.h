#ifndef EDS_STORE_SCHEMA_H
#define EDS_STORE_SCHEMA_H

#include <stdint.h>

/* A step of the schema. eds_schema_steps[] has the steps in the order of their versions: step 1 is
 * 01-tester.sql beside this header, and so on. The build embeds each file (embed) as a list of
 * statements that ends with NULL.
 *
 * A released step is never edited; another change of the schema needs another step. Programs of the
 * previous release keep working after a new step (migrations.h says how). SQLite and PostgreSQL
 * share the statements. The statements can be repeated (IF NOT EXISTS), for clusters whose
 * transactions do not cover DDL; ADD COLUMN IF NOT EXISTS also works on SQLite (migrations.c).
 * Times are epoch milliseconds, 0 for never. The keys of nearly all tables begin with random text,
 * so that a cluster distributes them evenly.
 */
struct eds_schema_step {
	const char *const *sql;
	int oldest_program; /* the oldest program that works once the step is done, identified by
			     * the number of steps that it knows */
};

extern const struct eds_schema_step eds_schema_steps[];
extern const int64_t eds_schema_step_count;

#endif
