/* Notices that the file of a SQLite database is gone though the rest of the service's data is
 * there. The start would make an empty one in its place: every account, domain and report would be
 * lost without a message, and the next backup would store the loss.
 *
 * There was a database before if the spool's folder has the file `database`, which names it, or,
 * after an earlier release that wrote no such file, if the mail store has a message.
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
