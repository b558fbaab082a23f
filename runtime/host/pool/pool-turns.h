/* Events of a pool that wait for a handler, taken in turns: round robin over who sent them, so that
 * nobody waits behind all that another one sent.
 *
 * Of the places (events that may be under way at once) nobody holds more than are left free: one
 * alone holds half of them, a second finds half of the rest, so there is always one for the next
 * until many are busy. Key 0 stands for events of the service's own (the clock, mail): they wait in
 * the same round, and hold any number of places.
 *
 * A sender is known only while an event of its own is, so memory is bounded by their number.
 */
#ifndef HOST_POOL_TURNS_H
#define HOST_POOL_TURNS_H

#include "runtime/host/pool/pool-queue.h"

struct pool_sender;

struct pool_turns {
	size_t places;
	size_t under_way;          /* of senders that are counted */
	size_t count;              /* events that wait */
	struct pool_sender *first; /* whose turn is next */
};

void pool_turns_init(struct pool_turns *turns, size_t places);

/* Puts the event behind those of its sender. */
void pool_turns_push(struct pool_turns *turns, uint64_t key, struct pool_waiting *waiting);

/* The event whose turn it is; NULL when nothing waits, or none that may go. */
struct pool_waiting *pool_turns_next(const struct pool_turns *turns);

/* Takes what pool_turns_next gave; it is under way from now on, and counted for this sender. */
struct pool_sender *pool_turns_begin(struct pool_turns *turns, struct pool_waiting *waiting);

/* The same for an event that did not have to wait; NULL when it has to. */
struct pool_sender *pool_turns_begin_at_once(struct pool_turns *turns, uint64_t key);
void pool_turns_end(struct pool_turns *turns, struct pool_sender *sender);

/* Takes one that came before this time; NULL without any. */
struct pool_waiting *pool_turns_expired(struct pool_turns *turns, int64_t before_ms);

/* Takes the newest event of the sender with the most, to make room for one of this key. NULL when
 * that would be no fairer. */
struct pool_waiting *pool_turns_give_way(struct pool_turns *turns, uint64_t key);

/* Takes any; NULL without. */
struct pool_waiting *pool_turns_any(struct pool_turns *turns);

#endif
