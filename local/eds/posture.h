/* The options of `eds check` and `eds domains check`, which show the mail setup of a domain in DNS.
 */
#ifndef CLI_POSTURE_H
#define CLI_POSTURE_H

#include "local/eds/command.h"

extern const struct cli_option cli_posture_options[];

#endif
