/* The options of commands that print a list. */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include "local/eds/command.h"

#define CLI_PAGE_OPTIONS                                                                           \
	{"limit", "N", "print at most N (1 to 1000); default all"},                                \
	{                                                                                          \
		"cursor", "CURSOR", "continue after the page that printed this cursor"             \
	}

extern const struct cli_option cli_page_options[]; /* the options --limit and --cursor */

#endif
