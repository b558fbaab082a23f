/* `runner replay [ID]`: lists the last events of a running service, or runs one of them again. */
#ifndef RUNNER_REPLAY_H
#define RUNNER_REPLAY_H

#include "local/commands.h"

int replay_main(int argc, char **argv);

#endif
