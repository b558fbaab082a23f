/* `runner invoke NAME [EVENT]`: one event, one answer. */
#ifndef RUNNER_INVOKE_H
#define RUNNER_INVOKE_H

#include "local/commands.h"

int invoke_main(int argc, char **argv);

#endif
