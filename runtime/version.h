/* The release number of eds. */
#ifndef RT_VERSION_H
#define RT_VERSION_H

#include <stdbool.h>

/* The release, for example "0.9.0" (semver.org); set in version.c for each release. */
const char *rt_version(void);

/* If the program's only argument is --version, prints "eds 0.9.0" on standard output and returns
 * true. */
bool rt_version_asked(int argc, char **argv);

#endif
