/* Writes the event of an HTTP request: API Gateway payload format 2.0.
 *
 * As in the cloud, members without content (cookies, queryStringParameters, pathParameters, body)
 * are left out, names of headers are in lower case, and repeated headers and query values are
 * joined by commas. The given traceparent replaces the client's own fields traceparent and
 * tracestate. stageVariables are never set here. rawPath is as sent.
 */
#ifndef HOST_EVENT_HTTP_H
#define HOST_EVENT_HTTP_H

#include <stdint.h>

#include "runtime/buffer.h"
#include "runtime/host/gateway/router.h"
#include "runtime/host/http/http-head.h"

enum {
	/* maximum length of an event, octets; more than an escaped head and body can need */
	EVENT_HTTP_BYTES_MAX = 16 * 1024 * 1024,
	EVENT_QUERY_PARAMS_MAX = 128,
};

struct event_http {
	const struct http_head *head;
	const struct route_match *match;
	const char *body; /* body of the request; NULL or empty: none */
	size_t body_length;
	const char *peer; /* address of the connection's peer, as text */
	const char *request_id;
	const char *traceparent; /* traceparent of the event, in place of the client's field; NULL:
				  * none */
	int64_t now_ms;          /* current time, epoch ms */
};

/* Appends the event. False when the query has too many parameters or the name of one is not UTF-8
 * text. */
bool event_http_write(struct rt_buffer *out, const struct event_http *event);

#endif
