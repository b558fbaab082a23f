/* What the files of a pool ask of pool.c; not for others. */
#ifndef HOST_POOL_STATE_H
#define HOST_POOL_STATE_H

#include "runtime/host/pool/pool-handler.h"

/* Gives waiting events to handlers as long as there are both. */
void pool_pump(struct pool *pool);

/* Gives the next waiting event to the handler, which has just answered: it then works while its
 * answer, which lies in memory of its own, is passed on. False when it is to do nothing. */
bool pool_go_on(struct pool_handler *handler);

/* What one of its handlers counted, as process.h has it. */
void pools_counted(const struct pool *pool, const char *counts);

/* Tells whoever drains the pools when nothing is left to do. */
void pools_check_drained(struct pools *pools);

#endif
