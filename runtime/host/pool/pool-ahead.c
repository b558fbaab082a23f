#include "runtime/host/pool/pool-ahead.h"

#include "runtime/host/pool/pool-program.h"
#include "runtime/host/pool/pool-room.h"

enum {
	MEAN_OF = 16, /* the latest answer has a weight of 1 / MEAN_OF in the mean */
};

void pool_ahead_note(struct pool *pool, int64_t us)
{
	pool->answer_us += (us - pool->answer_us) / MEAN_OF;
}

/* True if events may wait in pipes. False while a function waits for its first handler because the
 * maximum number of handlers is running: only an idle handler can be ended to make room. */
static bool may_fill(const struct pool *pool)
{
	return pool->turns.count > 0 && pool->answer_us <= POOL_QUICK_US &&
		pool->owner->carrier->has_room != NULL && !pool->owner->starved &&
		!pool_turns_leave_out(&pool->turns);
}

static bool takes_more(const struct pool_handler *handler)
{
	return handler->done != NULL && handler->sender != NULL && !handler->stalled &&
		handler->generation == handler->pool->generation &&
		pool_turns_may_follow(handler->sender) &&
		handler->pool->owner->carrier->has_room(handler);
}

/* The handler with the fewest events in its pipe, among those that can take a waiting event; NULL
 * for none. */
static struct pool_handler *shortest_pipe(struct pool *pool)
{
	struct pool_handler *end = pool->handlers + pool_places(pool);
	struct pool_handler *shortest = NULL;

	for (struct pool_handler *h = pool->handlers; h < end; h++)
		if ((shortest == NULL || h->behind.count < shortest->behind.count) && takes_more(h))
			shortest = h;
	return shortest;
}

/* Adds the sender's next waiting event to the handler's pipe. False when out of memory. */
static bool add_behind(struct pool_handler *handler)
{
	struct pool_turns *turns = &handler->pool->turns;
	struct pool_waiting *next = pool_turns_follow(turns, handler->sender);
	struct pool_queue back;

	if (handler->pool->owner->carrier->follow(handler, &next->event)) {
		pool_queue_push(&handler->behind, next);
		pool_handler_set_timer(handler);
		return true;
	}
	pool_queue_init(&back);
	pool_queue_push(&back, next);
	pool_turns_put_back(turns, handler->sender, &back);
	return false;
}

void pool_ahead_fill(struct pool *pool)
{
	struct pool_handler *handler;

	if (!may_fill(pool))
		return;
	pool_look_at_program(pool);
	while (pool->turns.count > 0 && (handler = shortest_pipe(pool)) != NULL)
		if (!add_behind(handler))
			break;
}

/* Moves the events of the pipe back to the queue, except the first `count` events. The current
 * event always stays. */
static void give_back(struct pool_handler *handler, size_t count)
{
	struct pool_queue begun;

	pool_queue_init(&begun);
	for (; count > 1; count--)
		pool_queue_push(&begun, pool_queue_pop(&handler->behind));
	pool_turns_put_back(&handler->pool->turns, handler->sender, &handler->behind);
	pool_queue_put_front(&handler->behind, &begun);
}

void pool_ahead_take_back(struct pool_handler *handler)
{
	if (handler->behind.count > 0)
		give_back(handler, handler->pool->owner->carrier->take_back(handler, false));
}

/* Puts the current event at the front of the queue. */
static void give_first_back(struct pool_handler *handler)
{
	struct pool_event event = {.done = handler->done,
		.arg = handler->arg,
		.began_us = handler->began_us,
		.recent = handler->recent};
	struct pool_waiting *waiting;
	struct pool_queue back;

	handler->pool->owner->carrier->first(handler, &event);
	waiting = pool_waiting_new(&event);
	waiting->sender = handler->sender;
	waiting->since_ms = handler->began_us / 1000;
	pool_queue_init(&back);
	pool_queue_push(&back, waiting);
	pool_turns_put_back(&handler->pool->turns, handler->sender, &back);
}

bool pool_ahead_end(struct pool_handler *handler, enum pool_outcome outcome)
{
	const struct pool_carrier *carrier = handler->pool->owner->carrier;
	size_t count;

	if (handler->done == NULL || carrier->take_back == NULL)
		return false;
	count = carrier->take_back(handler, true);
	give_back(handler, count);
	if (count > 0 || outcome != POOL_CRASHED || handler->again)
		return false;
	give_first_back(handler);
	return true;
}
