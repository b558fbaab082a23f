/* Parses the command line. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "local/eds/command.h"

/* Parses the command line into the call. Options may be anywhere before `--`. Returns CLI_DONE or
 * CLI_USAGE. Before it returns CLI_USAGE it prints an error; if the error is an unknown word, the
 * error also names a similar known one, if there is one. It prints nothing if the command line has
 * no word at all. When the user asks for help about a group or about eds as a whole, call->command
 * is NULL, and *group is the group or NULL. */
int cli_read_arguments(
	struct cli_call *call, int argc, char **argv, const struct cli_command **group);

/* Prints on standard error what is wrong with the command line; returns CLI_USAGE. */
int cli_usage(const struct cli_call *call, const char *format, ...) RT_PRINTF(2, 3);

#endif
