/* Notices that the file of a SQLite database is gone though the rest of the service's data is
 * there. The start would make an empty one in its place: every account, domain and report would be
 * gone without a word, and the next backup would keep that.
 *
 * What tells that there was a database: the file `database` in the spool's folder, which names it,
 * or a message in the mail store, where an earlier release left no such file.
 */
#ifndef RUNNER_LOST_DATABASE_H
#define RUNNER_LOST_DATABASE_H

#include <stdbool.h>

/* True, with a sentence on standard error that says what to do, when the configured database is a
 * file that is missing or empty and there was one before. Call it before the migration. */
bool lost_database(void);

/* Leaves the name of the database's file in the spool's folder. Call it after the migration. */
void lost_database_remember(void);

#endif
