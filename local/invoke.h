/* `runner invoke NAME [EVENT]`: runs a function with one event and prints its answer. */
#ifndef RUNNER_INVOKE_H
#define RUNNER_INVOKE_H

#include "local/commands.h"

int invoke_main(int argc, char **argv);

#endif
