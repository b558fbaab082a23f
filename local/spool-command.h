/* `runner spool list|retry|drop`: lists mail that waits, failed or is damaged, and retries or drops
 * failed mail. */
#ifndef RUNNER_SPOOL_COMMAND_H
#define RUNNER_SPOOL_COMMAND_H

#include "local/commands.h"

int spool_main(int argc, char **argv);

#endif
