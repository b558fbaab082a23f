/* eds check: checks the publicly visible mail setup of a domain. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "local/eds/posture.h"

/* Prints the answer {domain, state, items}. Returns the exit status: CLI_NOT_WELL on an error, with
 * --strict also on a warning; CLI_UNDECIDED when the state is unknown, because DNS did not answer.
 */
int cli_show_posture(struct cli_call *call, const json_t *data);

#endif
