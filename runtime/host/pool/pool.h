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
	POOL_QUEUE_MAX = 256, /* maximum number of events that wait for one function */
	POOL_IDLE_SECONDS = 60,
};

struct pools;

enum pool_outcome {
	/* text is the function's answer, one line of JSON; see also pools_submit_request() */
	POOL_ANSWERED,
	POOL_CRASHED, /* the handler ended, or broke the protocol */
	POOL_TIMED_OUT,
	/* the event was not started: the queue is full, the event has waited too long, or the pools
	 * take no events any more (pools_drain(), pools_free()) */
	POOL_BUSY,
	POOL_ABSENT, /* the program cannot be started: it or a library is missing, or the machine
			has no room for a process; the event was not started */
};

typedef void (*pool_done)(void *arg, enum pool_outcome outcome, const char *text, size_t length);

struct pools *pools_new(struct event_base *base, const struct manifest *manifest);
/* Makes handlers that are started after this call get the current environment. */
void pools_renew_environment(struct pools *pools);

/* Limits the number of handlers of each function, whatever the manifest says, and sets the maximum
 * length of the queue. Must be called before the first event. */
void pools_bound(struct pools *pools, size_t handlers, size_t queue);

/* Makes the pools use this carrier (pool-carrier.h), and an adapter: the path of a program that is
 * executed and runs the handlers. When the adapter's file changes, handlers are restarted too. Must
 * be called before the first event; all arguments are borrowed. */
struct pool_carrier;
void pools_carry(struct pools *pools, const struct pool_carrier *carrier, const char *adapter,
	void *carrier_arg);

/* Starts a handler unless one runs, so that the next event finds it ready. False with errno when it
 * cannot be started. pools_is_warm(): true if a handler runs. */
bool pools_warm(struct pools *pools, const struct manifest_function *function);
bool pools_is_warm(struct pools *pools, const struct manifest_function *function);

/* From now on stores events and answers in `recent` (runtime/host/gateway/recent.h), which is
 * borrowed. */
struct recent;
void pools_keep_recent(struct pools *pools, struct recent *recent);

/* Makes the pools pass a function's counts for an event (runtime/counts.h), as
 * "dnsAsked=3,dnsTimeout=1", to this callback just before the outcome, instead of adding them to
 * the metrics. counts is borrowed for the call. */
typedef void (*pool_counted)(
	void *arg, const struct manifest_function *function, const char *counts);
void pools_tell_counts(struct pools *pools, pool_counted counted, void *arg);

/* Sends one event (a line of JSON) to a handler of the function. done() is called exactly once,
 * never before this function returns; text is borrowed for the call. */
void pools_submit(struct pools *pools, const struct manifest_function *function, const char *event,
	size_t length, pool_done done, void *arg);

/* Sends an event of one of many senders, identified by a key that is not 0. Senders take turns, and
 * none holds more than half of the handlers, rounded up (pool-turns.h). When the queue is full, one
 * event gets POOL_BUSY: one whose sender has left, or else the newest event of the sender with the
 * most waiting events, or else this event. */
void pools_submit_of(struct pools *pools, const struct manifest_function *function, uint64_t sender,
	const char *event, size_t length, pool_done done, void *arg);

/* Sends the event of an HTTP request, like pools_submit_of(). The body of the answer may be
 * separate: it then follows the line of JSON after a line end (runtime/host/gateway/answer.h). */
void pools_submit_request(struct pools *pools, const struct manifest_function *function,
	uint64_t sender, const char *event, size_t length, pool_done done, void *arg);

/* Says that perhaps nobody awaits the answer to the sender's event with this arg any more. If the
 * event waits in the queue, it stays there until the queue is full; then it gets POOL_BUSY to make
 * room for another event. */
void pools_sender_left(struct pools *pools, const struct manifest_function *function,
	uint64_t sender, const void *arg);

/* Refuses events from now on; drained() is called when no event is left. */
void pools_drain(struct pools *pools, void (*drained)(void *arg), void *arg);

/* Ends all handlers. Within this call, events that were begun get POOL_CRASHED, and all other
 * events get POOL_BUSY. */
void pools_free(struct pools *pools);

#endif
