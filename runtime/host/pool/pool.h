/* Pools of running handler processes: one pool per function, one event at a time per process. While
 * a function's answers come within a millisecond, further events wait in the pipes of its handlers
 * (pool-ahead.h).
 *
 * A pool grows on demand up to the manifest's number of handlers and shrinks when idle. A changed
 * binary (device, inode, mtime) is used from the next event on. A handler that exceeds its time-out
 * is killed and its event gets POOL_TIMED_OUT. Events wait in a bounded queue while all handlers
 * are busy.
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
	POOL_ANSWERED, /* text is the function's answer, one line of JSON; pools_submit_request() */
	POOL_CRASHED,  /* the handler ended, or broke the protocol */
	POOL_TIMED_OUT,
	POOL_BUSY,   /* the queue is full; the event was not started */
	POOL_ABSENT, /* the program cannot be started: it or a library is missing, or the machine
			has no room for a process; the event was not started */
};

typedef void (*pool_done)(void *arg, enum pool_outcome outcome, const char *text, size_t length);

struct pools *pools_new(struct event_base *base, const struct manifest *manifest);
/* Handlers started after this call get the current environment. */
void pools_renew_environment(struct pools *pools);

/* Limits the handlers of each function, whatever the manifest says, and sets the length of the
 * queue; call it before the first event. */
void pools_bound(struct pools *pools, size_t handlers, size_t queue);

/* Makes the pools use this carrier (runtime/host/pool/pool-carrier.h) and run handlers behind the
 * adapter, a path to a program; handlers are restarted when the adapter changes too. Call it before
 * the first event; all arguments are borrowed.
 */
struct pool_carrier;
void pools_carry(struct pools *pools, const struct pool_carrier *carrier, const char *adapter,
	void *carrier_arg);

/* Starts a handler unless one runs, so that the next event finds it ready. False with errno when it
 * cannot be started. */
bool pools_warm(struct pools *pools, const struct manifest_function *function);
bool pools_is_warm(struct pools *pools, const struct manifest_function *function);

/* Keeps the following events and answers in recent (runtime/host/gateway/recent.h), which is
 * borrowed. */
struct recent;
void pools_keep_recent(struct pools *pools, struct recent *recent);

/* Passes a function's counts for an event (runtime/counts.h), as "dnsAsked=3,dnsTimeout=1", to this
 * callback just before the outcome, instead of adding them to the metrics. counts is borrowed for
 * the call. */
typedef void (*pool_counted)(
	void *arg, const struct manifest_function *function, const char *counts);
void pools_tell_counts(struct pools *pools, pool_counted counted, void *arg);

/* Sends one event (a line of JSON) to a handler of the function. done is called exactly once, never
 * before this returns; text is borrowed for the call. */
void pools_submit(struct pools *pools, const struct manifest_function *function, const char *event,
	size_t length, pool_done done, void *arg);

/* The same for an event of one of many senders, identified by a key that is not 0: senders take
 * turns, and none holds more than half of the handlers (pool-turns.h). When the queue is full, the
 * sender with the most waiting events loses its newest one. */
void pools_submit_of(struct pools *pools, const struct manifest_function *function, uint64_t sender,
	const char *event, size_t length, pool_done done, void *arg);

/* The same for a request over HTTP. Its answer may come with the body apart, behind the line of
 * JSON and a line end (runtime/host/gateway/answer.h). */
void pools_submit_request(struct pools *pools, const struct manifest_function *function,
	uint64_t sender, const char *event, size_t length, pool_done done, void *arg);

/* Stops accepting events; drained is called when no event is being processed. */
void pools_drain(struct pools *pools, void (*drained)(void *arg), void *arg);

/* Ends all handlers. Events that were begun end with POOL_CRASHED, the others with POOL_BUSY,
 * reported from within this call. */
void pools_free(struct pools *pools);

#endif
