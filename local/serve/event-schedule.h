/* Writes the EventBridge "Scheduled Event". */
#ifndef RUNNER_EVENT_SCHEDULE_H
#define RUNNER_EVENT_SCHEDULE_H

#include "runtime/ctx.h"
#include "runtime/host/bytes.h"

enum {
	EVENT_SCHEDULE_BYTES_MAX = 4096,
};

/* Appends the event to out, as one line without its line end. due: seconds since the epoch. */
void event_schedule_write(struct rt_ctx *ctx, struct bytes *out, const char *function, int64_t due);

#endif
