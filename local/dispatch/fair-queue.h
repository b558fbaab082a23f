/* A queue in which clients take turns: entries are taken round robin over the addresses that they
 * came from, so that no client waits behind all the mail of another.
 *
 * Each event that is being processed takes a place. A client gets another place only while it holds
 * fewer places than are left free: a single client holds half of all places, a second client gets
 * half of the rest (both rounded up). So a new client finds a free place until many clients are
 * busy. IPv6 clients are distinguished by their /64.
 *
 * A client is only known while it has an entry in the queue, so the number of entries limits the
 * memory. The waiting entries of one client keep their order.
 *
 * Entries can be put off, that is, tried again over a long time. The number and the octets of
 * entries that are put off are limited for each client and for all clients together, so that a
 * client whose mail is always put off does not fill the disk.
 */
#ifndef RUNNER_FAIR_QUEUE_H
#define RUNNER_FAIR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FAIR_BUCKETS = 4096,
	/* maximum number of entries of a client that are put off at a time */
	FAIR_PUT_OFF_CLIENT = 1000,
	/* maximum number of octets of a client's entries that are put off at a time */
	FAIR_PUT_OFF_CLIENT_BYTES = 32 * 1024 * 1024,
	/* maximum number of entries of all clients that are put off at a time */
	FAIR_PUT_OFF_ALL = 20000,
	/* maximum number of octets of all clients' entries that are put off at a time */
	FAIR_PUT_OFF_ALL_BYTES = 512 * 1024 * 1024,
};

/* The entries that are put off, of one client or of all. */
struct fair_share {
	size_t entries;
	size_t octets;
};

struct fair_client;

/* Embedded in each item that waits. The member `next` belongs to the queue. */
struct fair_entry {
	struct fair_client *client;
	struct fair_entry *next;
	bool is_put_off;
	/* octets of the entry, set when it is put off; `put_off` of its client and of the queue
	 * then include these octets */
	size_t octets;
};

struct fair_queue {
	size_t places;
	size_t under_way;               /* places in use */
	struct fair_share put_off;      /* entries of all clients that are put off */
	struct fair_client *first_turn; /* clients with waiting entries, in the order of turns */
	struct fair_client **last_turn;
	struct fair_client *buckets[FAIR_BUCKETS];
	/* random hash key, so that a client cannot choose addresses that share a bucket */
	uint64_t key;
};

void fair_queue_init(struct fair_queue *queue, size_t places);

/* Assigns the entry to the client with this address. All entries with client_ip "" (unknown) belong
 * to one client. False when out of memory. */
bool fair_join(struct fair_queue *queue, struct fair_entry *entry, const char *client_ip);

/* Removes the entry from its client. Frees the client if it has no further entry. */
void fair_leave(struct fair_queue *queue, struct fair_entry *entry);

/* Queues the entry after the others of its client. */
void fair_wait(struct fair_queue *queue, struct fair_entry *entry);

/* Removes and returns the entry that has the next turn; it holds a place until fair_end(). NULL
 * when nothing waits or no client may take a place. */
struct fair_entry *fair_take(struct fair_queue *queue);
void fair_end(struct fair_queue *queue, const struct fair_entry *entry);

/* True if the entry may be put off: it is put off already, or the limits have room for it. */
bool fair_may_be_put_off(
	const struct fair_queue *queue, const struct fair_entry *entry, size_t octets);

/* Counts the entry as put off until fair_leave(). */
void fair_put_off(struct fair_queue *queue, struct fair_entry *entry, size_t octets);

#endif
