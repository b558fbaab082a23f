#include "local/serve/absolute.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void absolute_path(const char *path, char absolute[PATH_MAX])
{
	size_t length = 0;

	if (path[0] != '/' && getcwd(absolute, PATH_MAX) != NULL) {
		length = strlen(absolute);
		if (length > 1 && length < PATH_MAX - 1)
			absolute[length++] = '/';
	}
	snprintf(absolute + length, PATH_MAX - length, "%s", path);
}
