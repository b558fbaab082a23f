/* The API token of a call. */
#ifndef CLI_TOKEN_H
#define CLI_TOKEN_H

#include "local/eds/command.h"

/* Reads the token from --token-file or EDS_TOKEN. False, after printing an error, when there is
 * none or the text cannot be a token. Prints a warning if the token would be sent over a network
 * unencrypted. */
bool cli_find_token(struct cli_call *call);

#endif
