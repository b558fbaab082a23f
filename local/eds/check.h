/* eds check: what anybody can see of a domain's mail. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "local/eds/posture.h"

/* {domain, state, items}: the exit status is CLI_NOT_WELL on an error, and with --strict on a
 * warning; CLI_UNDECIDED when DNS did not answer for something. */
int cli_show_posture(struct cli_call *call, const json_t *data);

#endif
