/* Stores the outcomes that must not be reported before the event loop runs again, and reports them
 * then. When the pools are freed, reports an outcome of each event that is left. Internal to the
 * pool. */
#ifndef HOST_POOL_OUTCOMES_H
#define HOST_POOL_OUTCOMES_H

#include "runtime/host/pool/pool-handler.h"

/* Calls the drained callback when no event is left. */
void pools_check_drained(struct pools *pools);

/* Stores the outcome of an event until the loop calls pools_tell(), so that it is not reported from
 * within pools_submit(). */
void pools_tell_later(struct pools *pools, struct pool_waiting *waiting, enum pool_outcome outcome);
void pools_tell(struct pools *pools);

/* Ends all events: reports an outcome for each, so that the callers can free their data. */
void pools_abandon(struct pools *pools);

#endif
