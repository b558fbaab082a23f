/* Events of a pool that wait for a handler, or for the report of their outcome. First in, first
 * out.
 */
#ifndef HOST_POOL_QUEUE_H
#define HOST_POOL_QUEUE_H

#include <stdint.h>

#include "runtime/host/pool/pool.h"

struct pool_sender;

/* An event for a handler; the text is borrowed. */
struct pool_event {
	const char *text;
	size_t length;
	bool framed; /* the body of the answer may be separate from its JSON */
	pool_done done;
	void *arg;
	/* If a handler died before it began the event: the time when the event became the current
	 * event of that handler, monotonic. Otherwise 0. */
	int64_t began_us;
	uint64_t recent; /* number of the event in recent.h, if a handler died before it began the
			  * event; else 0 */
};

/* An event that waits in the queue or in a pipe, or an outcome to be reported. */
struct pool_waiting {
	struct pool_waiting *next;
	struct pool_sender *sender; /* sender of the event (pool-turns.h) */
	struct pool_event event;    /* the event; its text is the member text below */
	int64_t since_ms;           /* start of the wait, monotonic */
	enum pool_outcome outcome;
	bool left; /* the sender has left (pools_sender_left()) */
	char text[];
};

struct pool_queue {
	struct pool_waiting *first;
	struct pool_waiting **last;
	size_t count;
};

void pool_queue_init(struct pool_queue *queue);
void pool_queue_push(struct pool_queue *queue, struct pool_waiting *waiting);

/* Removes and returns the first event. The queue must not be empty. */
struct pool_waiting *pool_queue_pop(struct pool_queue *queue);

/* Removes and returns the event to which the link points. link: the address of `first`, or of the
 * member `next` of another event. */
struct pool_waiting *pool_queue_take(struct pool_queue *queue, struct pool_waiting **link);

/* Moves all events of the other queue, in their order, to the front of this one. */
void pool_queue_put_front(struct pool_queue *queue, struct pool_queue *other);

/* Makes a copy of the event and its text. Ends the process when out of memory. */
struct pool_waiting *pool_waiting_new(const struct pool_event *event);

#endif
