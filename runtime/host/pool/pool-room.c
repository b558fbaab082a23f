#include "runtime/host/pool/pool-room.h"
#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-state.h"

void pools_bound_all(struct pools *pools, size_t handlers)
{
	pools->running_max = handlers;
}

/* Ends the handler, of all functions, that has been idle longest; false when none is idle. */
static bool end_idle(struct pools *pools)
{
	struct pool_handler *idle = NULL;

	for (struct pool *p = pools->items; p < pools->items + pools->count; p++)
		for (struct pool_handler *h = p->handlers; h < p->handlers + MANIFEST_HANDLERS_MAX;
			h++)
			if (h->process.pid != 0 && !h->process.busy && h->done == NULL &&
				(idle == NULL || h->idle_since_ms < idle->idle_since_ms))
				idle = h;
	if (idle != NULL)
		pool_handler_stop(idle);
	return idle != NULL;
}

bool pool_has_handler(const struct pool *pool)
{
	for (size_t i = 0; i < MANIFEST_HANDLERS_MAX; i++)
		if (pool->handlers[i].process.pid != 0)
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
