/* One handler process of a pool, and what the pool keeps about it: within the pool only. */
#ifndef HOST_POOL_HANDLER_H
#define HOST_POOL_HANDLER_H

#include <sys/stat.h>
#include <sys/time.h>

#include "runtime/host/metrics.h"
#include "runtime/host/pool/pool-carrier.h"
#include "runtime/host/pool/pool-turns.h"
#include "runtime/process.h"

struct pool_handler {
	struct pool *pool;
	struct rt_process process; /* pid 0: none runs */
	struct event *readable;    /* these two and the link are the carrier's */
	struct event *writable;
	void *link;
	struct event *timer;
	pool_done done; /* of the event under way; NULL while idle */
	void *arg;
	struct pool_sender *sender; /* whose event it is; NULL while idle */
	uint64_t recent;            /* the number of the event under way among the last ones */
	bool answered;              /* at least once */
	unsigned generation;
	int64_t idle_since_ms;
};

/* Which program file it is. */
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
	struct pool_turns turns; /* what waits */
	struct identity program;
	struct identity adapter;
	uint64_t looked_in;  /* the turn of the loop in which both were looked at */
	unsigned generation; /* of the programs; older handlers are not used again */
	int failures;        /* handlers in a row that died before any answer */
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
	size_t running;     /* handlers of all functions */
	size_t running_max; /* 0 for no bound */
	bool starved;       /* a pool has events and no handler, for want of a place */
	const struct pool_carrier *carrier;
	void *carrier_arg;
	const char *adapter;  /* the program that stands before each function's; NULL for none */
	pool_counted counted; /* NULL: what functions count goes into the metrics */
	void *counted_arg;
	struct recent *recent;      /* NULL: events are not kept */
	struct pool_queue outcomes; /* to be told from the loop, not from within a submit */
	struct event *tell;
	struct event *turned; /* active once what came in before a look is dealt with */
	uint64_t turn;
	struct event *tick;
	bool draining;
	void (*drained)(void *arg);
	void *drained_arg;
};

/* False with errno when the program cannot be started. */
bool pool_handler_start(struct pool_handler *handler);
void pool_handler_stop(struct pool_handler *handler);

/* Sends an event and starts its clock. False when the handler is gone and the event has not begun:
 * give has then ended the handler, offer leaves that to whoever reads from it. */
bool pool_handler_give(
	struct pool_handler *handler, const char *event, size_t length, pool_done done, void *arg);
bool pool_handler_offer(
	struct pool_handler *handler, const char *event, size_t length, pool_done done, void *arg);

/* A handler died before any answer: the next start waits, a little longer each time, so that a
 * broken program does not eat the machine. */
void pool_back_off(struct pool *pool);

/* The event under way has an outcome, and the process goes on. The handler may be stopped within
 * the call. */
void pool_handler_outcome(
	struct pool_handler *handler, enum pool_outcome outcome, const char *text, size_t length);

/* The process has ended, or said what it must not: it is stopped within the call. */
void pool_handler_ended(struct pool_handler *handler);
void pool_handler_broken(struct pool_handler *handler);

#endif
