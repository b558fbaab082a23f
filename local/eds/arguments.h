/* The command line. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "local/eds/command.h"

/* Reads it into the call: options may stand anywhere, behind `--` there are none. CLI_DONE;
 * CLI_USAGE after a sentence that names what is not known, and what is like it. The call's command
 * is NULL where help was asked for of no single command, and group then is its group, or NULL. */
int cli_read_arguments(
	struct cli_call *call, int argc, char **argv, const struct cli_command **group);

/* Says on standard error what is wrong with the command line, and gives CLI_USAGE. */
int cli_usage(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);

#endif
