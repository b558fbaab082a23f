/* Paths as people need them who do not know the runner's working folder. */
#ifndef RUNNER_ABSOLUTE_H
#define RUNNER_ABSOLUTE_H

#include <limits.h>

/* The path behind the working folder unless it begins with a slash; cut to PATH_MAX. */
void absolute_path(const char *path, char absolute[PATH_MAX]);

#endif
