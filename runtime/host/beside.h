/* Finds files that were installed beside the running program. */
#ifndef HOST_BESIDE_H
#define HOST_BESIDE_H

#include <limits.h>

/* Writes the path of a file in the running program's folder: "/opt/eds/functions" for "functions"
 * if the program is /opt/eds/runner. */
void path_beside(char path[PATH_MAX], const char *name);

#endif
