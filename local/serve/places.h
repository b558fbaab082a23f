/* Where the service keeps its data, for people: paths are absolute, since the reader does not know
 * the runner's working folder, and no password is shown. */
#ifndef RUNNER_PLACES_H
#define RUNNER_PLACES_H

#include <limits.h>

/* The path behind the working folder unless it begins with a slash; cut to PATH_MAX. */
void absolute_path(const char *path, char absolute[PATH_MAX]);

/* A file, or the host of a server as migration_host() gives it. */
void place_of_database(char place[PATH_MAX]);

/* A folder, or s3://BUCKET/PREFIX. */
void place_of_mail_store(char place[PATH_MAX]);

void place_of_spool(char place[PATH_MAX]);

#endif
