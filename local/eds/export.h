/* Prints the rows of a domain's reports, or sums of them, on standard output. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "local/eds/command.h"

/* Asks for all pages of the export and prints them as one file. The file has rows or, with --by,
 * sums of rows. Only one page at a time is in memory. When it cannot continue, it prints how to get
 * the rest and returns CLI_REFUSED or CLI_UNAVAILABLE. */
int cli_export(struct cli_call *call);

#endif
