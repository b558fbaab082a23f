/* Carries events to a handler of a pool and answers back: over its pipes, or through a program in
 * front of it (the runner's bootstrap, local/serve/carrier.h).
 *
 * A carrier starts the process and reports its output with the two calls below; the pool chooses
 * the handler, keeps the time-outs and acts on the outcomes.
 */
#ifndef HOST_POOL_CARRIER_H
#define HOST_POOL_CARRIER_H

#include "runtime/host/pool/pool.h"

struct pool_handler;
struct pool_event;

struct pool_carrier {
	int grace_ms; /* time after the function's time-out before the pool kills the handler */
	/* False with errno when the process cannot be started. */
	bool (*start)(struct pool_handler *handler);
	void (*stop)(struct pool_handler *handler);
	/* False when the handler has ended and the event was not started. */
	bool (*give)(struct pool_handler *handler, const struct pool_event *event);
	/* Of a carrier with room for several events in a handler's pipe, else NULL (pool-ahead.h):
	 * whether the handler takes one more event; puts it behind the others; takes back those
	 * that are not begun, and returns the number of those that the handler keeps, which at
	 * its end are those that it has begun; text and form of the first, even if that was taken
	 * back at the end. */
	bool (*has_room)(const struct pool_handler *handler);
	bool (*follow)(struct pool_handler *handler, const struct pool_event *event);
	size_t (*take_back)(struct pool_handler *handler, bool ends);
	void (*first)(const struct pool_handler *handler, struct pool_event *event);
};

extern const struct pool_carrier pool_pipes;

#endif
