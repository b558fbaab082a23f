#include "runtime/host/beside.h"

#include <stdio.h>
#include <string.h>

#include "runtime/kernel.h"

enum {
	NAME_MAX_BYTES = 64,
};

void path_beside(char path[PATH_MAX], const char *name)
{
	char self[PATH_MAX] = "";
	char *slash;

	if (!rt_program_path(self, sizeof self))
		self[0] = '\0';
	slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	snprintf(path, PATH_MAX, "%.*s/%.*s", PATH_MAX - NAME_MAX_BYTES - 2, self, NAME_MAX_BYTES,
		name);
}
