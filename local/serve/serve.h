/* `runner serve`: serves HTTP, SMTP and the schedule until a signal ends it. */
#ifndef RUNNER_SERVE_H
#define RUNNER_SERVE_H

#include "local/commands.h"

int serve_main(int argc, char **argv);

#endif
