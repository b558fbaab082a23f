/* Where a helper program is: beside this program, or in ../libexec relative to it. */
#ifndef EDS_SANDBOX_HELPER_PROGRAM_H
#define EDS_SANDBOX_HELPER_PROGRAM_H

#include <stdbool.h>

enum {
	EDS_HELPER_PATH_MAX = 4096,
};

/* True when the program is there and this process has the right to execute it. Otherwise errno has
 * the reason, and path is the place of the program without this right, or the place where the
 * missing program should be.
 */
bool eds_helper_find(const char *name, char path[EDS_HELPER_PATH_MAX]);

/* True when the program of the function lies in the folder of this program. */
bool eds_helper_has_neighbor(const char *function);

#endif
