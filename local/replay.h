/* `runner replay [ID]`: the last events of a running service, or one of them again. */
#ifndef RUNNER_REPLAY_H
#define RUNNER_REPLAY_H

#include "local/commands.h"

int replay_main(int argc, char **argv);

#endif
