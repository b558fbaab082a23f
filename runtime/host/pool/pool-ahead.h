/* Events that wait in the pipe of a busy handler instead of in the queue: while a function's
 * answers come within a millisecond, most of an event's cost is waking the handler for it. Internal
 * to the pool.
 *
 * An event goes to an idle handler, or to a new one, if there is one for its sender. Otherwise it
 * may wait in a pipe:
 *
 * - behind events of its own sender only, and only while every sender with waiting events has a
 *   handler. So turns and places (pool-turns.h) remain those of handlers.
 * - while the event in work takes no longer than POOL_STALL_MS. Then the events behind it are taken
 *   back (runtime/process/begun.h) and go to the front of the queue, for any handler.
 *
 * The time-out of an event begins when it is the first in its pipe. When the handler dies, the
 * events that it had begun get the outcome, and the others go to the front of the queue. The first
 * does so once, and its time-out goes on.
 */
#ifndef HOST_POOL_AHEAD_H
#define HOST_POOL_AHEAD_H

#include "runtime/host/pool/pool-handler.h"

enum {
	POOL_STALL_MS = 20,
	POOL_QUICK_US = 1000,       /* mean of the last answers */
	POOL_FIRST_MEAN_US = 16000, /* makes a pool quick after some fifty quick answers */
};

/* Notes how long an answer took. */
void pool_ahead_note(struct pool *pool, int64_t us);

/* Puts waiting events behind those of busy handlers. */
void pool_ahead_fill(struct pool *pool);

/* Takes back the events behind the first that the handler has not begun. If it has not begun any,
 * as a busy machine did not let it run, they stay. */
void pool_ahead_take_back(struct pool_handler *handler);

/* The same for a handler that is to be ended, whatever it has begun. True when the first too waits
 * in the queue again. */
bool pool_ahead_end(struct pool_handler *handler, enum pool_outcome outcome);

#endif
