#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "runtime/adapter/bootstrap-http.h"
#include "runtime/adapter/bootstrap.h"
#include "runtime/config/config.h"
#include "runtime/ctx.h"
#include "runtime/host/gateway/event-cloudevent.h"
#include "runtime/host/gateway/gateway.h"
#include "runtime/host/http/http-host.h"
#include "runtime/host/job-answer.h"
#include "runtime/host/loop.h"
#include "runtime/host/metrics.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	WAITING_MAX = 31, /* maximum number of waiting events; further ones get 429 */
	DRAIN_LOOK_MS = 20,
	DRAIN_MAX_MS = 9500, /* the platform kills the process after 10 s */
};

struct front {
	const struct manifest_function *function;
	struct event_base *base;
	struct pools *pools;
	struct gateway *gateway;
	struct rt_buffer event;
	struct http_server *http;
	struct http_server *metrics; /* server of the metrics; NULL without EDS_METRICS_LISTEN */
	struct rt_buffer text;       /* text of the metrics */
	struct event *terminate;
	struct event *look;
	int64_t drain_by_ms; /* when this process ends at the latest, monotonic; 0 while serving */
};

static bool is_probe(const struct http_head *head)
{
	static const char path[] = "/healthz";

	return head->path.length == sizeof path - 1 &&
		memcmp(head->path.text, path, sizeof path - 1) == 0;
}

/* Answers a probe: 200 while a handler runs and this process is not stopping, else 503. Starts a
 * new handler if none runs; the next probe shows whether it keeps running. */
static void answer_probe(struct front *front, struct http_exchange *exchange)
{
	static struct access_stats stats = {.function = "none"};
	bool ready = front->drain_by_ms == 0 && pools_is_warm(front->pools, front->function);
	const char *body = ready ? "{\"status\":\"ok\"}" : "{\"status\":\"not-ready\"}";

	if (!ready && front->drain_by_ms == 0)
		pools_warm(front->pools, front->function);
	http_answer(exchange, &stats, ready ? 200 : 503, NULL, body, strlen(body));
}

static void run_cloudevent(
	struct front *front, struct http_exchange *exchange, const struct http_request *request)
{
	const struct manifest_function *function = front->function;
	struct rt_buffer *event = &front->event;

	rt_buffer_clear(event);
	if (strcmp(request->head->method, "POST") != 0)
		gateway_refuse(front->gateway, exchange, 405, "method-not-allowed",
			"CloudEvents must be sent with POST", "Allow: POST\r\n");
	else if (!event_cloudevent_write(event, request, function->schedule != NULL))
		gateway_refuse(front->gateway, exchange, 400, "event-invalid",
			"A CloudEvent 1.0 in binary mode is required, with ce-specversion, ce-id, "
			"ce-source and ce-type. A schedule also needs ce-time; mail also needs a body.",
			"");
	else
		gateway_run_job(front->gateway, exchange, function, event->bytes, event->length);
}

static void on_request(
	void *arg, struct http_exchange *exchange, const struct http_request *request)
{
	struct front *front = arg;

	if (is_probe(request->head))
		answer_probe(front, exchange);
	else if (front->function->route_count > 0)
		gateway_on_request(front->gateway, exchange, request);
	else
		run_cloudevent(front, exchange, request);
}

/* Serves the metrics on a separate port, since the port of the function is open to the Internet. */
static void on_metrics(
	void *arg, struct http_exchange *exchange, const struct http_request *request)
{
	static struct access_stats stats = {.function = "none"};
	static const char path[] = "/metrics";
	const struct http_head *head = request->head;
	struct front *front = arg;

	if (!http_host_is_ours(request)) {
		gateway_refuse_host(front->gateway, exchange);
		return;
	}
	if (head->path.length != sizeof path - 1 ||
		memcmp(head->path.text, path, sizeof path - 1) != 0) {
		gateway_refuse(front->gateway, exchange, 404, "route-not-found",
			"there is nothing at this path", "");
		return;
	}
	rt_buffer_clear(&front->text);
	metrics_write(&front->text);
	rt_buffer_clear(&front->event);
	rt_buffer_text(&front->event, "content-type: text/plain; version=0.0.4; charset=utf-8\r\n");
	http_answer(exchange, &stats, 200, &front->event, front->text.bytes, front->text.length);
}

