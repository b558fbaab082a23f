#include "local/serve/runtime-api.h"

#include <errno.h>
#include <http_parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/buffer.h"
#include "runtime/ctx.h"
#include "runtime/event/handler.h"
#include "runtime/host/gateway/request-id.h"
#include "runtime/host/http/http-head.h"
#include "runtime/host/listen.h"
#include "runtime/time.h"

#define PREFIX "/2018-06-01/runtime/"

enum {
	READ_BYTES = 64 * 1024,
	TARGET_BYTES_MAX = 256,
	ERROR_TYPE_MAX = 128,
	/* maximum number of octets of an answer; a longer one gets 413 */
	ANSWER_BYTES_MAX = 6291556,
	HEAD_BYTES_MAX = 1024,
	OUT_BYTES_MAX = RT_LARGE_EVENT_BYTES_MAX + HEAD_BYTES_MAX,
	CHUNKED_FROM_BYTES = 2048,
};

struct runtime_api {
	struct event_base *base;
	const char *function;
	runtime_api_done done;
	void *arg;
	int listener;
	char address[LISTEN_TEXT_MAX];
	struct event *acceptable;
	/* The current event; id is "" when there is none. */
	char id[REQUEST_ID_MAX];
	int64_t deadline_ms;
	struct rt_buffer event;
	/* The connection with the bootstrap. */
	int fd; /* descriptor; -1: no connection */
	struct event *readable;
	struct event *writable;
	bool waiting; /* GET next was received and is not answered yet */
	struct rt_buffer out;
	size_t sent;
	/* The request that is being read. */
	http_parser parser;
	struct rt_buffer target;
	struct rt_buffer name;
	bool named; /* the name of a field is complete, and its value has begun */
	struct rt_buffer error_type;
	struct rt_buffer body;
	bool complete;
};

static void disconnect(struct runtime_api *api)
{
	if (api->fd < 0)
		return;
	event_free(api->readable);
	event_free(api->writable);
	close(api->fd);
	api->fd = -1;
	api->waiting = false;
	api->sent = 0;
	rt_buffer_clear(&api->out);
	event_add(api->acceptable, NULL);
}

static void flush(struct runtime_api *api)
{
	while (api->sent < api->out.length) {
		ssize_t wrote = write(
			api->fd, api->out.bytes + api->sent, api->out.length - api->sent);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0 && errno == EAGAIN) {
			event_add(api->writable, NULL);
			return;
		}
		if (wrote < 0) {
			disconnect(api);
			return;
		}
		api->sent += (size_t)wrote;
	}
	rt_buffer_clear(&api->out);
	api->sent = 0;
}

static void say(struct runtime_api *api, const char *status, const char *body)
{
	rt_buffer_format(&api->out,
		"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
		status, strlen(body), body);
	flush(api);
}

