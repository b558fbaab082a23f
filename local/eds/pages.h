/* The options of commands that print a list. */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include "local/eds/command.h"

#define CLI_PAGE_OPTIONS                                                                           \
	{"limit", "N", "so many at most, 1000 at most; without it all"},                           \
	{                                                                                          \
		"cursor", "CURSOR", "begin behind the page that ended with it"                     \
	}

extern const struct cli_option cli_page_options[]; /* --limit, --cursor */

#endif
