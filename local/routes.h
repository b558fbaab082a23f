/* `runner routes`: prints each function of the manifest with its triggers. */
#ifndef RUNNER_ROUTES_H
#define RUNNER_ROUTES_H

#include "local/commands.h"

int routes_main(int argc, char **argv);

#endif
