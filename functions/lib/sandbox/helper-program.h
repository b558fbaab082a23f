/* Where a helper program is: beside this program, or in ../libexec relative to it. */
#ifndef EDS_SANDBOX_HELPER_PROGRAM_H
#define EDS_SANDBOX_HELPER_PROGRAM_H

#include <stdbool.h>

enum {
	EDS_HELPER_PATH_MAX = 4096,
};

/* Finds the program and writes its path. False when the program is missing or this process has no
 * right to execute it: errno then has the reason, and `path` is the path of the program, or the
 * last path tried when it is missing.
 */
bool eds_helper_find(const char *name, char path[EDS_HELPER_PATH_MAX]);

/* True when the program of the function lies in the folder of this program. */
bool eds_helper_has_neighbor(const char *function);

#endif
