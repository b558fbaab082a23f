/* What DNS shows of a domain's mail, as `eds check` and `eds domains check` show it. */
#ifndef CLI_POSTURE_H
#define CLI_POSTURE_H

#include "local/eds/command.h"

extern const struct cli_option cli_posture_options[];

#endif
