/* Runs functions as they are deployed: each handler is a bootstrap that runs the function's
 * program, and gets events through the runner's own Lambda Runtime API (local/serve/runtime-api.h).
 *
 * The pools work as usual: one event at a time per handler, the same limits, hot swap (of the
 * function's program and of bootstrap). The bootstrap enforces the function's time-out; the pool
 * kills a bootstrap that does not a second later.
 */
#ifndef RUNNER_CARRIER_H
#define RUNNER_CARRIER_H

#include <limits.h>

#include "runtime/host/pool/pool.h"

struct carrier {
	char bootstrap[PATH_MAX]; /* the program beside the runner */
	const char *functions;    /* the folder; NULL: beside the runner */
};

/* Sets up the pools to use the carrier, before their first event. The carrier must outlive the
 * pools; functions is borrowed. False with errno when there is no bootstrap. */
bool carrier_init(struct carrier *carrier, struct pools *pools, const char *functions);

#endif
