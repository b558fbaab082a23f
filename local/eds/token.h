/* The API token of a call. */
#ifndef CLI_TOKEN_H
#define CLI_TOKEN_H

#include "local/eds/command.h"

/* Of --token-file, or EDS_TOKEN. False after a sentence when there is none; a sentence alone when
 * it goes over a network unencrypted. */
bool cli_find_token(struct cli_call *call);

#endif