/* Serves the metrics on EDS_METRICS_LISTEN. If the setting is empty, serves no metrics and returns
 * true. False when the server cannot be started. */
static bool serve_metrics(struct front *front)
{
	const char *address = rt_config()->metrics_listen;
	char error[LISTEN_ERROR_MAX];

	metrics_show_release();
	if (front->function->schedule != NULL)
		job_succeeded_at(front->function, rt_wall_ms());
	rt_buffer_init_heap(&front->text, METRICS_TEXT_MAX);
	if (address[0] == '\0')
		return true;
	front->metrics = http_server_new(front->base, address, on_metrics, front, error);
	if (front->metrics == NULL)
		fprintf(stderr, "bootstrap: EDS_METRICS_LISTEN: %s\n", error);
	else
		rt_log_line(RT_LOG_INFO, front->function->name, NULL, "metrics on %s",
			http_server_address(front->metrics));
	return front->metrics != NULL;
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
	struct front *front = arg;

	(void)fd;
	(void)what;
	if (http_server_connections(front->http) == 0 || rt_monotonic_ms() >= front->drain_by_ms)
		event_base_loopbreak(front->base);
}

/* Begins to stop. Each request in progress keeps its connection until it is answered. */
static void on_terminate(evutil_socket_t number, short what, void *arg)
{
	struct front *front = arg;
	struct timeval look = {0, DRAIN_LOOK_MS * 1000};

	(void)number;
	(void)what;
	front->drain_by_ms = rt_monotonic_ms() + DRAIN_MAX_MS;
	http_server_drain(front->http);
	event_add(front->look, &look);
}

static bool start(struct front *front, struct manifest *manifest, const char *port)
{
	char address[LISTEN_TEXT_MAX];
	char error[LISTEN_ERROR_MAX];

	snprintf(address, sizeof address, "0.0.0.0:%s", port);
	front->base = loop_new();
	front->pools = pools_new(front->base, manifest);
	pools_bound(front->pools, (size_t)front->function->handlers, WAITING_MAX);
	front->gateway = gateway_new(front->pools, manifest, front->function->operations);
	gateway_set_busy_status(front->gateway, 429);
	rt_buffer_init_heap(&front->event, EVENT_CLOUDEVENT_BYTES_MAX);
	front->terminate = evsignal_new(front->base, SIGTERM, on_terminate, front);
	front->look = event_new(front->base, -1, EV_PERSIST, on_look, front);
	event_add(front->terminate, NULL);
	if (!pools_warm(front->pools, front->function)) {
		fprintf(stderr, "bootstrap: %s cannot be started: %m\n", front->function->program);
		return false;
	}
	front->http = http_server_new(front->base, address, on_request, front, error);
	if (front->http == NULL)
		fprintf(stderr, "bootstrap: PORT: %s\n", error);
	else if (front->function->route_count > 0)
		http_server_set_body_max(front->http, gateway_body_max, front->gateway);
	return front->http != NULL && serve_metrics(front);
}

static void finish(struct front *front)
{
	pools_free(front->pools); /* freed first: this answers all requests that still wait */
	if (front->http != NULL)
		http_server_free(front->http);
	if (front->metrics != NULL)
		http_server_free(front->metrics);
	rt_buffer_done(&front->text);
	gateway_free(front->gateway);
	rt_buffer_done(&front->event);
	event_free(front->terminate);
	event_free(front->look);
	event_base_free(front->base);
}

int bootstrap_http(struct manifest *manifest, const char *port)
{
	static struct front front;
	const struct manifest_function *function = &manifest->functions[0];
	int status = BOOTSTRAP_EXIT_FAILED;

	if (function->route_count == 0 && function->schedule == NULL && !function->mail) {
		fprintf(stderr,
			"bootstrap: %s has none of the triggers http, ops, schedule and mail\n",
			function->name);
		return RT_EXIT_CONFIG;
	}
	front.function = function;
	if (start(&front, manifest, port)) {
		rt_log_line(RT_LOG_INFO, function->name, NULL, "listening on %s",
			http_server_address(front.http));
		status = event_base_dispatch(front.base) < 0 ? BOOTSTRAP_EXIT_FAILED : 0;
	}
	finish(&front);
	return status;
}
