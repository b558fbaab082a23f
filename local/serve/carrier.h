/* Runs functions as a cloud does: each handler of a pool is a process of the program bootstrap.
 * Bootstrap starts the function's program, and gets events through the runner's own Lambda Runtime
 * API (local/serve/runtime-api.h).
 *
 * The pools work as they do without bootstrap: a handler gets one event at a time, the same limits
 * apply, and a changed program (of the function, or bootstrap itself) is used from the next event
 * on. Bootstrap enforces the function's time-out. If bootstrap fails to do so, the pool kills
 * bootstrap soon afterwards.
 */
#ifndef RUNNER_CARRIER_H
#define RUNNER_CARRIER_H

#include <limits.h>

#include "runtime/host/pool/pool.h"

struct carrier {
	char bootstrap[PATH_MAX]; /* path of the bootstrap program, which is beside the runner */
	const char *functions;    /* folder of the functions; NULL: `functions` beside the runner */
};

/* Makes the pools use the carrier; must be called before their first event. The carrier must
 * outlive the pools; functions is borrowed. False with errno when there is no bootstrap. */
bool carrier_init(struct carrier *carrier, struct pools *pools, const char *functions);

#endif
