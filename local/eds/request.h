/* A command that is one request. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "local/eds/command.h"

/* Sends what the command's row says and shows the answer; gives the exit status. */
int cli_run_request(struct cli_call *call);

/* As a part of a path or a query (RFC 3986 section 2.1). */
char *cli_percent(struct rt_ctx *ctx, const char *text);

#endif
