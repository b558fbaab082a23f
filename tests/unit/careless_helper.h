/* Writes a shell script that takes the place of a helper program: it starts the real one without
 * the argument that asks for confinement. */
#ifndef CARELESS_HELPER_H
#define CARELESS_HELPER_H

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "functions/lib/sandbox/serve.h"

enum { CARELESS_PATH_MAX = 64 };

/* Writes the script and puts its path into path; the caller deletes the file. */
static inline void write_careless(char path[CARELESS_PATH_MAX], const char *program)
{
	FILE *file;

	snprintf(path, CARELESS_PATH_MAX, "/tmp/eds-careless-%d", (int)getpid());
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\nexec %s " EDS_HELPER_SANDBOX_ARGUMENT "off\n", program);
	assert_int_equal(fchmod(fileno(file), 0700), 0);
	fclose(file);
}

#endif
