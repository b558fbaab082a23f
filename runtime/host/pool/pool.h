/* Pools of warm handler processes: one pool a function, one event at a time to a process.
 *
 * Grown on demand up to the handlers of the manifest, shrunk when idle; a changed binary (device,
 * inode, mtime) is used from the next event on. A handler past its time-out is killed and its event
 * answered so; events wait in a bounded queue while all handlers are busy.
 */
#ifndef HOST_POOL_H
#define HOST_POOL_H

#include <event2/event.h>
#include <stdint.h>

#include "runtime/host/manifest.h"

enum {
	POOL_QUEUE_MAX = 256, /* events waiting for one function */
	POOL_IDLE_SECONDS = 60,
};

struct pools;

enum pool_outcome {
	POOL_ANSWERED, /* text is the function's answer, one line of JSON */
	POOL_CRASHED,  /* it ended, or broke the protocol */
	POOL_TIMED_OUT,
	POOL_BUSY, /* the queue is full; the event was not begun */
};

typedef void (*pool_done)(void *arg, enum pool_outcome outcome, const char *text, size_t length);

struct pools *pools_new(struct event_base *base, const struct manifest *manifest);
/* Handlers that are started from now on see the environment as it is by now. */
void pools_renew_environment(struct pools *pools);

/* At most so many handlers of a function, whatever the manifest says, and another length of the
 * queue; to be said before the first event. */
void pools_bound(struct pools *pools, size_t handlers, size_t queue);

/* Events are carried so (runtime/host/pool/pool-carrier.h), by handlers behind the adapter, a path;
 * when that changes, too, they are started anew. To be said before the first event; all borrowed.
 */
struct pool_carrier;
void pools_carry(struct pools *pools, const struct pool_carrier *carrier, const char *adapter,
	void *carrier_arg);

/* Starts a handler unless one runs, so that an event finds it warm. False with errno when it cannot
 * be started. */
bool pools_warm(struct pools *pools, const struct manifest_function *function);
bool pools_is_warm(struct pools *pools, const struct manifest_function *function);

/* From now on the events and their answers are kept there (runtime/host/gateway/recent.h);
 * borrowed. */
struct recent;
void pools_keep_recent(struct pools *pools, struct recent *recent);

/* From now on what functions count of an event (runtime/counts.h) is told, as
 * "dnsAsked=3,dnsTimeout=1", just before its outcome, and not added to the metrics. counts is
 * borrowed for the call. */
typedef void (*pool_counted)(
	void *arg, const struct manifest_function *function, const char *counts);
void pools_tell_counts(struct pools *pools, pool_counted counted, void *arg);

/* Sends one event (a line of JSON) to a handler of the function. done is called exactly once, never
 * before this returns; text is borrowed for the call. */
void pools_submit(struct pools *pools, const struct manifest_function *function, const char *event,
	size_t length, pool_done done, void *arg);

/* The same for an event of one of many senders, known by a key that is not 0: they take turns, and
 * nobody holds more than half of the handlers (pool-turns.h). When the queue is full, whoever has
 * most in it gives way. */
void pools_submit_of(struct pools *pools, const struct manifest_function *function, uint64_t sender,
	const char *event, size_t length, pool_done done, void *arg);

/* Stops taking events; drained is called when no event is under way. */
void pools_drain(struct pools *pools, void (*drained)(void *arg), void *arg);

/* Ends all handlers. Events still under way end with POOL_CRASHED, waiting ones with POOL_BUSY,
 * told from within this call. */
void pools_free(struct pools *pools);

#endif
