/* Brings the schema up to date: step N turns version N-1 into version N.
 *
 * Programs of two releases use one database while a new release is rolled out or back. So a step
 * only adds: tables, indexes, and columns that an INSERT may leave out (NULL or with a DEFAULT).
 * Programs that do not know the step then work as before. A step of a later release removes what
 * nothing uses any more, and names the oldest program that works without the removed parts.
 *
 * To change the schema, add a file with the next number beside this one, for example 34-quotas.sql
 * after 33-report-twins.sql. It says
 *
 *     -- oldest-program: 4     4 unless the step takes away, renames or narrows something
 *
 * test_migrations.c rejects a step that says 4 and does more than add. A released step is never
 * edited.
 *
 * The database has two numbers: schema_steps.done, how many steps are done, and
 * schema_version.version, the oldest program that works with them, identified by the number of
 * steps that it knows. A program works when it is not older than this oldest program, and all of
 * the steps that it knows are done; eds_store_open() waits a while for these steps. Programs that
 * know 4 steps read only schema_version and expect their own number in it, so the version stays 4
 * while later steps only add.
 */
#ifndef EDS_STORE_MIGRATIONS_H
#define EDS_STORE_MIGRATIONS_H

#include "functions/lib/store/schema/schema.h"
#include "functions/lib/store/store.h"

/* The step with this number, counted from 1; NULL past the last. */
const struct eds_schema_step *eds_store_step(int64_t number);

/* Brings the schema up to date; any number of processes may run it at once. */
RT_MUST_USE rt_status eds_store_migrate(struct rt_ctx *ctx, int *from_version, int *to_version);

#endif
