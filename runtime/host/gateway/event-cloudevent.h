/* Turns a CloudEvent that arrived over HTTP in binary mode into a function's event:
 *
 *     POST / HTTP/1.1
 *     ce-specversion: 1.0
 *     ce-type: dev.knative.sources.ping
 *     ce-source: /apis/v1/namespaces/eds/pingsources/expire
 *     ce-id: 536808d3-88be-4077-9d7a-a3f162705f79
 *     ce-time: 2026-11-20T12:00:00Z
 *
 * A function with a schedule gets a Scheduled Event with this id and time, whatever the data is; a
 * mail function gets the data, which is a receipt notification. Both get the request's trace as
 * "traceparent".
 */
#ifndef HOST_EVENT_CLOUDEVENT_H
#define HOST_EVENT_CLOUDEVENT_H

#include "runtime/host/http/http.h"

enum {
	EVENT_CLOUDEVENT_BYTES_MAX = HTTP_BODY_BYTES_MAX + 8 * HTTP_HEAD_BYTES_MAX,
};

/* Writes the event. False when the request is not a CloudEvent 1.0, or when it lacks ce-time (for a
 * schedule) or data (for mail), or when the event does not fit into the buffer. */
bool event_cloudevent_write(
	struct rt_buffer *out, const struct http_request *request, bool scheduled);

/* Writes the start of an event that is given as JSON text, and adds the member `name` before its
 * other members. Returns an offset in `event`: the caller must write the rest of the event from
 * there on. Returns 0 and writes nothing when the text is not an object. */
size_t event_member_write(struct rt_buffer *out, const char *event, size_t length, const char *name,
	const char *value);

/* Appends an event given as JSON text, on one line: line ends become spaces. That is safe, because
 * line ends outside of strings are white space, and JSON does not allow line ends inside
 * strings. */
void event_line_write(struct rt_buffer *out, const char *event, size_t length);

#endif
