#include "local/ops.h"

#include <string.h>

#include "runtime/host/problem.h"

static struct access_stats ops_stats = {.function = "none"};

void ops_init(struct ops *ops, struct gateway *gateway)
{
	*ops = (struct ops){.gateway = gateway};
	bytes_init(&ops->fields, PROBLEM_BYTES_MAX);
	bytes_init(&ops->body, METRICS_TEXT_MAX);
}

void ops_done(struct ops *ops)
{
	bytes_done(&ops->fields);
	bytes_done(&ops->body);
}

static void answer(struct ops *ops, struct http_exchange *exchange, int status, const char *type)
{
	bytes_clear(&ops->fields);
	bytes_format(&ops->fields, "content-type: %s\r\ncache-control: no-store\r\n", type);
	http_answer(exchange, &ops_stats, status, &ops->fields, ops->body.data, ops->body.length);
}

static void answer_health(struct ops *ops, struct http_exchange *exchange)
{
	bytes_clear(&ops->body);
	bytes_text(&ops->body, ops->draining ? "{\"status\":\"stopping\"}" : "{\"status\":\"ok\"}");
	answer(ops, exchange, ops->draining ? 503 : 200, "application/json");
}

static void answer_metrics(struct ops *ops, struct http_exchange *exchange)
{
	bytes_clear(&ops->body);
	metrics_write(&ops->body);
	answer(ops, exchange, 200, "text/plain; version=0.0.4; charset=utf-8");
}

static void answer_wrong_method(struct ops *ops, struct http_exchange *exchange)
{
	problem_write(&ops->fields, &ops->body, 405, "method-not-allowed",
		"This path is only read; see Allow.");
	bytes_text(&ops->fields, "Allow: GET, HEAD\r\n");
	http_answer(exchange, &ops_stats, 405, &ops->fields, ops->body.data, ops->body.length);
}

static bool path_is(const struct http_request *request, const char *path)
{
	return request->head->path.length == strlen(path) &&
		memcmp(request->head->path.text, path, strlen(path)) == 0;
}

void ops_on_request(void *arg, struct http_exchange *exchange, const struct http_request *request)
{
	struct ops *ops = arg;
	bool health = path_is(request, "/healthz");
	bool reads = strcmp(request->head->method, "GET") == 0 ||
		strcmp(request->head->method, "HEAD") == 0;

	if (!health && !path_is(request, "/metrics"))
		gateway_on_request(ops->gateway, exchange, request);
	else if (!reads)
		answer_wrong_method(ops, exchange);
	else if (health)
		answer_health(ops, exchange);
	else
		answer_metrics(ops, exchange);
}
