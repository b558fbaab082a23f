#include "local/ops.h"

#include <string.h>

#include "local/problem.h"

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

static void count_mail(const struct intake_counters *counters)
{
	const struct {
		const char *name;
		const char *help;
		uint64_t value;
	} counts[] = {
		{"eds_smtp_connections_total", "SMTP connections taken.", counters->connections},
		{"eds_smtp_turned_away_total", "SMTP connections over a cap.",
			counters->turned_away},
		{"eds_mail_accepted_total", "Messages answered with 250.", counters->accepted},
		{"eds_mail_refused_total", "Recipients and messages answered with 4xx or 5xx.",
			counters->refused},
		{"eds_mail_delivered_total", "Mail events done by their function.",
			counters->delivered},
		{"eds_mail_retried_total", "Mail events that are sent again.", counters->retried},
		{"eds_mail_failed_total", "Mail events given up.", counters->failed},
	};

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		metric_set(metric_counter(counts[i].name, counts[i].help, ""), counts[i].value);
	metric_set(metric_gauge("eds_mail_queue", "Mail events waiting or under way.", ""),
		counters->queued);
	metric_set(metric_gauge("eds_smtp_sessions", "SMTP connections open now.", ""),
		counters->sessions);
}

static void answer_metrics(struct ops *ops, struct http_exchange *exchange)
{
	if (ops->intake != NULL)
		count_mail(intake_counters(ops->intake));
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
