/* Limits the total number of handlers of all functions. */
#ifndef HOST_POOL_ROOM_H
#define HOST_POOL_ROOM_H

#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool.h"

/* The maximum number of handlers of the pool. */
size_t pool_places(const struct pool *pool);
bool pool_has_handler(const struct pool *pool);

/* True if one more handler may be started; ends an idle one if that is necessary. */
bool pool_has_room(struct pool *pool);

/* Starts handlers for pools that have events but no handler, because the limit for all functions
 * was reached. Such pools come before pools that already have a handler. */
void pools_feed_starved(struct pools *pools);

/* Limits the number of handlers of all functions together; 0 for no limit. At the limit, a handler
 * that has to be started replaces the handler that has been idle longest, of whatever function; if
 * none is idle, the events wait. */
void pools_bound_all(struct pools *pools, size_t handlers);

#endif
