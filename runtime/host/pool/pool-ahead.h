/* Events that wait in the pipe of a busy handler instead of in the queue. While a function answers
 * within a millisecond, most of an event's cost is waking the handler for it; a handler that finds
 * its next event in the pipe need not be woken. Internal to the pool.
 *
 * The pipe of a handler has the events that were sent to it and are not answered; the first of them
 * is the current event. An event goes to an idle or new handler, if there is one and the sender of
 * the event may have a further handler. Otherwise the event may wait in a pipe:
 *
 * - only behind events of its own sender, and only while every sender with waiting events has a
 *   handler. So waiting in pipes does not change how senders share the handlers (pool-turns.h).
 * - only while the current event takes less than POOL_STALL_MS. After that time the events behind
 *   it are taken back (runtime/process/begun.h) and go to the front of the queue, for any handler.
 *
 * The time-out of an event begins when it becomes the current event. When the handler dies, the
 * events that it had begun get POOL_CRASHED, and the others go to the front of the queue. A current
 * event that was not begun goes back to the queue at most once, and its time-out continues. */
#ifndef HOST_POOL_AHEAD_H
#define HOST_POOL_AHEAD_H

#include "runtime/host/pool/pool-handler.h"

enum {
	POOL_STALL_MS = 20,
	/* events may wait in pipes while the mean time of the latest answers is at most this */
	POOL_QUICK_US = 1000,
	/* initial mean; it falls below POOL_QUICK_US after about fifty quick answers */
	POOL_FIRST_MEAN_US = 16000,
};

/* Updates the mean time of the latest answers with the time of one more answer. */
void pool_ahead_note(struct pool *pool, int64_t us);

/* Moves waiting events into the pipes of busy handlers. */
void pool_ahead_fill(struct pool *pool);

/* Takes back the events that the handler has not begun, except the current one. If the handler has
 * not begun the current event either, because a busy machine did not let it run, all events stay.
 */
void pool_ahead_take_back(struct pool_handler *handler);

/* For a handler that is to be ended: takes back the events that the handler has not begun, but the
 * current event only if outcome is POOL_CRASHED and no earlier handler died before it began that
 * event. True when the current event waits in the queue again. */
bool pool_ahead_end(struct pool_handler *handler, enum pool_outcome outcome);

#endif
