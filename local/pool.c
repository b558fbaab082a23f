#include "local/pool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "local/handler-env.h"
#include "local/metrics.h"
#include "runtime/ctx.h"
#include "runtime/log.h"
#include "runtime/process.h"

enum {
	KILL_GRACE_MS = 250, /* a handler answers its own time-out a moment before */
	WAIT_MS = 10000,     /* an event may wait for a handler */
	BACKOFF_MIN_MS = 50, /* before a program is tried again that died before any answer */
	BACKOFF_MAX_MS = 1000,
	LABELS_MAX = 128,
	REASON_MAX = 128,
};

/* An event that has not begun, or an outcome that waits to be told. */
struct waiting {
	struct waiting *next;
	pool_done done;
	void *arg;
	int64_t since_ms;
	enum pool_outcome outcome;
	size_t length;
	char event[];
};

struct queue {
	struct waiting *first;
	struct waiting **last;
	size_t count;
};

struct handler {
	struct pool *pool;
	struct rt_process process; /* pid 0: none runs */
	struct event *readable;
	struct event *writable;
	struct event *timer;
	pool_done done; /* of the event under way; NULL while idle */
	void *arg;
	bool answered; /* at least once */
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
	struct handler handlers[POOL_HANDLERS_MAX];
	struct queue queue;
	struct identity program;
	unsigned generation; /* of the program; older handlers are not used again */
	int failures;        /* handlers in a row that died before any answer */
	int64_t not_before_ms;
	struct event *retry;
	struct metric *starts, *crashes, *timeouts, *refused, *running, *queued;
};

struct pools {
	struct event_base *base;
	struct pool items[MANIFEST_FUNCTIONS_MAX];
	size_t count;
	struct queue outcomes; /* to be told from the loop, not from within a submit */
	struct event *tell;
	struct event *tick;
	bool draining;
	void (*drained)(void *arg);
	void *drained_arg;
};

static void pump(struct pool *pool);

static void queue_init(struct queue *queue)
{
	*queue = (struct queue){.first = NULL};
	queue->last = &queue->first;
}

static void queue_push(struct queue *queue, struct waiting *waiting)
{
	waiting->next = NULL;
	*queue->last = waiting;
	queue->last = &waiting->next;
	queue->count++;
}

static struct waiting *queue_pop(struct queue *queue)
{
	struct waiting *waiting = queue->first;

	queue->first = waiting->next;
	if (queue->first == NULL)
		queue->last = &queue->first;
	queue->count--;
	return waiting;
}

static struct waiting *waiting_new(const char *event, size_t length, pool_done done, void *arg)
{
	struct waiting *waiting = malloc(sizeof *waiting + length);

	if (waiting == NULL) {
		fputs("runner: out of memory\n", stderr);
		exit(RT_EXIT_MEMORY);
	}
	*waiting = (struct waiting){
		.done = done, .arg = arg, .since_ms = rt_monotonic_ms(), .length = length};
	memcpy(waiting->event, event, length);
	return waiting;
}

static void tell_later(struct pools *pools, struct waiting *waiting, enum pool_outcome outcome)
{
	waiting->outcome = outcome;
	queue_push(&pools->outcomes, waiting);
	event_active(pools->tell, EV_TIMEOUT, 0);
}

static bool is_quiet(const struct pools *pools)
{
	if (pools->outcomes.count > 0)
		return false;
	for (const struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		if (p->queue.count > 0)
			return false;
		for (size_t i = 0; i < POOL_HANDLERS_MAX; i++)
			if (p->handlers[i].done != NULL)
				return false;
	}
	return true;
}

static void check_drained(struct pools *pools)
{
	void (*drained)(void *arg) = pools->drained;

	if (!pools->draining || drained == NULL || !is_quiet(pools))
		return;
	pools->drained = NULL;
	drained(pools->drained_arg);
}

static void on_tell(evutil_socket_t fd, short what, void *arg)
{
	struct pools *pools = arg;
	size_t count = pools->outcomes.count;

	(void)fd;
	(void)what;
	while (count-- > 0) {
		struct waiting *waiting = queue_pop(&pools->outcomes);

		waiting->done(waiting->arg, waiting->outcome, NULL, 0);
		free(waiting);
	}
	check_drained(pools);
}

