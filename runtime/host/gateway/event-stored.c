#include "runtime/host/gateway/event-stored.h"

#include "runtime/text/clock-text.h"
#include "runtime/time.h"

void event_stored_write(struct rt_buffer *event, const char *message_id)
{
	static struct rt_clock_text clock = {.format = "%Y-%m-%dT%H:%M:%SZ"};

	rt_buffer_clear(event);
	rt_buffer_text(event,
		"{\"Records\":[{\"eventVersion\":\"2.1\",\"eventSource\":"
		"\"aws:s3\",\"eventName\":\"ObjectCreated:Put\","
		"\"eventTime\":\"");
	rt_buffer_text(event, rt_clock_text(&clock, (time_t)(rt_wall_ms() / 1000)));
	rt_buffer_text(event, "\",\"s3\":{\"object\":{\"key\":\"");
	rt_buffer_text(event, message_id);
	rt_buffer_text(event, "\"}}}]}");
}
