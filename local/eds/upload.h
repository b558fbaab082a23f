/* Uploads files with reports about a domain. */
#ifndef CLI_UPLOAD_H
#define CLI_UPLOAD_H

#include "local/eds/command.h"

/* Uploads each FILE of the call, and prints the outcome of each report; with --json it prints a
 * line {"path", "data"} or {"path", "problem"} for each file instead. Stops after a failure that
 * the next file would meet too, such as a wrong token. Returns the highest exit status that any
 * file gave: CLI_NOT_WELL when a report was refused, CLI_USAGE when a file cannot be read. */
int cli_upload(struct cli_call *call);

#endif
