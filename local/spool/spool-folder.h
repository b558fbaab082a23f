/* Where the spool lies: beside the mail store, so that both are on one file system. */
#ifndef RUNNER_SPOOL_FOLDER_H
#define RUNNER_SPOOL_FOLDER_H

#include <stdbool.h>

enum {
	SPOOL_PATH_MAX = 4096,
};

/* The folder beside the mail store: file:var/mail -> var/mail.spool. False when it is too long. */
bool spool_folder(char folder[SPOOL_PATH_MAX]);

/* The other way round; a folder without the ending stands for itself. */
void spool_store_of(const char *folder, char store[SPOOL_PATH_MAX]);

/* Makes the folder and those above it, durably. */
bool spool_folder_make(const char *folder);

#endif
