/* Events of a pool that wait for a handler and take turns: round robin over their senders, so that
 * no sender waits behind all the events of another.
 *
 * A sender may hold no more places (events processed at the same time) than are left free: a single
 * sender holds half of them, a second gets half of the rest. So a new sender finds a free place
 * until many are busy. Key 0 is for the service's own events (schedule, mail): they wait in the
 * same round, and may hold any number of places.
 *
 * A sender is known only while it has an event, so the number of events bounds the memory.
 */
#ifndef HOST_POOL_TURNS_H
#define HOST_POOL_TURNS_H

#include "runtime/host/pool/pool-queue.h"

struct pool_sender;

struct pool_turns {
	size_t places;
	size_t under_way;          /* events being processed, of senders with a key */
	size_t count;              /* waiting events */
	struct pool_sender *first; /* whose turn is next */
};

void pool_turns_init(struct pool_turns *turns, size_t places);

/* Queues the event behind the others of its sender. */
void pool_turns_push(struct pool_turns *turns, uint64_t key, struct pool_waiting *waiting);

/* The event whose turn it is; NULL when none waits or none may get a place. */
struct pool_waiting *pool_turns_next(const struct pool_turns *turns);

/* Takes the event that pool_turns_next() returned; it holds a place of the returned sender from
 * then on. */
struct pool_sender *pool_turns_begin(struct pool_turns *turns, struct pool_waiting *waiting);

/* The same for an event that need not wait; NULL when it must wait. */
struct pool_sender *pool_turns_begin_at_once(struct pool_turns *turns, uint64_t key);
void pool_turns_end(struct pool_turns *turns, struct pool_sender *sender);

/* Whether a sender with waiting events holds no place: it needs one before others get more. */
bool pool_turns_leave_out(const struct pool_turns *turns);

/* Whether the sender, which holds a place, has waiting events; takes the next of them, to wait
 * behind its own event at that place. */
bool pool_turns_may_follow(const struct pool_sender *sender);
struct pool_waiting *pool_turns_follow(struct pool_turns *turns, struct pool_sender *sender);

/* Puts events that pool_turns_follow() gave back before the others of their sender, which still
 * holds its place. */
void pool_turns_put_back(
	struct pool_turns *turns, struct pool_sender *sender, struct pool_queue *events);

/* Takes an event that came before this time; NULL when there is none. */
struct pool_waiting *pool_turns_expired(struct pool_turns *turns, int64_t before_ms);

/* Takes the newest event of the sender with the most events, to make room for one of this key. NULL
 * when that would not be fairer. */
struct pool_waiting *pool_turns_give_way(struct pool_turns *turns, uint64_t key);

/* Takes any event; NULL when there is none. */
struct pool_waiting *pool_turns_any(struct pool_turns *turns);

#endif
