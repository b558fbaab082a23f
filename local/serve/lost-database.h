/* Notices that the file of a SQLite database is missing or empty although the service has had one.
 * Without this check the start would create an empty database: every account, domain and report
 * would be lost without any warning, and the next backup would have the empty database.
 *
 * The file `database` in the spool's folder names the database that was used before. Earlier
 * releases did not write this file; without it, a message in the mail store shows that there was a
 * database.
 */
#ifndef RUNNER_LOST_DATABASE_H
#define RUNNER_LOST_DATABASE_H

#include <stdbool.h>

/* True, with a sentence on standard error that says what to do, when the configured database is a
 * file that is missing or empty, and there was a database before. Must be called before the
 * migration. */
bool lost_database(void);

/* Writes the path of the database into the file `database` in the spool's folder, if the database
 * is a file. Must be called after the migration. */
void lost_database_remember(void);

#endif
