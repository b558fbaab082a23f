/* The groups of commands, one file each. */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include "local/eds/command.h"

extern const struct cli_command cli_check_commands[];     /* eds check */
extern const struct cli_command cli_test_commands[];      /* eds test */
extern const struct cli_command cli_domains_commands[];   /* eds domains */
extern const struct cli_command cli_selectors_commands[]; /* eds selectors */
extern const struct cli_command cli_mta_sts_commands[];   /* eds mta-sts */
extern const struct cli_command cli_reports_commands[];   /* eds reports */
extern const struct cli_command cli_alerts_commands[];    /* eds alerts */
extern const struct cli_command cli_tokens_commands[];    /* eds tokens */
extern const struct cli_command cli_api_commands[];       /* eds api */

#endif
