#include "runtime/host/pool/pool.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/arena.h"
#include "runtime/host/pool/counted.h"
#include "runtime/host/pool/handler-env.h"
#include "runtime/host/pool/pool-ahead.h"
#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-outcomes.h"
#include "runtime/host/pool/pool-program.h"
#include "runtime/host/pool/pool-room.h"
#include "runtime/host/pool/pool-state.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	WAIT_MS = 10000, /* longest wait of an event for a handler */
	LABELS_MAX = 128,
};

static void on_tell(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	pools_tell(arg);
}

static void on_turned(evutil_socket_t fd, short what, void *arg)
{
	struct pools *pools = arg;

	(void)fd;
	(void)what;
	pools->turn++;
}

/* An idle handler of the current program; NULL for none. Ends idle handlers of older programs on
 * the way. */
static struct pool_handler *idle_handler(struct pool *pool)
{
	const struct pool_handler *end = pool->handlers + pool_places(pool);
	struct pool_handler *idle = NULL;

	for (struct pool_handler *h = pool->handlers; h < end; h++) {
		if (h->process.pid == 0 || h->done != NULL)
			continue;
		if (h->generation != pool->generation)
			pool_handler_stop(h);
		else if (idle == NULL)
			idle = h;
	}
	return idle;
}

static struct pool_handler *free_place(struct pool *pool)
{
	const struct pool_handler *end = pool->handlers + pool_places(pool);

	for (struct pool_handler *h = pool->handlers; h < end; h++)
		if (h->process.pid == 0 && h->done == NULL)
			return h;
	return NULL;
}

/* Starts a handler if the pool may have one more and starts are not delayed after failures.
 * *failed: set to true if the start itself failed. */
static struct pool_handler *grow(struct pool *pool, bool *failed)
{
	struct pool_handler *place = free_place(pool);
	int64_t wait_ms = pool->not_before_ms - rt_monotonic_ms();
	struct timeval wait = {wait_ms / 1000, wait_ms % 1000 * 1000};

	*failed = false;
	if (place == NULL)
		return NULL;
	if (wait_ms > 0) {
		event_add(pool->retry, &wait);
		return NULL;
	}
	if (!pool_has_room(pool))
		return NULL;
	*failed = !pool_handler_start(place);
	return *failed ? NULL : place;
}

static void fail_first(struct pool *pool)
{
	rt_log_line(RT_LOG_ERROR, pool->function->name, NULL, "%s cannot be started: %m",
		pool->function->program);
	pool_back_off(pool);
	metric_add(pool->crashes, 1);
	pools_tell_later(pool->owner, pool_turns_any(&pool->turns), POOL_ABSENT);
}

bool pool_go_on(struct pool_handler *handler)
{
	struct pool *pool = handler->pool;
	struct pool_waiting *next = pool_turns_next(&pool->turns);

	/* If another pool waits for room to start its first handler, this handler must become idle,
	 * so that it can be ended to make room. */
	if (next == NULL || pool->owner->starved)
		return false;
	pool_look_at_program(pool);
	if (handler->generation != pool->generation || !pool_handler_offer(handler, &next->event))
		return false;
	handler->sender = pool_turns_begin(&pool->turns, next);
	free(next);
	return true;
}

void pool_pump(struct pool *pool)
{
	struct pool_waiting *next;

	while ((next = pool_turns_next(&pool->turns)) != NULL) {
		struct pool_handler *handler;
		bool failed = false;

		pool_look_at_program(pool);
		handler = idle_handler(pool);
		if (handler == NULL)
			handler = grow(pool, &failed);
		if (failed) {
			fail_first(pool);
		} else if (handler == NULL) {
			break;
		} else if (pool_handler_give(handler, &next->event)) {
			handler->sender = pool_turns_begin(&pool->turns, next);
			free(next);
		}
	}
	pool_ahead_fill(pool);
	metric_set(pool->queued, pool->turns.count);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	pool_pump(arg);
}

static void expire_waiting(struct pool *pool, int64_t now_ms)
{
	struct pool_waiting *late;

	while ((late = pool_turns_expired(&pool->turns, now_ms - WAIT_MS)) != NULL) {
		metric_add(pool->refused, 1);
		pools_tell_later(pool->owner, late, POOL_BUSY);
	}
}

/* Ends handlers that have been idle for a while, except the first one. */
static void shrink(struct pool *pool, int64_t now_ms)
{
	for (struct pool_handler *h = pool->handlers + 1;
		h < pool->handlers + MANIFEST_HANDLERS_MAX; h++)
		if (h->process.pid != 0 && h->done == NULL &&
			now_ms - h->idle_since_ms > POOL_IDLE_SECONDS * 1000)
			pool_handler_stop(h);
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
		"eds_handler_crashes_total", "Handlers that died or broke the protocol.", labels);
	pool->timeouts = metric_counter("eds_handler_timeouts_total",
		"Handlers that were killed because they exceeded their time-out.", labels);
	pool->refused = metric_counter(
		"eds_pool_refused_total", "Events refused because all handlers were busy.", labels);
	pool->running = metric_gauge("eds_handlers", "Handler processes now.", labels);
	pool->queued = metric_gauge("eds_pool_queue", "Events waiting for a handler.", labels);
	pool_turns_init(&pool->turns, (size_t)function->handlers);
	pool->answer_us = POOL_FIRST_MEAN_US;
	for (struct pool_handler *h = pool->handlers; h < pool->handlers + MANIFEST_HANDLERS_MAX;
		h++) {
		h->pool = pool;
		pool_queue_init(&h->behind);
	}
}

void pools_bound(struct pools *pools, size_t handlers, size_t queue)
{
	pools->handlers_max = handlers;
	pools->queue_max = queue;
	for (struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		size_t own = (size_t)p->function->handlers;

		p->turns.places = own < handlers ? own : handlers;
	}
}

