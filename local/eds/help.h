/* The help texts of eds. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "local/eds/command.h"

void cli_help(FILE *out);
void cli_help_group(const struct cli_command *group, FILE *out);
void cli_help_command(const struct cli_command *command, FILE *out);

/* Prints a line like "usage: eds selectors add DOMAIN SELECTOR [OPTIONS]". */
void cli_usage_line(const struct cli_command *command, FILE *out);

#endif
