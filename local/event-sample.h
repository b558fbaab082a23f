/* `runner event http|schedule|mail …`: prints a sample event. */
#ifndef RUNNER_EVENT_SAMPLE_H
#define RUNNER_EVENT_SAMPLE_H

#include "local/commands.h"

int sample_main(int argc, char **argv);

#endif