static void handler_stop(struct handler *handler)
{
	if (handler->process.pid == 0)
		return;
	event_free(handler->readable);
	event_free(handler->writable);
	event_free(handler->timer);
	rt_process_stop(&handler->process);
	metric_add(handler->pool->running, (uint64_t)-1);
}

/* The next start waits a little longer each time, so that a broken program does not eat the
 * machine. */
static void back_off(struct pool *pool)
{
	int wait_ms = BACKOFF_MIN_MS;

	pool->failures++;
	for (int i = 2; i < pool->failures && wait_ms < BACKOFF_MAX_MS; i++)
		wait_ms *= 2;
	if (pool->failures > 1)
		pool->not_before_ms = rt_monotonic_ms() + wait_ms;
}

/* How the process ended; it is left to be reaped. One that ends on its own closes its output a
 * moment before it is gone; killing it then changes nothing, and saves the wait. */
static void describe_end(char *text, size_t size, pid_t pid)
{
	siginfo_t end = {.si_pid = 0};

	kill(pid, SIGKILL);
	if (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) != 0)
		snprintf(text, size, "is gone");
	else if (end.si_code == CLD_EXITED)
		snprintf(text, size, "ended with exit status %d", end.si_status);
	else
		snprintf(text, size, "was ended by signal %d (%s)", end.si_status,
			strsignal(end.si_status));
}

/* The handler is of no more use; its event, if one was under way, gets the outcome. */
static void handler_fail(struct handler *handler, enum pool_outcome outcome, const char *reason)
{
	struct pool *pool = handler->pool;
	pool_done done = handler->done;
	bool fresh = !handler->answered;

	rt_log_line(RT_LOG_ERROR, pool->function->name, NULL, "handler %d %s",
		(int)handler->process.pid, reason);
	handler_stop(handler);
	handler->done = NULL;
	if (outcome == POOL_CRASHED && fresh)
		back_off(pool);
	metric_add(outcome == POOL_TIMED_OUT ? pool->timeouts : pool->crashes, 1);
	if (done != NULL)
		done(handler->arg, outcome, NULL, 0);
	pump(pool);
	check_drained(pool->owner);
}

static void handler_ended(struct handler *handler)
{
	char reason[REASON_MAX];

	describe_end(reason, sizeof reason, handler->process.pid);
	handler_fail(handler, POOL_CRASHED, reason);
}

static void handler_answered(struct handler *handler, const char *answer, size_t length)
{
	struct pool *pool = handler->pool;

	evtimer_del(handler->timer);
	handler->answered = true;
	pool->failures = 0;
	handler->done(handler->arg, POOL_ANSWERED, answer, length);
	handler->done = NULL;
	handler->idle_since_ms = rt_monotonic_ms();
	pump(pool);
	check_drained(pool->owner);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct handler *handler = arg;
	const char *answer;
	size_t length;

	(void)fd;
	(void)what;
	switch (rt_process_read(&handler->process, &answer, &length)) {
	case RT_PROCESS_AGAIN:
		break;
	case RT_PROCESS_ANSWER:
		handler_answered(handler, answer, length);
		break;
	case RT_PROCESS_ENDED:
		handler_ended(handler);
		break;
	case RT_PROCESS_BROKEN:
		handler_fail(handler, POOL_CRASHED, "broke the protocol and was killed");
		break;
	}
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct handler *handler = arg;

	(void)fd;
	(void)what;
	if (!rt_process_flush(&handler->process))
		handler_ended(handler);
	else if (rt_process_unsent(&handler->process))
		event_add(handler->writable, NULL);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	handler_fail(arg, POOL_TIMED_OUT, "did not answer in time and was killed");
}

static bool handler_start(struct handler *handler)
{
	struct pool *pool = handler->pool;
	struct event_base *base = pool->owner->base;
	struct rt_process_spec spec = {.path = pool->function->program,
		.environment = pool->environment,
		.data_limit_bytes = handler_data_limit(pool->function)};

	if (!rt_process_start(&handler->process, &spec))
		return false;
	handler->readable = event_new(
		base, handler->process.out, EV_READ | EV_PERSIST, on_readable, handler);
	handler->writable = event_new(base, handler->process.in, EV_WRITE, on_writable, handler);
	handler->timer = evtimer_new(base, on_late, handler);
	event_add(handler->readable, NULL);
	handler->answered = false;
	handler->generation = pool->generation;
	metric_add(pool->starts, 1);
	metric_add(pool->running, 1);
	return true;
}

