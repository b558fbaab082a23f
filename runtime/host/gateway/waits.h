/* Holds requests that wait for a result, without occupying a handler.
 *
 * A function may answer that the requested result does not exist yet. A field of the answer then
 * says how many seconds the client is willing to wait for the result:
 *
 *     eds-wait: 30 mfrggzdfmztwq2lknnwg23tpoa      seconds, and the name of the awaited result
 *
 * Then the connection waits, without a handler. While any request waits, the gateway sends an event
 * every WAITS_LOOK_MS, unless the previous one is not answered yet, to another function, which the
 * manifest names in `waits`. The event {"names": ["mfrg…", …]} has all names that are awaited and
 * not settled. The answer {"settled": ["mfrg…"]} has the settled names, for which no request needs
 * to wait any longer. Requests for settled names are sent to their function again. So a thousand
 * waiting clients cost as much as one polling client, and results that other machines store are
 * found too.
 *
 * A request that finds no room to wait is answered at once. A waiting request is answered when its
 * result is there, when its time is over, when the client closes its side, or when the host stops.
 */
#ifndef HOST_WAITS_H
#define HOST_WAITS_H

#include <event2/event.h>

#include "runtime/host/pool/pool.h"

enum {
	WAITS_MAX = 1024, /* maximum number of waiting requests: half of the connections (http.h) */
	/* maximum number of a sender's waiting requests: half of the connections of one address */
	WAITS_PER_SENDER_MAX = 128,
	WAITS_SECONDS_MAX = 30,
	WAITS_LOOK_MS = 500,
	WAITS_AGAIN_MAX = 8, /* maximum number of requests that are sent again at the same time */
	WAITS_NAME_MAX = 64,
};

struct waits;

/* A request that waits, embedded in a structure of the caller. The caller sets name, sender, asks
 * and until_ms; the other members belong to waits.c. */
struct waiter {
	char name[WAITS_NAME_MAX + 1];
	uint64_t sender;                      /* key of the sender, for WAITS_PER_SENDER_MAX */
	const struct manifest_function *asks; /* the function that knows which names are settled */
	/* end of the wait, monotonic; it stays the same when the request waits again */
	int64_t until_ms;
	enum { WAITER_IDLE, WAITER_WAITS, WAITER_SETTLED, WAITER_AGAIN } state;
	struct waiter *next;
	struct waiter **link;
};

struct waits_calls {
	void (*again)(struct waiter *waiter);  /* sends the request to its function again */
	void (*enough)(struct waiter *waiter); /* answers the request without the result */
};

/* Makes the list of waiting requests. `calls` is borrowed. Ends the process when out of memory. */
struct waits *waits_new(
	struct event_base *base, struct pools *pools, const struct waits_calls *calls);

/* Lets the request wait. False when there is no room or no time left, or the host stops. */
bool waits_add(struct waits *waits, struct waiter *waiter);

/* To be called when a request that was sent again has an answer of any kind. */
void waits_answered(struct waits *waits, struct waiter *waiter);

/* Removes a waiting request. */
void waits_remove(struct waits *waits, struct waiter *waiter);

/* Answers all waiting requests; from now on no request waits. */
void waits_stop(struct waits *waits);

/* Frees the list. No request may be waiting. */
void waits_free(struct waits *waits);

#endif