struct pools *pools_new(struct event_base *base, const struct manifest *manifest)
{
	struct pools *pools = rt_heap_alloc(sizeof *pools);
	struct timeval second = {1, 0};

	pools->base = base;
	pools->carrier = &pool_pipes;
	pools_bound(pools, MANIFEST_HANDLERS_MAX, POOL_QUEUE_MAX);
	pool_queue_init(&pools->outcomes);
	pools->tell = event_new(base, -1, 0, on_tell, pools);
	pools->turned = event_new(base, -1, 0, on_turned, pools);
	pools->turn = 1;
	pools->tick = event_new(base, -1, EV_PERSIST, on_tick, pools);
	event_add(pools->tick, &second);
	for (size_t i = 0; i < manifest->count; i++)
		pool_init(&pools->items[i], pools, &manifest->functions[i]);
	pools->count = manifest->count;
	return pools;
}

void pools_renew_environment(struct pools *pools)
{
	for (struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		handler_env_free(p->environment);
		p->environment = handler_env_new(p->function);
	}
}

void pools_carry(struct pools *pools, const struct pool_carrier *carrier, const char *adapter,
	void *carrier_arg)
{
	pools->carrier = carrier;
	pools->adapter = adapter;
	pools->carrier_arg = carrier_arg;
}

/* The pool of the function; pools are in the order of the manifest's functions. */
static struct pool *find_pool(struct pools *pools, const struct manifest_function *function)
{
	return &pools->items[function - pools->items[0].function];
}

bool pools_is_warm(struct pools *pools, const struct manifest_function *function)
{
	return pool_has_handler(find_pool(pools, function));
}

bool pools_warm(struct pools *pools, const struct manifest_function *function)
{
	struct pool *pool = find_pool(pools, function);
	bool failed = false;

	pool_look_at_program(pool);
	if (!pools_is_warm(pools, function))
		grow(pool, &failed);
	return !failed;
}

/* Makes room in the queue, if necessary by refusing an event that waits there. False when there is
 * no room. */
static bool make_room(struct pools *pools, struct pool *pool, uint64_t sender)
{
	struct pool_waiting *other;

	if (pools->draining)
		return false;
	if (pool->turns.count < pools->queue_max)
		return true;
	other = pool_turns_give_way(&pool->turns, sender);
	if (other == NULL)
		return false;
	metric_add(pool->refused, 1);
	pools_tell_later(pools, other, POOL_BUSY);
	return true;
}

/* Gives a new event to an idle handler; false when it must wait. */
static bool begin_at_once(struct pool *pool, uint64_t sender, const struct pool_event *event)
{
	struct pool_sender *own;
	struct pool_handler *idle;

	pool_look_at_program(pool);
	idle = idle_handler(pool);
	if (idle == NULL)
		return false;
	own = pool_turns_begin_at_once(&pool->turns, sender);
	if (own == NULL)
		return false;
	if (!pool_handler_give(idle, event)) {
		pool_turns_end(&pool->turns, own);
		return false;
	}
	idle->sender = own;
	return true;
}

static void submit(struct pools *pools, const struct manifest_function *function, uint64_t sender,
	const struct pool_event *event)
{
	struct pool *pool = find_pool(pools, function);

	if (!make_room(pools, pool, sender)) {
		struct pool_event refused = {.text = "", .done = event->done, .arg = event->arg};

		metric_add(pool->refused, 1);
		pools_tell_later(pools, pool_waiting_new(&refused), POOL_BUSY);
		return;
	}
	if (pool->turns.count == 0 && begin_at_once(pool, sender, event))
		return;
	pool_turns_push(&pool->turns, sender, pool_waiting_new(event));
	pool_pump(pool);
}

void pools_submit_of(struct pools *pools, const struct manifest_function *function, uint64_t sender,
	const char *event, size_t length, pool_done done, void *arg)
{
	submit(pools, function, sender,
		&(struct pool_event){.text = event, .length = length, .done = done, .arg = arg});
}

void pools_sender_left(struct pools *pools, const struct manifest_function *function,
	uint64_t sender, const void *arg)
{
	pool_turns_sender_left(&find_pool(pools, function)->turns, sender, arg);
}

void pools_submit_request(struct pools *pools, const struct manifest_function *function,
	uint64_t sender, const char *event, size_t length, pool_done done, void *arg)
{
	submit(pools, function, sender,
		&(struct pool_event){
			.text = event, .length = length, .framed = true, .done = done, .arg = arg});
}

void pools_submit(struct pools *pools, const struct manifest_function *function, const char *event,
	size_t length, pool_done done, void *arg)
{
	pools_submit_of(pools, function, 0, event, length, done, arg);
}

void pools_keep_recent(struct pools *pools, struct recent *recent)
{
	pools->recent = recent;
}

void pools_tell_counts(struct pools *pools, pool_counted counted, void *arg)
{
	pools->counted = counted;
	pools->counted_arg = arg;
}

void pools_counted(const struct pool *pool, const char *counts)
{
	if (pool->owner->counted != NULL)
		pool->owner->counted(pool->owner->counted_arg, pool->function, counts);
	else
		counted_add(pool->function->name, counts);
}

void pools_drain(struct pools *pools, void (*drained)(void *arg), void *arg)
{
	pools->draining = true;
	pools->drained = drained;
	pools->drained_arg = arg;
	event_active(pools->tell, EV_TIMEOUT, 0);
}

void pools_free(struct pools *pools)
{
	pools_abandon(pools);
	for (struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		event_free(p->retry);
		handler_env_free(p->environment);
	}
	event_free(pools->tell);
	event_free(pools->turned);
	event_free(pools->tick);
	free(pools);
}
