/* Turns by client: what waits is taken round robin over the addresses it came from, so that nobody
 * waits behind all that another client sent.
 *
 * Of the places (events that may be under way at once) a client may hold no more than it leaves
 * free: one alone holds half of them, a second finds half of the rest, so there is always one for
 * whoever comes next until many clients are busy. IPv6 clients are told apart by their /64.
 *
 * A client is known only while an entry of it is, so memory is bounded by the number of entries.
 * The order within a client is kept.
 */
#ifndef RUNNER_FAIR_QUEUE_H
#define RUNNER_FAIR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FAIR_BUCKETS = 4096,
};

struct fair_client;

/* Part of what waits; next is the queue's. */
struct fair_entry {
	struct fair_client *client;
	struct fair_entry *next;
};

struct fair_queue {
	size_t places;
	size_t under_way;
	struct fair_client *first_turn; /* those with something waiting, the next one first */
	struct fair_client **last_turn;
	struct fair_client *buckets[FAIR_BUCKETS];
	uint64_t key; /* of the hash: nobody can choose whom to share a bucket with */
};

void fair_queue_init(struct fair_queue *queue, size_t places);

/* Makes the entry one of its client's ("" when not known: all of those are one client). False when
 * there is no memory. */
bool fair_join(struct fair_queue *queue, struct fair_entry *entry, const char *client_ip);
void fair_leave(struct fair_queue *queue, struct fair_entry *entry); /* waits no more */

/* Puts it behind what its client has waiting. */
void fair_wait(struct fair_queue *queue, struct fair_entry *entry);

/* The next to go, under way from now on; NULL when nothing waits or nothing may go. */
struct fair_entry *fair_take(struct fair_queue *queue);
void fair_end(struct fair_queue *queue, const struct fair_entry *entry);

#endif
