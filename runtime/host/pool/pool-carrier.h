/* How events reach a handler of a pool, and answers come back: over its pipes, or through something
 * that stands before it (the runner's bootstrap, local/serve/carrier.h).
 *
 * A carrier starts the process and tells of what comes from it with the two calls below; the pool
 * chooses the handler, keeps the clock and does what follows from an outcome.
 */
#ifndef HOST_POOL_CARRIER_H
#define HOST_POOL_CARRIER_H

#include "runtime/host/pool/pool.h"

struct pool_handler;

struct pool_carrier {
	int grace_ms; /* past the function's time-out, before the pool kills what is late */
	/* False with errno when it cannot be started. */
	bool (*start)(struct pool_handler *handler);
	void (*stop)(struct pool_handler *handler);
	/* False when the handler is gone and the event has not begun. */
	bool (*give)(struct pool_handler *handler, const char *event, size_t length);
};

extern const struct pool_carrier pool_pipes;

#endif
