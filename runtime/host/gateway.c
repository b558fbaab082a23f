#include "runtime/host/gateway.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/ctx.h"
#include "runtime/host/answer.h"
#include "runtime/host/event-http.h"
#include "runtime/host/problem.h"
#include "runtime/host/router.h"

struct gateway {
	struct pools *pools;
	const struct manifest *manifest;
	bool operations;
	int busy_status;
	struct access_stats stats[MANIFEST_FUNCTIONS_MAX];
	struct access_stats no_function;
	/* Used for one request at a time: */
	struct route_match match;
	struct answer answer;
	struct bytes event;
	struct bytes fields;
	struct bytes body;
};

/* A request that is with its function. */
struct pending {
	struct gateway *gateway;
	struct http_exchange *exchange;
	struct access_stats *stats;
	bool job; /* the event is no HTTP request */
};

static void *allocate(size_t bytes)
{
	void *made = calloc(1, bytes);

	if (made == NULL) {
		fputs("eds: out of memory\n", stderr);
		exit(RT_EXIT_MEMORY);
	}
	return made;
}

struct gateway *gateway_new(struct pools *pools, const struct manifest *manifest, bool operations)
{
	struct gateway *gateway = allocate(sizeof *gateway);

	gateway->pools = pools;
	gateway->manifest = manifest;
	gateway->operations = operations;
	gateway->busy_status = 503;
	gateway->no_function.function = "none";
	for (size_t i = 0; i < manifest->count; i++)
		gateway->stats[i].function = manifest->functions[i].name;
	answer_init(&gateway->answer);
	bytes_init(&gateway->event, EVENT_HTTP_BYTES_MAX);
	bytes_init(&gateway->fields, PROBLEM_BYTES_MAX);
	bytes_init(&gateway->body, PROBLEM_BYTES_MAX);
	return gateway;
}

void gateway_set_busy_status(struct gateway *gateway, int status)
{
	gateway->busy_status = status;
}

void gateway_free(struct gateway *gateway)
{
	answer_done(&gateway->answer);
	bytes_done(&gateway->event);
	bytes_done(&gateway->fields);
	bytes_done(&gateway->body);
	free(gateway);
}

/* more: a further field, "Allow: GET\r\n", or "". */
static void answer_problem(struct gateway *gateway, struct http_exchange *exchange,
	struct access_stats *stats, int status, const char *code, const char *detail,
	const char *more)
{
	problem_write(&gateway->fields, &gateway->body, status, code, detail);
	bytes_text(&gateway->fields, more);
	http_answer(exchange, stats, status, &gateway->fields, gateway->body.data,
		gateway->body.length);
}

static void answer_from(struct pending *pending, const char *text, size_t length)
{
	struct gateway *gateway = pending->gateway;
	struct answer *answer = &gateway->answer;

	switch (answer_read(answer, text, length)) {
	case ANSWER_GOOD:
		http_answer(pending->exchange, pending->stats, answer->status, &answer->fields,
			answer->body.data, answer->body.length);
		break;
	case ANSWER_FAILED:
		answer_problem(gateway, pending->exchange, pending->stats, 502, "function-failed",
			"the function reported a failure", "");
		break;
	case ANSWER_INVALID:
		answer_problem(gateway, pending->exchange, pending->stats, 502, "answer-invalid",
			"the function gave an answer that HTTP cannot carry", "");
		break;
	}
}

void gateway_refuse(struct gateway *gateway, struct http_exchange *exchange, int status,
	const char *code, const char *detail, const char *more)
{
	answer_problem(gateway, exchange, &gateway->no_function, status, code, detail, more);
}

/* Neither the whole failed nor a message in it: over HTTP there is but the whole to try again. */
static bool is_done(const char *text, size_t length)
{
	json_t *answer = json_loadb(text, length, JSON_ALLOW_NUL, NULL);
	bool done = json_is_object(answer) && json_object_get(answer, "errorType") == NULL &&
		json_array_size(json_object_get(answer, "batchItemFailures")) == 0;

	json_decref(answer);
	return done;
}

