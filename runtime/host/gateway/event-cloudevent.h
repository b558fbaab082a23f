/* The event of a CloudEvent that came over HTTP in binary mode:
 *
 *     POST / HTTP/1.1
 *     ce-specversion: 1.0
 *     ce-type: dev.knative.sources.ping
 *     ce-source: /apis/v1/namespaces/eds/pingsources/expire
 *     ce-id: 536808d3-88be-4077-9d7a-a3f162705f79
 *     ce-time: 2026-11-20T12:00:00Z
 *
 * A function of a schedule gets a Scheduled Event of that id and time, whatever the data; one of
 * mail gets the data itself, a receipt notification. Both get the request's trace as "traceparent".
 */
#ifndef HOST_EVENT_CLOUDEVENT_H
#define HOST_EVENT_CLOUDEVENT_H

#include "runtime/host/http/http.h"

enum {
	EVENT_CLOUDEVENT_BYTES_MAX = HTTP_BODY_BYTES_MAX + 8 * HTTP_HEAD_BYTES_MAX,
};

/* False when the request is no CloudEvent 1.0, lacks ce-time for a schedule, or data for mail. */
bool event_cloudevent_write(struct bytes *out, const struct http_request *request, bool scheduled);

/* Begins an event that came as JSON text, with one member more: the octets of it that are then
 * written; 0, and nothing is, when it is no object. */
size_t event_member_write(
	struct bytes *out, const char *event, size_t length, const char *name, const char *value);

/* Adds an event that came as JSON text, on one line: line ends become spaces. Between strings they
 * are mere white space, and within them JSON has none. */
void event_line_write(struct bytes *out, const char *event, size_t length);

#endif
