/* The options of commands that list. */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include "local/eds/command.h"

extern const struct cli_option cli_page_options[]; /* --limit, --cursor */

#endif
