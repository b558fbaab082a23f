/* Events of a pool that wait for a handler and take turns: round robin over their senders, so that
 * no sender waits behind all the events of another.
 *
 * A sender may hold no more places (events processed at the same time) than are left free: a single
 * sender can hold half of all places (rounded up), a second sender half of the rest. So a new
 * sender finds a free place unless many senders hold places. Key 0 is for events without such a
 * sender, as those of schedules and mail: they wait in the same round, and may hold any number of
 * places.
 *
 * A sender is only known while it has an event, so the number of events limits the memory.
 */
#ifndef HOST_POOL_TURNS_H
#define HOST_POOL_TURNS_H

#include "runtime/host/pool/pool-queue.h"

struct pool_sender;

struct pool_turns {
	size_t places;
	size_t under_way;          /* number of events being processed, without those of key 0 */
	size_t count;              /* waiting events */
	struct pool_sender *first; /* list of senders; the first has the next turn */
};

void pool_turns_init(struct pool_turns *turns, size_t places);

/* Adds the event after the other waiting events of its sender. */
void pool_turns_push(struct pool_turns *turns, uint64_t key, struct pool_waiting *waiting);

/* The event that has the next turn; NULL when no event waits, or none may get a place. */
struct pool_waiting *pool_turns_next(const struct pool_turns *turns);

/* Removes this event, which pool_turns_next() returned, from the waiting events. From now on the
 * returned sender holds a place for the event. */
struct pool_sender *pool_turns_begin(struct pool_turns *turns, struct pool_waiting *waiting);

/* Gives a place to a new event of this sender at once; NULL when the event must wait. */
struct pool_sender *pool_turns_begin_at_once(struct pool_turns *turns, uint64_t key);
/* Frees a place of the sender. */
void pool_turns_end(struct pool_turns *turns, struct pool_sender *sender);

/* True if a sender with waiting events holds no place. While that is so, no event may wait in a
 * pipe (pool-ahead.h). */
bool pool_turns_leave_out(const struct pool_turns *turns);

/* For a sender that holds a place. pool_turns_may_follow() is true if the sender has waiting
 * events. pool_turns_follow() removes the first of these events; the caller puts it into the pipe
 * of the handler that has the place. */
bool pool_turns_may_follow(const struct pool_sender *sender);
struct pool_waiting *pool_turns_follow(struct pool_turns *turns, struct pool_sender *sender);

/* Puts back events that pool_turns_follow() removed, before the other events of their sender, which
 * still holds its place. */
void pool_turns_put_back(
	struct pool_turns *turns, struct pool_sender *sender, struct pool_queue *events);

/* Removes and returns an event that began to wait before this time (monotonic); NULL when there is
 * none. */
struct pool_waiting *pool_turns_expired(struct pool_turns *turns, int64_t before_ms);

/* Marks the sender's waiting event with this arg as one whose sender has left. */
void pool_turns_sender_left(struct pool_turns *turns, uint64_t key, const void *arg);

/* Removes and returns an event, to make room for one of the sender with this key: an event whose
 * sender has left, or else the newest event of the sender with the most waiting events. That sender
 * must keep at least as many as the sender with this key will have. Events of key 0 are never
 * removed. NULL when there is no such event. */
struct pool_waiting *pool_turns_give_way(struct pool_turns *turns, uint64_t key);

/* Removes and returns any event; NULL when there is none. */
struct pool_waiting *pool_turns_any(struct pool_turns *turns);

#endif
