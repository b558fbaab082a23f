/* Finds files that were installed beside the running program. */
#ifndef HOST_BESIDE_H
#define HOST_BESIDE_H

#include <limits.h>

/* "/opt/eds/functions" for "functions", when /opt/eds/runner runs. */
void path_beside(char path[PATH_MAX], const char *name);

#endif
