/* `runner routes`: prints which function answers which request. */
#ifndef RUNNER_ROUTES_H
#define RUNNER_ROUTES_H

#include "local/commands.h"

int routes_main(int argc, char **argv);

#endif
