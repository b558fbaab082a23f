/* Finds and makes the folder of the spool, which is beside the mail store, so that both are on one
 * file system. */
#ifndef RUNNER_SPOOL_FOLDER_H
#define RUNNER_SPOOL_FOLDER_H

#include <stdbool.h>

#include "runtime/mail-store/mailstore-spool.h"

enum {
	SPOOL_PATH_MAX = RT_SPOOL_PATH_MAX,
};

/* Writes the path: var/mail.spool for a mail store file:var/mail. False when the path is too long.
 */
bool spool_folder(char folder[SPOOL_PATH_MAX]);

/* Writes the path of the mail store that belongs to a spool: the path without its ending ".spool".
 * A folder without this ending is itself the store. */
void spool_store_of(const char *folder, char store[SPOOL_PATH_MAX]);

/* Creates the folder and its parents so that they survive a power failure. */
bool spool_folder_make(const char *folder);

/* Deletes files that are more than `hours` old in this folder of the spool. spool: descriptor of
 * the spool. */
void spool_folder_expire(int spool, const char *name, int hours);

#endif
