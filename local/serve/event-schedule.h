/* Writes the event that EventBridge sends for a schedule ("Scheduled Event"). */
#ifndef RUNNER_EVENT_SCHEDULE_H
#define RUNNER_EVENT_SCHEDULE_H

#include "runtime/buffer.h"
#include "runtime/ctx.h"

enum {
	EVENT_SCHEDULE_BYTES_MAX = 4096,
};

/* Appends the event to out, as one line without its line end. due: seconds since the epoch. */
void event_schedule_write(
	struct rt_ctx *ctx, struct rt_buffer *out, const char *function, int64_t due);

#endif
