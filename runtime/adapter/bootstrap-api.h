/* A blocking client of the Lambda Runtime API. It keeps its connection open between requests.
 *
 *     GET  /2018-06-01/runtime/invocation/next              waits for an event, even for hours
 *     POST /2018-06-01/runtime/invocation/ID/response       202
 *     POST /2018-06-01/runtime/invocation/ID/error          202
 *     POST /2018-06-01/runtime/init/error                   202
 *
 * SIGTERM is blocked except while the client waits for an event, and during bootstrap_api_pause().
 */
#ifndef RT_BOOTSTRAP_API_H
#define RT_BOOTSTRAP_API_H

#include <http_parser.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>

#include "runtime/buffer.h"
#include "runtime/host/http/http-head.h"

enum {
	BOOTSTRAP_ID_MAX = 128,
	BOOTSTRAP_TRACE_MAX = 512,
	BOOTSTRAP_ADDRESS_MAX = 64,
};

/* Results that are returned in place of an HTTP status. */
enum {
	BOOTSTRAP_API_LOST = 0,     /* no connection, or no valid HTTP answer */
	BOOTSTRAP_API_STOPPED = -1, /* SIGTERM arrived */
};

struct bootstrap_event {
	char id[BOOTSTRAP_ID_MAX];
	char trace[BOOTSTRAP_TRACE_MAX]; /* trace id of the event; "" for none */
	int64_t deadline_ms;             /* deadline of the event, epoch ms; 0 when not given */
	struct rt_buffer body; /* the event; its overflow says that the event was too large */
};

struct bootstrap_api {
	char address[BOOTSTRAP_ADDRESS_MAX]; /* address of the API: "127.0.0.1:9001" */
	struct sockaddr_storage peer;
	socklen_t peer_length;
	int fd;           /* descriptor of the connection; -1 while there is none */
	sigset_t waiting; /* signal mask while waiting; it does not block SIGTERM */
	struct rt_buffer received;
	/* The following members are the state of the answer that is being read. */
	http_parser parser;
	struct http_span name; /* name of the current header field */
	bool in_body;
	bool complete;
	struct bootstrap_event *event;
};

/* Blocks SIGTERM. False when the address is invalid. */
bool bootstrap_api_init(struct bootstrap_api *api, const char *address);
void bootstrap_api_done(struct bootstrap_api *api);

/* Waits for an event. Returns the HTTP status, BOOTSTRAP_API_LOST or BOOTSTRAP_API_STOPPED. When
 * the result is 200, *event is complete. */
int bootstrap_api_next(struct bootstrap_api *api, struct bootstrap_event *event);

/* Posts the body. Returns the HTTP status or BOOTSTRAP_API_LOST. path: the part of the path after
 * runtime/. error_type: NULL, or "Category.Reason". */
int bootstrap_api_post(struct bootstrap_api *api, const char *path, const char *error_type,
	const char *body, size_t length);

/* Sleeps until the pause is over or SIGTERM arrives; false if SIGTERM has arrived, now or earlier.
 */
bool bootstrap_api_pause(struct bootstrap_api *api, int pause_ms);

#endif
