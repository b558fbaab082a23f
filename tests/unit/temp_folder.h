/* A folder for the files of a test: in TMPDIR, or in /tmp if TMPDIR is not set or is a long
 * path. */
#ifndef TEST_TEMP_FOLDER_H
#define TEST_TEMP_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEMP_FOLDER_BYTES = 64 };

static inline bool make_temp_folder(char folder[static TEMP_FOLDER_BYTES], const char *name)
{
	const char *parent = getenv("TMPDIR");

	if (parent == NULL || strlen(parent) + strlen(name) + sizeof "/-XXXXXX" > TEMP_FOLDER_BYTES)
		parent = "/tmp";
	snprintf(folder, TEMP_FOLDER_BYTES, "%s/%s-XXXXXX", parent, name);
	return mkdtemp(folder) != NULL;
}

#endif
