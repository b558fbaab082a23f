/* Which release of eds this is. */
#ifndef RT_VERSION_H
#define RT_VERSION_H

#include <stdbool.h>

/* Such as "0.9.0" (semver.org); whoever makes a release sets it, in version.c. */
const char *rt_version(void);

/* Whether the program's only argument is --version; then "eds 0.9.0" is on standard output. */
bool rt_version_asked(int argc, char **argv);

#endif
