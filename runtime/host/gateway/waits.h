/* Requests whose answer is worth waiting for, held without a handler.
 *
 * A function may answer that what was asked for is not there yet, and how long the client would
 * wait for it:
 *
 *     eds-wait: 30 mfrggzdfmztwq2lknnwg23tpoa      seconds, and a name for what is waited for
 *
 * Then the connection alone waits. As long as any does, the function that the manifest names
 * (`waits`) is asked, every WAITS_LOOK_MS and one question for all of them, which names are
 * settled:
 * {"names": ["mfrg…", …]} is answered with {"settled": ["mfrg…"]}. Requests for these are sent to
 * their function again. So ten thousand waiting clients cost what one costs that polls, and what
 * other machines store is seen, too.
 *
 * Whoever finds no room to wait is answered at once, as are all when their time is over, when the
 * client closes its side, and when the host stops.
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

/* One request. Belongs to whoever holds it; the members are those of waits.c but for these. */
struct waiter {
	char name[WAITS_NAME_MAX + 1];
	uint64_t sender;                      /* whose share it is of */
	const struct manifest_function *asks; /* the function that knows what is settled */
	int64_t until_ms;                     /* monotonic; kept when it waits again */
	enum { WAITER_IDLE, WAITER_WAITS, WAITER_SETTLED, WAITER_AGAIN } state;
	struct waiter *next;
	struct waiter **link;
};

struct waits_calls {
	void (*again)(struct waiter *waiter);  /* sends it to its function again */
	void (*enough)(struct waiter *waiter); /* answers it with what is known */
};

/* calls: borrowed. Ends the process when out of memory. */
struct waits *waits_new(
	struct event_base *base, struct pools *pools, const struct waits_calls *calls);

/* Takes it in; false when there is no room, no time left, or the host stops. */
bool waits_add(struct waits *waits, struct waiter *waiter);

/* The request that was sent again has an answer, whatever it is. */
void waits_answered(struct waits *waits, struct waiter *waiter);

/* It waits no more. */
void waits_remove(struct waits *waits, struct waiter *waiter);

/* Answers all, and takes no more in. */
void waits_stop(struct waits *waits);

/* Nobody may wait. */
void waits_free(struct waits *waits);

#endif