/* A program replaced on disk makes a new generation. One that is gone leaves the running handlers
 * in service. */
static void look_at_program(struct pool *pool)
{
	struct stat now;

	if (stat(pool->function->program, &now) != 0)
		return;
	if (now.st_dev == pool->program.device && now.st_ino == pool->program.inode &&
		now.st_mtim.tv_sec == pool->program.changed.tv_sec &&
		now.st_mtim.tv_nsec == pool->program.changed.tv_nsec)
		return;
	pool->program = (struct identity){
		.device = now.st_dev, .inode = now.st_ino, .changed = now.st_mtim};
	pool->generation++;
	pool->failures = 0;
	pool->not_before_ms = 0;
}

/* Running, doing nothing and of the present program; what is outdated is ended on the way. */
static struct handler *idle_handler(struct pool *pool)
{
	struct handler *idle = NULL;

	for (struct handler *h = pool->handlers; h < pool->handlers + POOL_HANDLERS_MAX; h++) {
		if (h->process.pid == 0 || h->process.busy || h->done != NULL)
			continue;
		if (h->generation != pool->generation)
			handler_stop(h);
		else if (idle == NULL)
			idle = h;
	}
	return idle;
}

static struct handler *free_place(struct pool *pool)
{
	for (struct handler *h = pool->handlers; h < pool->handlers + POOL_HANDLERS_MAX; h++)
		if (h->process.pid == 0 && h->done == NULL)
			return h;
	return NULL;
}

/* False when the handler is gone and the event has not begun. */
static bool give(
	struct handler *handler, const char *event, size_t length, pool_done done, void *arg)
{
	int allowed_ms = handler->pool->function->timeout_ms + KILL_GRACE_MS;
	struct timeval allowed = {allowed_ms / 1000, allowed_ms % 1000 * 1000};

	if (!rt_process_send(&handler->process, event, length)) {
		if (!handler->answered)
			back_off(handler->pool);
		handler_stop(handler);
		return false;
	}
	if (rt_process_unsent(&handler->process))
		event_add(handler->writable, NULL);
	event_add(handler->timer, &allowed);
	handler->done = done;
	handler->arg = arg;
	return true;
}

/* Starts a handler where there is a place and the program has not just failed. *failed: there was,
 * and it could not be started. */
static struct handler *grow(struct pool *pool, bool *failed)
{
	struct handler *place = free_place(pool);
	int64_t wait_ms = pool->not_before_ms - rt_monotonic_ms();
	struct timeval wait = {wait_ms / 1000, wait_ms % 1000 * 1000};

	*failed = false;
	if (place == NULL)
		return NULL;
	if (wait_ms > 0) {
		event_add(pool->retry, &wait);
		return NULL;
	}
	*failed = !handler_start(place);
	return *failed ? NULL : place;
}

static void fail_first(struct pool *pool)
{
	rt_log_line(RT_LOG_ERROR, pool->function->name, NULL, "%s cannot be started: %m",
		pool->function->program);
	back_off(pool);
	metric_add(pool->crashes, 1);
	tell_later(pool->owner, queue_pop(&pool->queue), POOL_CRASHED);
}

/* Gives waiting events to handlers as long as there are both. */
static void pump(struct pool *pool)
{
	while (pool->queue.count > 0) {
		struct waiting *first = pool->queue.first;
		struct handler *handler;
		bool failed = false;

		look_at_program(pool);
		handler = idle_handler(pool);
		if (handler == NULL)
			handler = grow(pool, &failed);
		if (failed)
			fail_first(pool);
		else if (handler == NULL)
			break;
		else if (give(handler, first->event, first->length, first->done, first->arg))
			free(queue_pop(&pool->queue));
	}
	metric_set(pool->queued, pool->queue.count);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	pump(arg);
}

static void expire_waiting(struct pool *pool, int64_t now_ms)
{
	while (pool->queue.count > 0 && now_ms - pool->queue.first->since_ms > WAIT_MS) {
		metric_add(pool->refused, 1);
		tell_later(pool->owner, queue_pop(&pool->queue), POOL_BUSY);
	}
}

