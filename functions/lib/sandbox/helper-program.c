#include "functions/lib/sandbox/helper-program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/kernel.h"

/* Writes the path of the program `name` in `folder`, which is relative to the folder of this
 * program. */
static bool path_of(const char *folder, const char *name, char path[EDS_HELPER_PATH_MAX])
{
	size_t room;
	char *slash;

	if (!rt_program_path(path, EDS_HELPER_PATH_MAX) || (slash = strrchr(path, '/')) == NULL)
		return false;
	room = EDS_HELPER_PATH_MAX - (size_t)(slash + 1 - path);
	errno = ENAMETOOLONG;
	return (size_t)snprintf(slash + 1, room, "%s%s", folder, name) < room;
}

bool eds_helper_find(const char *name, char path[EDS_HELPER_PATH_MAX])
{
	static const char *const folders[] = {"", "../libexec/"};

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		if (!path_of(folders[i], name, path))
			return false;
		if (access(path, X_OK) == 0)
			return true;
		if (errno != ENOENT)
			return false;
	}
	return false;
}

bool eds_helper_has_neighbor(const char *function)
{
	char path[EDS_HELPER_PATH_MAX];

	return path_of("", function, path) && access(path, F_OK) == 0;
}
