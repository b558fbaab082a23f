/* One handler process of a pool, and the pool's data about it. The current event is the first in
 * the handler's pipe (pool-ahead.h). Internal to the pool and its carriers (pool-carrier.h). */
#ifndef HOST_POOL_HANDLER_H
#define HOST_POOL_HANDLER_H

#include <sys/stat.h>
#include <sys/time.h>

#include "runtime/host/metrics.h"
#include "runtime/host/pool/pool-carrier.h"
#include "runtime/host/pool/pool-turns.h"
#include "runtime/process/process.h"

struct pool_handler {
	struct pool *pool;
	struct rt_process process; /* pid 0: no process runs */
	struct event *readable;    /* this and the next two members belong to the carrier */
	struct event *writable;
	void *link;
	struct event *timer;
	int64_t timer_at_ms; /* when the timer fires, monotonic; 0: not set */
	pool_done done;      /* callback of the current event; NULL while idle */
	void *arg;
	struct pool_sender *sender; /* sender of the events in the pipe; NULL while idle */
	uint64_t recent;            /* number of the current event (recent.h) */
	int64_t began_us;           /* when the event became the current one, monotonic */
	/* the current event takes long, so no event may wait behind it */
	bool stalled;
	bool again;               /* an earlier handler died before it began the current event */
	struct pool_queue behind; /* events in the pipe after the current one */
	bool answered;            /* the process has answered at least once */
	unsigned generation;      /* generation of the programs when the process started */
	int64_t idle_since_ms;    /* when the handler became idle, monotonic */
};

/* Identifies a version of a program file. */
struct identity {
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

struct pool {
	struct pools *owner;
	const struct manifest_function *function;
	const char **environment;
	struct pool_handler handlers[MANIFEST_HANDLERS_MAX];
	struct pool_turns turns; /* waiting events */
	/* versions of the program's file and of the adapter's file at the last check */
	struct identity program;
	struct identity adapter;
	uint64_t looked_in; /* turn of the loop in which both files were checked last */
	/* rises when a program changes; handlers of an older generation get no more events */
	unsigned generation;
	bool reads_page;   /* a handler of this generation has read the page (begun.h) */
	int64_t answer_us; /* mean time of the latest answers, microseconds */
	/* number of handlers in a row that did not start, or died before their first answer */
	int failures;
	int64_t not_before_ms; /* earliest start of another handler, monotonic */
	struct event *retry;
	struct metric *starts, *crashes, *timeouts, *refused, *running, *queued;
};

struct pools {
	struct event_base *base;
	struct pool items[MANIFEST_FUNCTIONS_MAX];
	size_t count;
	/* maximum number of handlers of one function, whatever the manifest says */
	size_t handlers_max;
	size_t queue_max;
	size_t running;     /* number of handlers of all functions */
	size_t running_max; /* maximum value of running; 0: no limit */
	bool starved;       /* a pool has events but no handler, because running_max was reached */
	const struct pool_carrier *carrier;
	void *carrier_arg;
	const char *adapter; /* path of a program that runs each function's program; NULL for
			      * none */
	/* callback for the counts of functions; NULL: they are added to the metrics */
	pool_counted counted;
	void *counted_arg;
	struct recent *recent;      /* where recent events are stored; NULL: nowhere */
	struct pool_queue outcomes; /* outcomes to be reported by the loop, not by pools_submit() */
	struct event *tell;
	/* activated when programs are checked; its callback runs after the events that the loop has
	 * ready at that time, and counts a new turn */
	struct event *turned;
	uint64_t turn; /* number of turns of the loop in which programs were checked */
	struct event *tick;
	bool draining;
	void (*drained)(void *arg);
	void *drained_arg;
};

/* Starts the process; false with errno on failure. */
bool pool_handler_start(struct pool_handler *handler);
void pool_handler_stop(struct pool_handler *handler);

/* Send an event to an idle handler and start the time-out. False when the process has ended and the
 * event was not started. pool_handler_give() then stops the handler. pool_handler_offer() does not:
 * the carrier (pool-carrier.h), which moves events to and from the process, reports the end of the
 * process when it notices it, and the handler is stopped then. */
bool pool_handler_give(struct pool_handler *handler, const struct pool_event *event);
bool pool_handler_offer(struct pool_handler *handler, const struct pool_event *event);

/* Sets the timer to the time-out of the current event, or to the time after which no event may wait
 * behind it, whichever is earlier. */
void pool_handler_set_timer(struct pool_handler *handler);

/* Must be called when a handler could not be started, or has died before its first answer. From the
 * second such failure in a row on, delays the next start, longer each time, so that a broken
 * program does not use up the machine. */
void pool_back_off(struct pool *pool);

/* Reports the outcome of the current event. The call itself does not end the process, but a
 * callback within it may stop the handler. */
void pool_handler_outcome(
	struct pool_handler *handler, enum pool_outcome outcome, const char *text, size_t length);

/* Stops the process. Events that it has begun get POOL_CRASHED, the others wait in the queue again.
 */
void pool_handler_abandon(struct pool_handler *handler);

/* The carrier calls pool_handler_ended() when the process has ended, and pool_handler_broken() when
 * the process has broken the protocol. Both functions stop the handler before they return. */
void pool_handler_ended(struct pool_handler *handler);
void pool_handler_broken(struct pool_handler *handler);

#endif
