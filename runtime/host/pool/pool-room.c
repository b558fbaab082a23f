#include "runtime/host/pool/pool-room.h"
#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-state.h"

void pools_bound_all(struct pools *pools, size_t handlers)
{
	pools->running_max = handlers;
}

/* Ends the handler that has been idle longest, whatever its function is; false when no handler is
 * idle. */
static bool end_idle(struct pools *pools)
{
	struct pool_handler *idle = NULL;

	for (struct pool *p = pools->items; p < pools->items + pools->count; p++)
		for (struct pool_handler *h = p->handlers; h < p->handlers + MANIFEST_HANDLERS_MAX;
			h++)
			if (h->process.pid != 0 && h->done == NULL &&
				(idle == NULL || h->idle_since_ms < idle->idle_since_ms))
				idle = h;
	if (idle != NULL)
		pool_handler_stop(idle);
	return idle != NULL;
}

size_t pool_places(const struct pool *pool)
{
	size_t bound = pool->owner->handlers_max;
	size_t own = (size_t)pool->function->handlers;

	return own < bound ? own : bound;
}

bool pool_has_handler(const struct pool *pool)
{
	const struct pool_handler *end = pool->handlers + pool_places(pool);

	for (const struct pool_handler *h = pool->handlers; h < end; h++)
		if (h->process.pid != 0)
			return true;
	return false;
}

bool pool_has_room(struct pool *pool)
{
	struct pools *pools = pool->owner;

	if (pools->running_max == 0 || pools->running < pools->running_max || end_idle(pools))
		return true;
	pools->starved = pools->starved || !pool_has_handler(pool);
	return false;
}

void pools_feed_starved(struct pools *pools)
{
	if (!pools->starved)
		return;
	pools->starved = false;
	for (struct pool *p = pools->items; p < pools->items + pools->count; p++)
		if (p->turns.count > 0 && !pool_has_handler(p))
			pool_pump(p);
}
