/* Outcomes that the loop reports, and the end of all events. Internal to the pool. */
#ifndef HOST_POOL_OUTCOMES_H
#define HOST_POOL_OUTCOMES_H

#include "runtime/host/pool/pool-handler.h"

/* Calls the drained callback when no work is left. */
void pools_check_drained(struct pools *pools);

/* Keeps the outcome of an event for pools_tell(), which the loop calls, so that it is not reported
 * from within the caller's call. */
void pools_tell_later(struct pools *pools, struct pool_waiting *waiting, enum pool_outcome outcome);
void pools_tell(struct pools *pools);

/* Reports an outcome for each event, so that the callers can free their data. */
void pools_abandon(struct pools *pools);

#endif
