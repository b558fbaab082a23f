#include "runtime/host/pool/pool-outcomes.h"

#include <stdlib.h>

#include "runtime/host/gateway/recent.h"

void pools_tell_later(struct pools *pools, struct pool_waiting *waiting, enum pool_outcome outcome)
{
	waiting->outcome = outcome;
	if (pools->recent != NULL)
		recent_end(pools->recent, waiting->event.recent, outcome, NULL, 0);
	pool_queue_push(&pools->outcomes, waiting);
	event_active(pools->tell, EV_TIMEOUT, 0);
}

static bool is_quiet(const struct pools *pools)
{
	if (pools->outcomes.count > 0)
		return false;
	for (const struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		if (p->turns.count > 0)
			return false;
		for (size_t i = 0; i < MANIFEST_HANDLERS_MAX; i++)
			if (p->handlers[i].done != NULL)
				return false;
	}
	return true;
}

void pools_check_drained(struct pools *pools)
{
	void (*drained)(void *arg) = pools->drained;

	if (!pools->draining || drained == NULL || !is_quiet(pools))
		return;
	pools->drained = NULL;
	drained(pools->drained_arg);
}

static void tell_first(struct pools *pools)
{
	struct pool_waiting *waiting = pool_queue_pop(&pools->outcomes);

	waiting->event.done(waiting->event.arg, waiting->outcome, NULL, 0);
	free(waiting);
}

void pools_tell(struct pools *pools)
{
	for (size_t count = pools->outcomes.count; count > 0; count--)
		tell_first(pools);
	pools_check_drained(pools);
}

void pools_abandon(struct pools *pools)
{
	pools->draining = true;
	pools->recent = NULL;
	for (struct pool *p = pools->items; p < pools->items + pools->count; p++) {
		for (size_t i = 0; i < MANIFEST_HANDLERS_MAX; i++)
			pool_handler_abandon(&p->handlers[i]);
		for (struct pool_waiting *w; (w = pool_turns_any(&p->turns)) != NULL;)
			pools_tell_later(pools, w, POOL_BUSY);
	}
	while (pools->outcomes.count > 0)
		tell_first(pools);
}
