/* Prints the rows of a domain's reports, or sums of these rows, on standard output. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "local/eds/command.h"

/* Asks for all pages of the export and prints them as one file. The file has rows or, with --by,
 * sums of rows. Only one page at a time is in memory. After a failure the function prints how to
 * get the rest of the file, if that is possible. Returns the exit status. */
int cli_export(struct cli_call *call);

#endif
