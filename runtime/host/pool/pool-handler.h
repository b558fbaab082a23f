/* One handler process of a pool, and the pool's data about it. Internal to the pool. */
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
	struct rt_process process; /* pid 0: none runs */
	struct event *readable;    /* this, the next and the link belong to the carrier */
	struct event *writable;
	void *link;
	struct event *timer;
	int64_t timer_at_ms; /* when it fires; 0: not set */
	pool_done done;      /* of the event in work; NULL while idle */
	void *arg;
	struct pool_sender *sender; /* of the event in work and those behind; NULL while idle */
	uint64_t recent;            /* number of the event in work in recent.h */
	int64_t began_us;           /* when the event in work became the first in the pipe */
	bool stalled;               /* the event in work takes long: none may wait behind it */
	bool again;                 /* an earlier handler died before it began the event in work */
	struct pool_queue behind;   /* events that wait in the pipe (pool-ahead.h) */
	bool answered;              /* has answered at least once */
	unsigned generation;
	int64_t idle_since_ms;
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
	struct identity program;
	struct identity adapter;
	uint64_t looked_in;  /* turn of the loop in which both were checked */
	unsigned generation; /* of the programs; handlers of older ones are not used again */
	bool reads_page;     /* a handler of this generation has read the page (begun.h) */
	int64_t answer_us;   /* mean time of the latest answers */
	int failures;        /* handlers in a row that died before their first answer */
	int64_t not_before_ms;
	struct event *retry;
	struct metric *starts, *crashes, *timeouts, *refused, *running, *queued;
};

struct pools {
	struct event_base *base;
	struct pool items[MANIFEST_FUNCTIONS_MAX];
	size_t count;
	size_t handlers_max; /* of one function */
	size_t queue_max;
	size_t running;     /* number of handlers of all functions */
	size_t running_max; /* 0 for no bound */
	bool starved;       /* a pool has events but no handler, since running_max was reached */
	const struct pool_carrier *carrier;
	void *carrier_arg;
	const char *adapter;  /* program in front of each function's program; NULL for none */
	pool_counted counted; /* NULL: counts of functions go into the metrics */
	void *counted_arg;
	struct recent *recent;      /* NULL: events are not kept */
	struct pool_queue outcomes; /* to report from the loop, not from within pools_submit() */
	struct event *tell;
	struct event *turned; /* fires once the events that came before a check are handled */
	uint64_t turn;
	struct event *tick;
	bool draining;
	void (*drained)(void *arg);
	void *drained_arg;
};

/* False with errno when the program cannot be started. */
bool pool_handler_start(struct pool_handler *handler);
void pool_handler_stop(struct pool_handler *handler);

/* Sends an event and starts its time-out. False when the handler has ended and the event was not
 * started: give has then stopped the handler, offer leaves that to the reader of its output. */
bool pool_handler_give(struct pool_handler *handler, const struct pool_event *event);
bool pool_handler_offer(struct pool_handler *handler, const struct pool_event *event);

/* Sets the timer for the event in work, whose time-out and stall it waits for. */
void pool_handler_set_timer(struct pool_handler *handler);

/* Notes that a handler died before its first answer: the next start is delayed, a little longer
 * each time, so that a broken program does not use up the machine. */
void pool_back_off(struct pool *pool);

/* Reports the outcome of the event in work and keeps the process. The handler may be stopped within
 * the call. */
void pool_handler_outcome(
	struct pool_handler *handler, enum pool_outcome outcome, const char *text, size_t length);

/* Stops the process; the events that it has begun end with POOL_CRASHED, the others wait again. */
void pool_handler_abandon(struct pool_handler *handler);

/* Reports that the process has ended or broken the protocol; it is stopped within the call. */
void pool_handler_ended(struct pool_handler *handler);
void pool_handler_broken(struct pool_handler *handler);

#endif
