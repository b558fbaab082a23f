/* What DNS shows of a domain's mail, as `eds check` and `eds domains check` show it. */
#ifndef CLI_POSTURE_H
#define CLI_POSTURE_H

#include "local/eds/command.h"

/* {domain, state, items}: the exit status is CLI_NOT_WELL on an error, and with --strict on a
 * warning; CLI_UNDECIDED when DNS did not answer for something. */
int cli_show_posture(struct cli_call *call, const json_t *data);

extern const struct cli_option cli_posture_options[];

#endif
