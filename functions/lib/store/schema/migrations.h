/* Brings the schema up to date: step N turns version N-1 into version N.
 *
 * Programs of two releases use one database while a new release is put in place, or taken back. So
 * a step only adds: tables, indexes, columns that may be absent from an INSERT (NULL or with a
 * DEFAULT). Programs that do not know it then work as before. What nothing uses any more is taken
 * away by a step of a later release, which names the first program that works without it.
 *
 * To change the schema, add a file with the next number beside this one, 26-quotas.sql for example,
 * which says
 *
 *     -- oldest-program: 4     4 unless the step takes away, renames or narrows something
 *
 * test_migrations.c refuses a step that says 4 and does more than add. A step that has been
 * released is never edited.
 *
 * The database knows two numbers: schema_steps.done, how many steps it has, and
 * schema_version.version, the oldest program that works with them, named by the number of steps
 * that it knows. A program works when it is no older than that and when all of its own steps are
 * done; eds_store_open waits a while for those. Programs that know 4 steps read schema_version
 * alone and want their own number in it, so a database to which later steps only added says 4.
 */
#ifndef EDS_STORE_MIGRATIONS_H
#define EDS_STORE_MIGRATIONS_H

#include "functions/lib/store/schema/schema.h"
#include "functions/lib/store/store.h"

/* From 1; NULL past the last. */
const struct eds_schema_step *eds_store_step(int64_t number);

/* Brings the schema up to date; safe to run by any number of processes at once. */
RT_MUST_USE rt_status eds_store_migrate(struct rt_ctx *ctx, int *from_version, int *to_version);

#endif
