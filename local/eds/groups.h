/* The groups of commands, one file each. */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include "local/eds/command.h"

extern const struct cli_command cli_check_commands[];     /* check */
extern const struct cli_command cli_test_commands[];      /* test */
extern const struct cli_command cli_domains_commands[];   /* domains */
extern const struct cli_command cli_selectors_commands[]; /* selectors */
extern const struct cli_command cli_mta_sts_commands[];   /* mta-sts */
extern const struct cli_command cli_reports_commands[];   /* reports */
extern const struct cli_command cli_alerts_commands[];    /* alerts */
extern const struct cli_command cli_tokens_commands[];    /* tokens */
extern const struct cli_command cli_api_commands[];       /* api */

#endif
