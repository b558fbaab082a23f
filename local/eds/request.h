/* Runs a command that consists of one request. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "local/eds/command.h"

/* Sends the request that the description of the command (struct cli_command) gives, and shows the
 * answer. Returns the exit status. */
int cli_run_request(struct cli_call *call);

/* Gives the path of the command, with the arguments in place of its {PLACES}, followed by a query
 * that is made from the options. Returns CLI_DONE, or the exit status after printing an error. */
RT_MUST_USE int cli_request_path(struct cli_call *call, const char **path);

/* Percent-encodes text for a path or a query (RFC 3986 section 2.1). */
char *cli_percent(struct rt_ctx *ctx, const char *text);

#endif
