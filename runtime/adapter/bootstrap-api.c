#include "runtime/adapter/bootstrap-api.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/ctx.h"
#include "runtime/host/http/http-head-lines.h"
#include "runtime/host/http/http-head.h"
#include "runtime/host/listen.h"

enum {
	/* maximum time to wait until the API accepts a request, and until the next part of an
	 * answer; the wait for an event has no limit */
	ANSWER_SECONDS = 10,
	READ_BYTES = 64 * 1024,
	REQUEST_HEAD_MAX = 1024,
};

static volatile sig_atomic_t terminated;

static void on_terminate(int number)
{
	terminated = number;
}

bool bootstrap_api_init(struct bootstrap_api *api, const char *address)
{
	const struct sigaction action = {.sa_handler = on_terminate};
	sigset_t terminate;

	*api = (struct bootstrap_api){.fd = -1};
	rt_buffer_init_heap(&api->received, HTTP_HEAD_BYTES_MAX + READ_BYTES);
	sigemptyset(&terminate);
	sigaddset(&terminate, SIGTERM);
	sigaction(SIGTERM, &action, NULL);
	sigprocmask(SIG_BLOCK, &terminate, &api->waiting);
	sigdelset(&api->waiting, SIGTERM);
	snprintf(api->address, sizeof api->address, "%s", address);
	return listen_parse(api->address, &api->peer, &api->peer_length);
}

static void disconnect(struct bootstrap_api *api)
{
	if (api->fd >= 0)
		close(api->fd);
	api->fd = -1;
}

void bootstrap_api_done(struct bootstrap_api *api)
{
	disconnect(api);
	rt_buffer_done(&api->received);
}

bool bootstrap_api_pause(struct bootstrap_api *api, int pause_ms)
{
	struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000L};

	ppoll(NULL, 0, &pause, &api->waiting);
	return terminated == 0;
}

static bool connect_api(struct bootstrap_api *api)
{
	const struct timeval limit = {ANSWER_SECONDS, 0};
	int yes = 1;

	if (api->fd >= 0)
		return true;
	api->fd = socket(api->peer.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return api->fd >= 0 &&
		setsockopt(api->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
		setsockopt(api->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
		setsockopt(api->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0 &&
		connect(api->fd, (struct sockaddr *)&api->peer, api->peer_length) == 0;
}

/* Sends the whole request; false when the socket does not accept it in time. */
static bool send_request(
	struct bootstrap_api *api, const char *head, const char *body, size_t length)
{
	const struct iovec parts[2] = {{(void *)head, strlen(head)}, {(void *)body, length}};

	return writev(api->fd, parts, 2) == (ssize_t)(parts[0].iov_len + length);
}

static int on_name(http_parser *parser, const char *at, size_t length)
{
	struct bootstrap_api *api = parser->data;

	api->name = (struct http_span){.text = at, .length = length};
	return 0;
}

static int on_value(http_parser *parser, const char *at, size_t length)
{
	struct bootstrap_api *api = parser->data;
	struct bootstrap_event *event = api->event;

	if (event == NULL)
		return 0;
	if (http_span_is(&api->name, "lambda-runtime-aws-request-id"))
		snprintf(event->id, sizeof event->id, "%.*s", (int)length, at);
	else if (http_span_is(&api->name, "lambda-runtime-trace-id"))
		snprintf(event->trace, sizeof event->trace, "%.*s", (int)length, at);
	else if (http_span_is(&api->name, "lambda-runtime-deadline-ms"))
		event->deadline_ms = strtoll(at, NULL, 10); /* strtoll() stops at the line end after
							     * the value */
	return 0;
}

static int on_body(http_parser *parser, const char *at, size_t length)
{
	struct bootstrap_api *api = parser->data;

	if (api->event != NULL)
		rt_buffer_add(&api->event->body, at, length);
	return 0;
}

static int on_complete(http_parser *parser)
{
	struct bootstrap_api *api = parser->data;

	api->complete = true;
	return 0;
}

/* Parses the head when all of it was received, so that no name or value is split; parses the body
 * as it arrives. */
static bool take_received(struct bootstrap_api *api)
{
	static const http_parser_settings settings = {.on_header_field = on_name,
		.on_header_value = on_value,
		.on_body = on_body,
		.on_message_complete = on_complete};
	struct rt_buffer *received = &api->received;

	if (!api->in_body && memmem(received->bytes, received->length, "\r\n\r\n", 4) == NULL)
		return received->length <= HTTP_HEAD_BYTES_MAX;
	api->in_body = true;
	http_parser_execute(&api->parser, &settings, received->bytes, received->length);
	rt_buffer_clear(received);
	return HTTP_PARSER_ERRNO(&api->parser) == HPE_OK;
}

static int read_answer(struct bootstrap_api *api)
{
	rt_buffer_clear(&api->received);
	http_parser_init(&api->parser, HTTP_RESPONSE);
	api->parser.data = api;
	api->complete = api->in_body = false;
	while (!api->complete) {
		char *room = rt_buffer_room(&api->received, READ_BYTES);
		ssize_t got = read(api->fd, room, READ_BYTES);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return BOOTSTRAP_API_LOST;
		rt_buffer_used(&api->received, (size_t)got);
		if (!take_received(api))
			return BOOTSTRAP_API_LOST;
	}
	return (int)api->parser.status_code;
}

/* Waits for the first octet of an event. Only this wait has no time limit. SIGTERM is only
 * delivered during this wait and in bootstrap_api_pause(). */
static bool wait_for_event(struct bootstrap_api *api)
{
	struct pollfd poller = {.fd = api->fd, .events = POLLIN};

	return ppoll(&poller, 1, NULL, &api->waiting) == 1;
}

static int exchange(struct bootstrap_api *api, const char *head, const char *body, size_t length)
{
	int status = BOOTSTRAP_API_LOST;

	if (connect_api(api) && send_request(api, head, body, length))
		status = api->event == NULL || wait_for_event(api) ? read_answer(api)
								   : BOOTSTRAP_API_STOPPED;
	if (status <= 0 || !http_should_keep_alive(&api->parser))
		disconnect(api);
	return status;
}

int bootstrap_api_next(struct bootstrap_api *api, struct bootstrap_event *event)
{
	char head[REQUEST_HEAD_MAX];
	int status;

	event->id[0] = event->trace[0] = '\0';
	event->deadline_ms = 0;
	rt_buffer_clear(&event->body);
	snprintf(head, sizeof head,
		"GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: %s\r\n\r\n",
		api->address);
	api->event = event;
	status = exchange(api, head, NULL, 0);
	api->event = NULL;
	return status == 200 && !http_is_token(event->id, strlen(event->id)) ? BOOTSTRAP_API_LOST
									     : status;
}

int bootstrap_api_post(struct bootstrap_api *api, const char *path, const char *error_type,
	const char *body, size_t length)
{
	char head[REQUEST_HEAD_MAX];

	snprintf(head, sizeof head,
		"POST /2018-06-01/runtime/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: "
		"application/json\r\nContent-Length: %zu\r\n%s%s%s\r\n",
		path, api->address, length,
		error_type == NULL ? "" : "Lambda-Runtime-Function-Error-Type: ",
		error_type == NULL ? "" : error_type, error_type == NULL ? "" : "\r\n");
	return exchange(api, head, body, length);
}