static void add_body(struct runtime_api *api)
{
	const struct rt_buffer *event = &api->event;

	if (event->length > CHUNKED_FROM_BYTES)
		rt_buffer_format(
			&api->out, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", event->length);
	else
		rt_buffer_format(&api->out, "Content-Length: %zu\r\n\r\n", event->length);
	rt_buffer_add(&api->out, event->bytes, event->length);
	if (event->length > CHUNKED_FROM_BYTES)
		rt_buffer_text(&api->out, "\r\n0\r\n\r\n");
}

static void hand_out(struct runtime_api *api)
{
	if (!api->waiting || api->id[0] == '\0')
		return;
	api->waiting = false;
	rt_buffer_format(&api->out,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		"Lambda-Runtime-Aws-Request-Id: %s\r\nLambda-Runtime-Deadline-Ms: %lld\r\n"
		"Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:local:000000000000:"
		"function:%s\r\n",
		api->id, (long long)api->deadline_ms, api->function);
	add_body(api);
	flush(api);
}

bool runtime_api_give(
	struct runtime_api *api, const char *event, size_t length, int64_t deadline_ms)
{
	rt_buffer_clear(&api->event);
	rt_buffer_add(&api->event, event, length);
	if (api->event.overflow)
		return false;
	request_id_make(api->id, rt_wall_ms());
	api->deadline_ms = deadline_ms;
	hand_out(api);
	return true;
}

static int on_target(http_parser *parser, const char *at, size_t length)
{
	rt_buffer_add(&((struct runtime_api *)parser->data)->target, at, length);
	return 0;
}

/* Collects the name of a field; http_parser may pass names and values in pieces. */
static int on_name(http_parser *parser, const char *at, size_t length)
{
	struct runtime_api *api = parser->data;

	if (api->named)
		rt_buffer_clear(&api->name);
	api->named = false;
	rt_buffer_add(&api->name, at, length);
	return 0;
}

static int on_value(http_parser *parser, const char *at, size_t length)
{
	struct runtime_api *api = parser->data;
	const struct http_span name = {.text = api->name.bytes, .length = api->name.length};

	api->named = true;
	if (http_span_is(&name, "lambda-runtime-function-error-type"))
		rt_buffer_add(&api->error_type, at, length);
	return 0;
}

static int on_body(http_parser *parser, const char *at, size_t length)
{
	rt_buffer_add(&((struct runtime_api *)parser->data)->body, at, length);
	return 0;
}

static int on_complete(http_parser *parser)
{
	((struct runtime_api *)parser->data)->complete = true;
	http_parser_pause(parser, 1); /* the next request must wait for this answer */
	return 0;
}

static void begin_request(struct runtime_api *api)
{
	http_parser_init(&api->parser, HTTP_REQUEST);
	api->parser.data = api;
	api->complete = api->named = false;
	rt_buffer_clear(&api->target);
	rt_buffer_clear(&api->name);
	rt_buffer_clear(&api->error_type);
	rt_buffer_clear(&api->body);
}

/* What follows the id of the current event in the target, such as "response" or "error"; NULL if
 * the target does not name the current event. */
static const char *outcome_kind(const struct runtime_api *api)
{
	static const char invocation[] = PREFIX "invocation/";
	const char *id = api->target.bytes + sizeof invocation - 1;
	size_t id_length = strlen(api->id);

	if (id_length == 0 || strncmp(api->target.bytes, invocation, sizeof invocation - 1) != 0 ||
		strncmp(id, api->id, id_length) != 0 || id[id_length] != '/')
		return NULL;
	return id + id_length + 1;
}

/* The text with a NUL at its end; "" if it was too long. */
static const char *whole_text(struct rt_buffer *text)
{
	if (text->overflow)
		rt_buffer_clear(text);
	rt_buffer_add(text, "", 1);
	return text->bytes;
}

static void take_outcome(struct runtime_api *api, const char *kind)
{
	bool error = strcmp(kind, "error") == 0;

	if (api->body.overflow) {
		say(api, "413 Content Too Large", "{\"errorType\":\"RequestEntityTooLarge\"}");
		return;
	}
	say(api, "202 Accepted", "{\"status\":\"OK\"}");
	api->id[0] = '\0';
	/* This call must be last: the callback may free the API or give it the next event. */
	api->done(api->arg, error ? whole_text(&api->error_type) : NULL,
		api->body.length == 0 ? "" : api->body.bytes, api->body.length);
}

static void answer_request(struct runtime_api *api)
{
	bool get = api->parser.method == HTTP_GET;
	const char *kind = outcome_kind(api);

	if (get && strcmp(api->target.bytes, PREFIX "invocation/next") == 0) {
		api->waiting = true;
		hand_out(api);
	} else if (!get && strcmp(api->target.bytes, PREFIX "init/error") == 0) {
		say(api, "202 Accepted", "{\"status\":\"OK\"}");
	} else if (!get && kind != NULL &&
		(strcmp(kind, "response") == 0 || strcmp(kind, "error") == 0)) {
		take_outcome(api, kind);
	} else {
		say(api, "403 Forbidden", "{\"errorType\":\"InvalidStateTransition\"}");
	}
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	static const http_parser_settings settings = {.on_url = on_target,
		.on_header_field = on_name,
		.on_header_value = on_value,
		.on_body = on_body,
		.on_message_complete = on_complete};
	static char bytes[READ_BYTES];
	struct runtime_api *api = arg;
	ssize_t got = read(fd, bytes, sizeof bytes);

	(void)what;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got > 0 && api->complete)
		begin_request(api);
	if (got > 0)
		http_parser_execute(&api->parser, &settings, bytes, (size_t)got);
	if (got <= 0 || (!api->complete && HTTP_PARSER_ERRNO(&api->parser) != HPE_OK)) {
		disconnect(api);
		return;
	}
	if (!api->complete)
		return;
	whole_text(&api->target);
	answer_request(api);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	flush(arg);
}

static void on_acceptable(evutil_socket_t fd, short what, void *arg)
{
	struct runtime_api *api = arg;
	struct rt_ip peer;
	int accepted = listen_accept(fd, &peer);

	(void)what;
	if (accepted < 0)
		return;
	event_del(api->acceptable);
	begin_request(api);
	api->fd = accepted;
	api->readable = event_new(api->base, accepted, EV_READ | EV_PERSIST, on_readable, api);
	api->writable = event_new(api->base, accepted, EV_WRITE, on_writable, api);
	event_add(api->readable, NULL);
}

struct runtime_api *runtime_api_new(
	struct event_base *base, const char *function, runtime_api_done done, void *arg)
{
	struct runtime_api *api = calloc(1, sizeof *api);
	char error[LISTEN_ERROR_MAX];

	if (api == NULL)
		return NULL;
	*api = (struct runtime_api){
		.base = base, .function = function, .done = done, .arg = arg, .fd = -1};
	api->listener = listen_open("127.0.0.1:0", api->address, error);
	if (api->listener < 0) {
		free(api);
		return NULL;
	}
	rt_buffer_init_heap(&api->event, RT_LARGE_EVENT_BYTES_MAX);
	rt_buffer_init_heap(&api->out, OUT_BYTES_MAX);
	rt_buffer_init_heap(&api->target, TARGET_BYTES_MAX);
	rt_buffer_init_heap(&api->name, TARGET_BYTES_MAX);
	rt_buffer_init_heap(&api->error_type, ERROR_TYPE_MAX);
	rt_buffer_init_heap(&api->body, ANSWER_BYTES_MAX);
	api->acceptable = event_new(base, api->listener, EV_READ | EV_PERSIST, on_acceptable, api);
	event_add(api->acceptable, NULL);
	return api;
}

void runtime_api_free(struct runtime_api *api)
{
	disconnect(api);
	event_free(api->acceptable);
	close(api->listener);
	rt_buffer_done(&api->event);
	rt_buffer_done(&api->out);
	rt_buffer_done(&api->target);
	rt_buffer_done(&api->name);
	rt_buffer_done(&api->error_type);
	rt_buffer_done(&api->body);
	free(api);
}

const char *runtime_api_address(const struct runtime_api *api)
{
	return api->address;
}
