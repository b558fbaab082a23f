/* How events get to a handler of a pool, and how answers come back: over the pipes of the handler,
 * or through a program between pool and handler (the runner's bootstrap, local/serve/carrier.h).
 *
 * A carrier starts the process, and reports its output with the functions at the end of
 * pool-handler.h. The pool chooses the handler, enforces the time-outs and handles the outcomes. */
#ifndef HOST_POOL_CARRIER_H
#define HOST_POOL_CARRIER_H

#include "runtime/host/pool/pool.h"

struct pool_handler;
struct pool_event;

struct pool_carrier {
	int grace_ms; /* how long after the function's time-out the pool kills the handler */
	/* Starts a process for the handler; false with errno on failure. */
	bool (*start)(struct pool_handler *handler);
	void (*stop)(struct pool_handler *handler);
	/* Sends an event to an idle handler. False when the handler has ended and the event was not
	 * started. */
	bool (*give)(struct pool_handler *handler, const struct pool_event *event);

	/* The following members are NULL if a handler's pipe has room for only one event
	 * (pool-ahead.h). */

	/* True if the pipe has room for one more event. */
	bool (*has_room)(const struct pool_handler *handler);
	/* Adds an event to the pipe. False when out of memory. */
	bool (*follow)(struct pool_handler *handler, const struct pool_event *event);
	/* Takes back the events that the handler has not begun, and returns the number of events
	 * that stay. ends: true if the handler is to be ended; then no event stays that it has not
	 * begun. */
	size_t (*take_back)(struct pool_handler *handler, bool ends);
	/* Sets text, length and framed to those of the current event, even if it was taken back. */
	void (*first)(const struct pool_handler *handler, struct pool_event *event);
};

extern const struct pool_carrier pool_pipes;

#endif
