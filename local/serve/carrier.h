/* Functions as they are deployed: each handler is a bootstrap with the function's program behind
 * it, and events reach it through a Lambda Runtime API of the runner's own
 * (local/serve/runtime-api.h).
 *
 * The pools stay as they are: one event at a time to a handler, the same bounds, hot swap (of the
 * function's program and of bootstrap). The bootstrap keeps the function's time-out; one that does
 * not is killed a second later.
 */
#ifndef RUNNER_CARRIER_H
#define RUNNER_CARRIER_H

#include <limits.h>

#include "runtime/host/pool/pool.h"

struct carrier {
	char bootstrap[PATH_MAX]; /* the program beside the runner */
	const char *functions;    /* the folder; NULL: beside the runner */
};

/* Sets the pools up so, before their first event; the carrier outlives them, functions is borrowed.
 * False with errno when there is no bootstrap. */
bool carrier_init(struct carrier *carrier, struct pools *pools, const char *functions);

#endif
