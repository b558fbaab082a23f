/* Access to the options and arguments of a call of eds (command.h). */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "local/eds/command.h"

/* The last value that was given for the option; NULL if it was not given. */
const char *cli_given(const struct cli_call *call, const char *name);

/* The n-th value of an option that may be given several times, where n counts from 0; NULL after
 * the last value. */
const char *cli_given_nth(const struct cli_call *call, const char *name, size_t n);

/* The argument that has this name in the description of the command, such as "DOMAIN"; NULL when
 * the user left out the argument. */
const char *cli_word(const struct cli_call *call, const char *name);

/* True if the list, words separated by spaces, contains the word. */
bool cli_has_word(const char *list, const char *word);

#endif
