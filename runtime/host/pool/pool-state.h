/* Functions of pool.c that the other files of the pool call. Internal to the pool. */
#ifndef HOST_POOL_STATE_H
#define HOST_POOL_STATE_H

#include "runtime/host/pool/pool-handler.h"

/* Gives waiting events to idle or new handlers, and then into pipes of busy ones (pool-ahead.h). */
void pool_pump(struct pool *pool);

/* Gives the next waiting event to a handler that has just answered, so that the handler works while
 * its answer, which is in separate memory, is passed on. False when the handler becomes idle. */
bool pool_go_on(struct pool_handler *handler);

/* Reports the counts that came with an answer of the pool, in the form of process-lines.h. */
void pools_counted(const struct pool *pool, const char *counts);

#endif
