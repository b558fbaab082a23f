#include "local/serve/again.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/host/listen-passed.h"
#include "runtime/kernel.h"

/* The runner sets this variable to the address with the real port, for its functions. So the
 * variable gets its old value back before the program is started again. */
static const char listen_name[] = "EDS_SMTP_LISTEN";

static struct {
	/* path of the program; not /proc/self/exe, which still means the old file after a build has
	 * replaced the file */
	char program[PATH_MAX];
	char **arguments;
	char *listen; /* value of the environment variable listen_name at the start; NULL: not set
		       */
	bool known;
} start;

void again_remember(int argc, char **argv)
{
	const char *listen = getenv(listen_name);

	start.arguments = calloc((size_t)argc + 2, sizeof *start.arguments);
	start.listen = listen == NULL ? NULL : strdup(listen);
	start.known = rt_program_path(start.program, sizeof start.program) &&
		start.arguments != NULL && (listen == NULL || start.listen != NULL);
	if (!start.known)
		return;
	start.arguments[0] = start.program;
	memcpy(start.arguments + 1, argv, (size_t)argc * sizeof *argv);
}

void again_start(void)
{
	if (start.listen == NULL)
		unsetenv(listen_name);
	else
		setenv(listen_name, start.listen, 1);
	listen_passed_give_back();
	if (start.known)
		execv(start.program, start.arguments);
	fprintf(stderr, "runner: cannot be started again: %m\n");
}
