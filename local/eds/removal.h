/* Removes something permanently, after the user has confirmed it. */
#ifndef CLI_REMOVAL_H
#define CLI_REMOVAL_H

#include "local/eds/command.h"

struct cli_removal {
	const char *path;     /* path of the DELETE request */
	const char *question; /* asked on a terminal: "Delete example.com and all its data?" */
	const char *effect;   /* what the removal does: "deletes example.com and all its data" */
	const char *done;     /* printed after the removal: "removed example.com" */
};

extern const struct cli_option cli_removal_options[]; /* the option --yes */

/* Asks for confirmation on the terminal, unless --yes is given, and then sends the request. Returns
 * CLI_REFUSED when there is no terminal or the user does not confirm, so that no script removes
 * something by accident. */
RT_MUST_USE int cli_remove(struct cli_call *call, const struct cli_removal *removal);

#endif
