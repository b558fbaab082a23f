/* The path of the spool: beside the mail store, so that both are on one file system. */
#ifndef RUNNER_SPOOL_FOLDER_H
#define RUNNER_SPOOL_FOLDER_H

#include <stdbool.h>

#include "runtime/mail-store/mailstore-spool.h"

enum {
	SPOOL_PATH_MAX = RT_SPOOL_PATH_MAX,
};

/* The folder beside the mail store: file:var/mail -> var/mail.spool. False when the path is too
 * long. */
bool spool_folder(char folder[SPOOL_PATH_MAX]);

/* The reverse of spool_folder(); a folder without the suffix is its own store. */
void spool_store_of(const char *folder, char store[SPOOL_PATH_MAX]);

/* Creates the folder and its parents, durably. */
bool spool_folder_make(const char *folder);

/* Deletes files that are older than so many hours in a folder of the spool. spool: its
 * descriptor. */
void spool_folder_expire(int spool, const char *name, int hours);

#endif
