#include "local/serve/event-schedule.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include "runtime/event/trace.h"

void event_schedule_write(
	struct rt_ctx *ctx, struct rt_buffer *out, const char *function, int64_t due)
{
	char traceparent[RT_TRACEPARENT_LENGTH + 1];
	struct rt_trace trace;

	rt_trace_make(&trace);
	rt_trace_write(&trace, traceparent);
	rt_buffer_format(out,
		"{\"version\":\"0\",\"id\":\"%s\",\"detail-type\":\"Scheduled "
		"Event\",\"source\":\"aws.events\",\"account\":\"000000000000\",\"time\":\"%s\",\"region\":\"local\",\"resources\":[\"arn:aws:events:local:000000000000:rule/%s\"],\"detail\":{},\"traceparent\":\"%s\"}",
		rt_uuid(ctx), rt_time_format(ctx, due * 1000), function, traceparent);
}
