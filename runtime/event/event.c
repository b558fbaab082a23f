#include "runtime/event/event.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <string.h>

const char *rt_event_request_id(struct rt_ctx *ctx, const json_t *event)
{
	const json_t *record = json_array_get(json_object_get(event, "Records"), 0);
	const json_t *mail = json_object_get(json_object_get(record, "ses"), "mail");
	const char *id = rt_json_string(event, "id");

	if (id == NULL)
		id = rt_json_string(mail, "messageId");
	if (id == NULL)
		id = rt_json_string(record, "messageId");
	return id != NULL && id[0] != '\0' ? id : rt_uuid(ctx);
}

rt_status rt_event_schedule(
	struct rt_ctx *ctx, const json_t *event, struct rt_schedule_event *schedule)
{
	const char *source = rt_json_string(event, "source");
	const char *time = rt_json_string(event, "time");

	memset(schedule, 0, sizeof *schedule);
	if (source == NULL ||
		(strcmp(source, "aws.events") != 0 && strcmp(source, "aws.scheduler") != 0))
		return rt_fail(ctx, RT_BAD_INPUT, "event-invalid",
			"the event is not a Scheduled Event: source is neither aws.events nor "
			"aws.scheduler");
	if (time == NULL || !rt_time_parse(time, &schedule->time_ms))
		return rt_fail(ctx, RT_BAD_INPUT, "event-invalid",
			"the event is not a Scheduled Event: time is missing or is not a time");
	schedule->id = rt_json_string(event, "id");
	if (schedule->id == NULL)
		schedule->id = ctx->request_id;
	return RT_OK;
}
