/* Holds requests that wait for a result, without occupying a handler.
 *
 * A function may answer that the requested result does not exist yet, and how long the client will
 * wait for it:
 *
 *     eds-wait: 30 mfrggzdfmztwq2lknnwg23tpoa      seconds, and the name of the awaited result
 *
 * Then only the connection waits. While any request waits, the gateway asks the function that the
 * manifest names (`waits`), every WAITS_LOOK_MS and with one question for all of them, which names
 * are settled: {"names": ["mfrg…", …]} is answered with {"settled": ["mfrg…"]}. Requests for these
 * names are sent to their function again. So ten thousand waiting clients cost as much as one
 * polling client, and results that other machines store are found too.
 *
 * A request that finds no room to wait is answered at once. A waiting one is answered when its time
 * is over, when the client closes its side, or when the host stops.
 */
#ifndef HOST_WAITS_H
#define HOST_WAITS_H

#include <event2/event.h>

#include "runtime/host/pool/pool.h"

enum {
	WAITS_MAX = 1024,           /* half of the connections (http.h) */
	WAITS_PER_SENDER_MAX = 128, /* half of those of one address */
	WAITS_SECONDS_MAX = 30,
	WAITS_LOOK_MS = 500,
	WAITS_AGAIN_MAX = 8, /* requests sent again at the same time */
	WAITS_NAME_MAX = 64,
};

struct waits;

/* One waiting request, embedded in the caller's own structure. The caller sets name, sender, asks
 * and until_ms; waits.c owns the others. */
struct waiter {
	char name[WAITS_NAME_MAX + 1];
	uint64_t sender;                      /* the sender in whose share it counts */
	const struct manifest_function *asks; /* the function that knows which names are settled */
	int64_t until_ms;                     /* monotonic; unchanged when it waits again */
	enum { WAITER_IDLE, WAITER_WAITS, WAITER_SETTLED, WAITER_AGAIN } state;
	struct waiter *next;
	struct waiter **link;
};

struct waits_calls {
	void (*again)(struct waiter *waiter);  /* sends the request to its function again */
	void (*enough)(struct waiter *waiter); /* answers the request with the current state */
};

/* calls: borrowed. Ends the process when out of memory. */
struct waits *waits_new(
	struct event_base *base, struct pools *pools, const struct waits_calls *calls);

/* Lets the request wait; false when there is no room or no time left, or the host stops. */
bool waits_add(struct waits *waits, struct waiter *waiter);

/* Reports that a request that was sent again has any answer. */
void waits_answered(struct waits *waits, struct waiter *waiter);

/* Removes a waiting request. */
void waits_remove(struct waits *waits, struct waiter *waiter);

/* Answers all waiting requests, and lets no more wait. */
void waits_stop(struct waits *waits);

/* Frees the waits. No request may be waiting. */
void waits_free(struct waits *waits);

#endif
