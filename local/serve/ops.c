#include "local/serve/ops.h"
#include "local/serve/intake-held.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/host/gateway/problem.h"
#include "runtime/host/http/http-host.h"
#include "runtime/host/json-write.h"
#include "runtime/time.h"

static struct access_stats ops_stats = {.function = "none"};

void ops_init(struct ops *ops, struct gateway *gateway, const struct recent *recent)
{
	*ops = (struct ops){.gateway = gateway, .recent = recent};
	ops->time = metric_gauge("eds_time_seconds", "The time by this machine's clock.", "");
	rt_buffer_init_heap(&ops->fields, PROBLEM_BYTES_MAX);
	rt_buffer_init_heap(&ops->body, METRICS_TEXT_MAX);
}

void ops_done(struct ops *ops)
{
	rt_buffer_done(&ops->fields);
	rt_buffer_done(&ops->body);
}

static void answer(struct ops *ops, struct http_exchange *exchange, int status, const char *type)
{
	rt_buffer_clear(&ops->fields);
	rt_buffer_format(&ops->fields, "content-type: %s\r\ncache-control: no-store\r\n", type);
	http_answer(exchange, &ops_stats, status, &ops->fields, ops->body.bytes, ops->body.length);
}

static void write_fill(struct ops *ops)
{
	struct intake_fill fill;

	intake_fill(ops->intake, &fill);
	rt_buffer_format(&ops->body,
		",\"mail\":{\"heldBytes\":%" PRIu64 ",\"limitBytes\":%" PRIu64 ",\"share\":%.3f}",
		fill.held_bytes, fill.limit_bytes, fill.share);
}

static void answer_health(struct ops *ops, struct http_exchange *exchange)
{
	const char *absence = ops->intake != NULL ? intake_absence(ops->intake) : NULL;

	rt_buffer_clear(&ops->body);
	if (ops->draining) {
		rt_buffer_text(&ops->body, "{\"status\":\"stopping\"");
	} else if (absence != NULL) {
		rt_buffer_text(&ops->body, "{\"status\":\"waiting\",\"reason\":");
		json_write_text(&ops->body, absence);
	} else {
		rt_buffer_text(&ops->body, "{\"status\":\"ok\"");
	}
	if (ops->sandbox != NULL)
		rt_buffer_format(&ops->body, ",\"sandbox\":\"%s\"", ops->sandbox);
	if (ops->intake != NULL)
		write_fill(ops);
	rt_buffer_text(&ops->body, "}");
	answer(ops, exchange, ops->draining || absence != NULL ? 503 : 200, "application/json");
}

static void answer_metrics(struct ops *ops, struct http_exchange *exchange)
{
	if (ops->intake != NULL)
		intake_look_at_clock(ops->intake);
	metric_set(ops->time, (uint64_t)(rt_wall_ms() / 1000));
	rt_buffer_clear(&ops->body);
	metrics_write(&ops->body);
	answer(ops, exchange, 200, "text/plain; version=0.0.4; charset=utf-8");
}

static void answer_wrong_method(struct ops *ops, struct http_exchange *exchange)
{
	problem_write(&ops->fields, &ops->body, 405, "method-not-allowed",
		"this path can only be read, with GET or HEAD");
	rt_buffer_text(&ops->fields, "Allow: GET, HEAD\r\n");
	http_answer(exchange, &ops_stats, 405, &ops->fields, ops->body.bytes, ops->body.length);
}

static void answer_no_event(struct ops *ops, struct http_exchange *exchange)
{
	problem_write(&ops->fields, &ops->body, 404, "event-not-found",
		"this event is not among the most recent ones");
	http_answer(exchange, &ops_stats, 404, &ops->fields, ops->body.bytes, ops->body.length);
}

/* Answers with one event, or with the list if id is "". */
static void answer_events(struct ops *ops, struct http_exchange *exchange, const char *id)
{
	rt_buffer_clear(&ops->body);
	if (id[0] == '\0')
		recent_list(ops->recent, &ops->body);
	else if (!recent_show(ops->recent, id, &ops->body)) {
		answer_no_event(ops, exchange);
		return;
	}
	answer(ops, exchange, 200, "application/json");
}

/* True for a client on this machine. Only such clients may read events, which contain addresses and
 * test ids of other people. */
static bool is_local(const struct http_request *request)
{
	return strncmp(request->peer, "127.", 4) == 0 || strcmp(request->peer, "::1") == 0;
}

static bool is_path(const char *path, const char *wanted)
{
	return strcmp(path, wanted) == 0;
}

void ops_on_request(void *arg, struct http_exchange *exchange, const struct http_request *request)
{
	struct ops *ops = arg;
	char path[ACCESS_PATH_MAX];
	bool reads = strcmp(request->head->method, "GET") == 0 ||
		strcmp(request->head->method, "HEAD") == 0;
	bool events;

	if (!http_host_is_ours(request)) {
		gateway_refuse_host(ops->gateway, exchange);
		return;
	}
	snprintf(path, sizeof path, "%.*s", (int)request->head->path.length,
		request->head->path.text);
	events = is_local(request) &&
		(is_path(path, "/events") || strncmp(path, "/events/", 8) == 0);
	/* For clients on other machines /events does not exist: the gateway answers 404. */
	if (!events && !is_path(path, "/healthz") && !is_path(path, "/metrics"))
		gateway_on_request(ops->gateway, exchange, request);
	else if (!reads)
		answer_wrong_method(ops, exchange);
	else if (events)
		answer_events(ops, exchange, path[7] == '/' ? path + 8 : "");
	else if (is_path(path, "/healthz"))
		answer_health(ops, exchange);
	else
		answer_metrics(ops, exchange);
}
