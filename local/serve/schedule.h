/* The clock: sends EventBridge "Scheduled Event"s to functions whose manifest entry has a schedule.
 *
 * rate(N minutes|hours|days) is due at every multiple of its period since the epoch, so that a
 * restart neither repeats nor puts off a run; cron(…) as local/serve/cron.h says. A run still going
 * is not started a second time; a failed one is repeated twice.
 */
#ifndef RUNNER_SCHEDULE_H
#define RUNNER_SCHEDULE_H

#include <event2/event.h>

#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

struct schedule;

/* NULL, with the reason logged, when an expression is not understood. */
struct schedule *schedule_start(
	struct event_base *base, struct pools *pools, const struct manifest *manifest);

/* Nothing more is sent. Runs under way in the pools may still end; call it before the pools are
 * drained, and schedule_free after. */
void schedule_stop(struct schedule *schedule);
void schedule_free(struct schedule *schedule);

#endif
