/* Describes to people where the service has its data. Paths are absolute, since the reader does not
 * know the runner's working folder, and no password is shown. */
#ifndef RUNNER_PLACES_H
#define RUNNER_PLACES_H

#include <limits.h>

/* Writes the absolute path, cut to PATH_MAX: path itself if it begins with a slash, else the
 * working folder followed by path. */
void absolute_path(const char *path, char absolute[PATH_MAX]);

/* Writes where the database is: the path of its file, or the host of its server as migration_host()
 * gives the host. */
void place_of_database(char place[PATH_MAX]);

/* Writes where the mail store is: the path of its folder, or s3://BUCKET/PREFIX. */
void place_of_mail_store(char place[PATH_MAX]);

void place_of_spool(char place[PATH_MAX]);

#endif