/* All but the first end after a while without work. */
static void shrink(struct pool *pool, int64_t now_ms)
{
	for (struct handler *h = pool->handlers + 1; h < pool->handlers + POOL_HANDLERS_MAX; h++)
		if (h->process.pid != 0 && h->done == NULL &&
			now_ms - h->idle_since_ms > POOL_IDLE_SECONDS * 1000)
			handler_stop(h);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct pools *pools = arg;
	int64_t now_ms = rt_monotonic_ms();

	(void)fd;
	(void)what;
	for (struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		expire_waiting(p, now_ms);
		shrink(p, now_ms);
	}
}

static void pool_init(
	struct pool *pool, struct pools *owner, const struct manifest_function *function)
{
	char labels[LABELS_MAX];

	snprintf(labels, sizeof labels, "function=\"%s\"", function->name);
	pool->owner = owner;
	pool->function = function;
	pool->environment = handler_env_new(function);
	pool->retry = evtimer_new(owner->base, on_retry, pool);
	pool->starts = metric_counter(
		"eds_handler_starts_total", "Handler processes started.", labels);
	pool->crashes = metric_counter(
		"eds_handler_crashes_total", "Handlers that ended, or broke the protocol.", labels);
	pool->timeouts = metric_counter(
		"eds_handler_timeouts_total", "Handlers killed past their time-out.", labels);
	pool->refused = metric_counter(
		"eds_pool_refused_total", "Events refused as all handlers were busy.", labels);
	pool->running = metric_gauge("eds_handlers", "Handler processes now.", labels);
	pool->queued = metric_gauge("eds_pool_queue", "Events waiting for a handler.", labels);
	queue_init(&pool->queue);
	for (size_t i = 0; i < POOL_HANDLERS_MAX; i++)
		pool->handlers[i].pool = pool;
}

struct pools *pools_new(struct event_base *base, const struct manifest *manifest)
{
	struct pools *pools = calloc(1, sizeof *pools);
	struct timeval second = {1, 0};

	if (pools == NULL) {
		fputs("runner: out of memory\n", stderr);
		exit(RT_EXIT_MEMORY);
	}
	pools->base = base;
	queue_init(&pools->outcomes);
	pools->tell = event_new(base, -1, 0, on_tell, pools);
	pools->tick = event_new(base, -1, EV_PERSIST, on_tick, pools);
	event_add(pools->tick, &second);
	for (size_t i = 0; i < manifest->count; i++)
		pool_init(&pools->items[i], pools, &manifest->functions[i]);
	pools->count = manifest->count;
	return pools;
}

static struct pool *find_pool(struct pools *pools, const struct manifest_function *function)
{
	struct pool *pool = pools->items;

	while (pool->function != function)
		pool++;
	return pool;
}

void pools_submit(struct pools *pools, const struct manifest_function *function, const char *event,
	size_t length, pool_done done, void *arg)
{
	struct pool *pool = find_pool(pools, function);
	struct handler *idle = NULL;

	if (pools->draining || pool->queue.count >= POOL_QUEUE_MAX) {
		metric_add(pool->refused, 1);
		tell_later(pools, waiting_new(NULL, 0, done, arg), POOL_BUSY);
		return;
	}
	if (pool->queue.count == 0) {
		look_at_program(pool);
		idle = idle_handler(pool);
	}
	if (idle != NULL && give(idle, event, length, done, arg))
		return;
	queue_push(&pool->queue, waiting_new(event, length, done, arg));
	pump(pool);
}

void pools_drain(struct pools *pools, void (*drained)(void *arg), void *arg)
{
	pools->draining = true;
	pools->drained = drained;
	pools->drained_arg = arg;
	event_active(pools->tell, EV_TIMEOUT, 0);
}

static void queue_free(struct queue *queue)
{
	while (queue->count > 0)
		free(queue_pop(queue));
}

void pools_free(struct pools *pools)
{
	for (struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		for (size_t i = 0; i < POOL_HANDLERS_MAX; i++)
			handler_stop(&p->handlers[i]);
		queue_free(&p->queue);
		event_free(p->retry);
		handler_env_free(p->environment);
	}
	queue_free(&pools->outcomes);
	event_free(pools->tell);
	event_free(pools->tick);
	free(pools);
}
