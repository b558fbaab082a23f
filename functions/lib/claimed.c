#include "functions/lib/claimed.h"

void *eds_claimed_take(struct eds_claimed_pool *pool)
{
	struct eds_claimed *claimed = pool->free;

	if (claimed != NULL) {
		pool->free = claimed->next_free;
		return claimed;
	}
	claimed = rt_alloc(pool->ctx, pool->bytes);
	claimed->pool = pool;
	claimed->ctx = rt_ctx_apart(pool->ctx);
	return claimed;
}

void eds_claimed_give_back(struct eds_claimed *claimed)
{
	rt_arena_reset(claimed->ctx.arena);
	claimed->next_free = claimed->pool->free;
	claimed->pool->free = claimed;
}

void eds_claimed_written(struct eds_claimed *claimed)
{
	if (--claimed->unwritten == 0)
		eds_claimed_give_back(claimed);
}
