/* Sends EventBridge "Scheduled Event"s to the functions whose manifest entry has a schedule.
 *
 * rate(N minutes|hours|days) is due at every multiple of its period since the epoch, so that a
 * restart neither repeats nor delays a run; for cron(…) see local/serve/cron.h. A run does not
 * start while the previous one is still running; a failed run is repeated, twice at most.
 */
#ifndef RUNNER_SCHEDULE_H
#define RUNNER_SCHEDULE_H

#include <event2/event.h>

#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

struct schedule;

/* Starts the schedule. NULL when an expression is invalid, which is logged, or when out of memory.
 */
struct schedule *schedule_start(
	struct event_base *base, struct pools *pools, const struct manifest *manifest);

/* Sends no more events; runs in progress may finish. Must be called before the pools are drained;
 * schedule_free() must be called after they are drained. */
void schedule_stop(struct schedule *schedule);
void schedule_free(struct schedule *schedule);

#endif
