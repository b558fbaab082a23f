#include "runtime/host/beside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	NAME_MAX_BYTES = 64,
};

void path_beside(char path[PATH_MAX], const char *name)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[length < 0 ? 0 : length] = '\0';
	slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	snprintf(path, PATH_MAX, "%.*s/%.*s", PATH_MAX - NAME_MAX_BYTES - 2, self, NAME_MAX_BYTES,
		name);
}
