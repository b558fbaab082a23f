#include "runtime/host/gateway/event-cloudevent.h"

#include <string.h>

#include "runtime/event/event.h"
#include "runtime/host/json-write.h"

void event_line_write(struct rt_buffer *out, const char *event, size_t length)
{
	char *at = rt_buffer_room(out, length);

	if (at == NULL)
		return;
	for (size_t i = 0; i < length; i++)
		at[i] = (char)(event[i] == '\n' || event[i] == '\r' ? ' ' : event[i]);
	rt_buffer_used(out, length);
}

static size_t skip_white(const char *text, size_t length, size_t at)
{
	while (at < length && memchr(" \t\r\n", text[at], 4) != NULL)
		at++;
	return at;
}

size_t event_member_write(struct rt_buffer *out, const char *event, size_t length, const char *name,
	const char *value)
{
	size_t at = skip_white(event, length, 0);

	if (at == length || event[at] != '{')
		return 0;
	at = skip_white(event, length, at + 1);
	rt_buffer_text(out, "{\"");
	rt_buffer_text(out, name);
	rt_buffer_text(out, "\":");
	json_write_text(out, value);
	rt_buffer_text(out, at < length && event[at] == '}' ? "" : ",");
	return at;
}

static struct http_span field(const struct http_head *head, const char *name)
{
	for (size_t i = 0; i < head->field_count; i++)
		if (http_span_is(&head->fields[i].name, name))
			return head->fields[i].value;
	return (struct http_span){.text = ""};
}

static void write_member(struct rt_buffer *out, const char *before, struct http_span value)
{
	rt_buffer_text(out, before);
	json_write_string(out, value.text, value.length);
}

static void write_scheduled(struct rt_buffer *out, const struct http_request *request)
{
	const struct http_head *head = request->head;

	rt_buffer_text(out,
		"{\"version\":\"0\",\"detail-type\":\"Scheduled "
		"Event\",\"source\":\"aws.events\",\"account\":\"000000000000\",\"region\":\"local\",\"detail\":{}");
	write_member(out, ",\"id\":", field(head, "ce-id"));
	write_member(out, ",\"time\":", field(head, "ce-time"));
	write_member(out, ",\"resources\":[", field(head, "ce-source"));
	rt_buffer_text(out, "]");
	if (request->traceparent != NULL)
		write_member(out, ",\"" RT_TRACEPARENT "\":",
			(struct http_span){request->traceparent, strlen(request->traceparent)});
	rt_buffer_text(out, "}");
}

/* True if the head has the attributes that CloudEvents 1.0 section 3.1.1 requires. */
static bool is_cloudevent(const struct http_head *head)
{
	struct http_span version = field(head, "ce-specversion");

	return http_span_is(&version, "1.0") && field(head, "ce-id").length > 0 &&
		field(head, "ce-source").length > 0 && field(head, "ce-type").length > 0;
}

/* Writes the mail notification with the trace added. */
static void write_mail(struct rt_buffer *out, const struct http_request *request)
{
	size_t head = 0;

	if (request->traceparent != NULL)
		head = event_member_write(out, request->body, request->body_length, RT_TRACEPARENT,
			request->traceparent);
	event_line_write(out, request->body + head, request->body_length - head);
}

bool event_cloudevent_write(
	struct rt_buffer *out, const struct http_request *request, bool scheduled)
{
	if (!is_cloudevent(request->head))
		return false;
	if (scheduled && field(request->head, "ce-time").length > 0)
		write_scheduled(out, request);
	else if (!scheduled && request->body_length > 0)
		write_mail(out, request);
	else
		return false;
	return !out->overflow;
}
