/* The places that the handlers of all functions share. */
#ifndef HOST_POOL_ROOM_H
#define HOST_POOL_ROOM_H

#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool.h"

bool pool_has_handler(const struct pool *pool);

/* Whether one more handler may be started, after one that does nothing was ended if need be. */
bool pool_has_room(struct pool *pool);

/* Gives those a handler first that have none, for want of a place among all. */
void pools_feed_starved(struct pools *pools);

/* At most so many handlers of all functions together; 0 for no bound. A function that needs a place
 * then takes that of a handler that does nothing, or waits for one. */
void pools_bound_all(struct pools *pools, size_t handlers);

#endif