static void answer_job(struct pending *pending, const char *text, size_t length)
{
	if (is_done(text, length))
		http_answer(pending->exchange, pending->stats, 204, NULL, NULL, 0);
	else
		answer_problem(pending->gateway, pending->exchange, pending->stats, 500,
			"function-failed", "the function reported a failure", "");
}

static void on_done(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct pending *pending = arg;
	struct gateway *gateway = pending->gateway;

	switch (outcome) {
	case POOL_ANSWERED:
		(pending->job ? answer_job : answer_from)(pending, text, length);
		break;
	case POOL_CRASHED:
		answer_problem(gateway, pending->exchange, pending->stats, 502, "function-crashed",
			"the function ended without an answer", "");
		break;
	case POOL_TIMED_OUT:
		answer_problem(gateway, pending->exchange, pending->stats, 504,
			"function-timed-out", "the function did not answer in time", "");
		break;
	case POOL_BUSY:
		answer_problem(gateway, pending->exchange, pending->stats, gateway->busy_status,
			"busy", "all handlers of the function are busy", "Retry-After: 1\r\n");
		break;
	}
	free(pending);
}

static void answer_no_route(
	struct gateway *gateway, struct http_exchange *exchange, enum route_result result)
{
	char allow[ROUTE_ALLOW_MAX + sizeof "Allow: \r\n"];

	if (result == ROUTE_METHOD) {
		snprintf(allow, sizeof allow, "Allow: %s\r\n", gateway->match.allow);
		answer_problem(gateway, exchange, &gateway->no_function, 405, "method-not-allowed",
			"this path exists, but not with this method; see Allow", allow);
	} else if (result == ROUTE_BAD) {
		answer_problem(gateway, exchange, &gateway->no_function, 400, "path-invalid",
			"the path holds an escape that stands for no text", "");
	} else {
		answer_problem(gateway, exchange, &gateway->no_function, 404, "route-not-found",
			"there is nothing at this path", "");
	}
}

static struct pending *pending_new(struct gateway *gateway, struct http_exchange *exchange,
	const struct manifest_function *function)
{
	struct pending *pending = allocate(sizeof *pending);

	pending->gateway = gateway;
	pending->exchange = exchange;
	pending->stats = &gateway->stats[function - gateway->manifest->functions];
	return pending;
}

void gateway_run_job(struct gateway *gateway, struct http_exchange *exchange,
	const struct manifest_function *function, const char *event, size_t length)
{
	struct pending *pending = pending_new(gateway, exchange, function);

	pending->job = true;
	pools_submit(gateway->pools, function, event, length, on_done, pending);
}

void gateway_on_request(
	void *arg, struct http_exchange *exchange, const struct http_request *request)
{
	struct gateway *gateway = arg;
	const struct http_span *path = &request->head->path;
	struct event_http event = {.head = request->head,
		.match = &gateway->match,
		.body = request->body,
		.body_length = request->body_length,
		.peer = request->peer,
		.request_id = request->request_id,
		.now_ms = rt_wall_ms()};
	enum route_result result = route_find(gateway->manifest, gateway->operations,
		request->head->method, path->text, path->length, &gateway->match);
	const struct manifest_function *function = gateway->match.function;

	if (gateway->match.shape != NULL)
		http_log_path(exchange, gateway->match.shape);
	if (result != ROUTE_FOUND) {
		answer_no_route(gateway, exchange, result);
		return;
	}
	bytes_clear(&gateway->event);
	if (event_http_write(&gateway->event, &event))
		pools_submit(gateway->pools, function, gateway->event.data, gateway->event.length,
			on_done, pending_new(gateway, exchange, function));
	else
		answer_problem(gateway, exchange,
			&gateway->stats[function - gateway->manifest->functions], 400,
			"query-invalid",
			"the query has more than 128 parameters, or a name that is no text", "");
}
