#include "runtime/host/gateway/gateway.h"
#include "runtime/host/http/http-exchange.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/arena.h"
#include "runtime/host/gateway/answer.h"
#include "runtime/host/gateway/event-http.h"
#include "runtime/host/gateway/event-stored.h"
#include "runtime/host/gateway/gateway-sender.h"
#include "runtime/host/gateway/problem.h"
#include "runtime/host/gateway/router.h"
#include "runtime/host/gateway/waits.h"
#include "runtime/host/http/http-host.h"
#include "runtime/host/job-answer.h"
#include "runtime/time.h"

enum {
	/* maximum size of a buffer that is kept for the next event, octets; also the maximum length
	 * of the event of a request that may wait */
	EVENT_KEPT_BYTES = 1024 * 1024,
};

struct gateway {
	struct pools *pools;
	const struct manifest *manifest;
	bool operations;
	int busy_status;
	struct access_stats stats[MANIFEST_FUNCTIONS_MAX];
	struct access_stats no_function;
	struct gateway_senders senders;
	struct waits *waits; /* requests that wait for a result; NULL: none may wait */
	struct packing packing;
	/* The following members are used for one request at a time. */
	struct route_match match;
	struct answer answer;
	struct rt_buffer event;
	struct rt_buffer fields;
	struct rt_buffer body;
	struct job_numbers job; /* metrics for the numbers in a job's answer (job-answer.h) */
};

/* A request that its function has not answered yet, or that waits for a result. */
struct pending {
	/* must be the first member, so that its address is that of the pending request */
	struct waiter waiter;
	struct gateway *gateway;
	struct http_exchange *exchange;
	struct access_stats *stats;
	const struct manifest_function *function;
	uint64_t sender; /* key of the sender, by which requests take turns; 0 for none */
	uint64_t token;  /* hash of the request's token; 0 without a token */
	bool job;        /* the event is not an HTTP request */
	bool asks_gzip;
	/* For a request that may wait: its event, and the answer to send if no result arrives in
	 * time. */
	struct rt_buffer event;
	int status;
	struct rt_buffer fields;
	struct rt_buffer body;
};

struct gateway *gateway_new(struct pools *pools, const struct manifest *manifest, bool operations)
{
	struct gateway *gateway = rt_heap_alloc(sizeof *gateway);

	gateway->pools = pools;
	gateway->manifest = manifest;
	gateway->operations = operations;
	gateway->busy_status = 503;
	gateway->no_function.function = "none";
	for (size_t i = 0; i < manifest->count; i++)
		gateway->stats[i].function = manifest->functions[i].name;
	gateway_senders_init(&gateway->senders);
	answer_init(&gateway->answer);
	rt_buffer_init_heap(&gateway->event, EVENT_HTTP_BYTES_MAX);
	rt_buffer_init_heap(&gateway->fields, PROBLEM_BYTES_MAX);
	rt_buffer_init_heap(&gateway->body, PROBLEM_BYTES_MAX);
	packing_init(&gateway->packing, ANSWER_FIELDS_BYTES_MAX, ANSWER_BODY_BYTES_MAX);
	return gateway;
}

void gateway_set_busy_status(struct gateway *gateway, int status)
{
	gateway->busy_status = status;
}

void gateway_free(struct gateway *gateway)
{
	if (gateway->waits != NULL)
		waits_free(gateway->waits);
	answer_done(&gateway->answer);
	rt_buffer_done(&gateway->event);
	rt_buffer_done(&gateway->fields);
	rt_buffer_done(&gateway->body);
	packing_done(&gateway->packing);
	free(gateway);
}

/* Answers with a problem. more: a further field, such as "Allow: GET\r\n", or "". */
static void answer_problem(struct gateway *gateway, struct http_exchange *exchange,
	struct access_stats *stats, int status, const char *code, const char *detail,
	const char *more)
{
	problem_write(&gateway->fields, &gateway->body, status, code, detail);
	rt_buffer_text(&gateway->fields, more);
	http_answer(exchange, stats, status, &gateway->fields, gateway->body.bytes,
		gateway->body.length);
}

static void pending_free(struct pending *pending)
{
	rt_buffer_done(&pending->event);
	rt_buffer_done(&pending->fields);
	rt_buffer_done(&pending->body);
	free(pending);
}

static void answer_whole(const struct pending *pending, int status, const struct rt_buffer *fields,
	const struct rt_buffer *body)
{
	struct packing *packing = &pending->gateway->packing;

	if (pending->function->compress)
		packing_prepare(packing, pending->asks_gzip, status, &fields, &body);
	http_answer(pending->exchange, pending->stats, status, fields, body->bytes, body->length);
	packing_rest(packing);
}

/* Sends the answer that was stored: the client has waited long enough or is gone, or the host
 * stops. */
static void on_enough(struct waiter *waiter)
{
	struct pending *pending = (struct pending *)waiter;

	answer_whole(pending, pending->status, &pending->fields, &pending->body);
	pending_free(pending);
}

/* Called when the client of a request that waits for a result is gone. */
static bool on_gone_waiting(void *arg)
{
	struct pending *pending = arg;

	waits_remove(pending->gateway->waits, &pending->waiter);
	on_enough(&pending->waiter);
	return true;
}

/* Called when the client is gone before the function has answered. */
static bool on_gone_early(void *arg)
{
	struct pending *pending = arg;

	pools_sender_left(pending->gateway->pools, pending->function, pending->sender, pending);
	return false;
}

static void on_done(void *arg, enum pool_outcome outcome, const char *text, size_t length);

static void give_to_function(struct pending *pending, const struct rt_buffer *event)
{
	http_on_gone(pending->exchange, on_gone_early, pending);
	pools_submit_request(pending->gateway->pools, pending->function, pending->sender,
		event->bytes, event->length, on_done, pending);
}

static void on_again(struct waiter *waiter)
{
	struct pending *pending = (struct pending *)waiter;

	give_to_function(pending, &pending->event);
}

static void keep(struct rt_buffer *copy, const struct rt_buffer *buffer)
{
	rt_buffer_clear(copy);
	rt_buffer_add(copy, buffer->bytes, buffer->length);
}

/* Stores the answer and lets the request wait; false when the answer is final or the request cannot
 * wait. */
static bool hold(struct pending *pending, const struct answer *answer)
{
	struct gateway *gateway = pending->gateway;
	struct waiter *waiter = &pending->waiter;
	int seconds = answer->wait_s < WAITS_SECONDS_MAX ? answer->wait_s : WAITS_SECONDS_MAX;
	size_t length = strlen(answer->wait_for);

	if (answer->wait_s == 0 || pending->event.length == 0 || length > WAITS_NAME_MAX)
		return false;
	memcpy(waiter->name, answer->wait_for, length + 1);
	waiter->sender = pending->sender;
	waiter->asks = manifest_find(gateway->manifest, pending->function->waits);
	if (waiter->until_ms == 0)
		waiter->until_ms = rt_monotonic_ms() + seconds * 1000;
	if (waiter->asks == NULL || !waits_add(gateway->waits, waiter))
		return false;
	pending->status = answer->status;
	keep(&pending->fields, &answer->fields);
	keep(&pending->body, &answer->body);
	http_on_gone(pending->exchange, on_gone_waiting, pending);
	return true;
}

static void on_told(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	(void)arg;
	(void)outcome;
	(void)text;
	(void)length;
}

/* Sends a mail function the event for a message that another function has stored. */
static void tell_stored(const struct pending *pending, const char *message_id)
{
	struct gateway *gateway = pending->gateway;
	const struct manifest_function *told = pending->function->stores == NULL
		? NULL
		: manifest_find(gateway->manifest, pending->function->stores);

	if (told == NULL)
		return;
	event_stored_write(&gateway->event, message_id);
	pools_submit_of(gateway->pools, told, pending->sender, gateway->event.bytes,
		gateway->event.length, on_told, NULL);
}

/* Answers the request; false when the answer is held back and pending stays in use. */
static bool answer_from(struct pending *pending, const char *text, size_t length)
{
	struct gateway *gateway = pending->gateway;
	struct answer *answer = &gateway->answer;

	switch (answer_read(answer, text, length)) {
	case ANSWER_GOOD:
		gateway_sender_answered(&gateway->senders, pending->token, answer->status);
		if (answer->stored[0] != '\0')
			tell_stored(pending, answer->stored);
		if (hold(pending, answer))
			return false;
		answer_whole(pending, answer->status, &answer->fields, &answer->body);
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
	return true;
}

void gateway_refuse(struct gateway *gateway, struct http_exchange *exchange, int status,
	const char *code, const char *detail, const char *more)
{
	answer_problem(gateway, exchange, &gateway->no_function, status, code, detail, more);
}

static bool answer_job(struct pending *pending, const char *text, size_t length)
{
	/* The sender can only repeat the whole event, so the event fails if one of its messages
	 * fails. */
	if (!job_is_done(text, length)) {
		answer_problem(pending->gateway, pending->exchange, pending->stats, 500,
			"function-failed", "the function reported a failure", "");
		return true;
	}
	job_succeeded(&pending->gateway->job, pending->function, text, length);
	http_answer(pending->exchange, pending->stats, 204, NULL, NULL, 0);
	return true;
}

static void on_done(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct pending *pending = arg;
	struct gateway *gateway = pending->gateway;

	if (gateway->waits != NULL)
		waits_answered(gateway->waits, &pending->waiter);
	switch (outcome) {
	case POOL_ANSWERED:
		if (!(pending->job ? answer_job : answer_from)(pending, text, length))
			return;
		break;
	case POOL_CRASHED:
		answer_problem(gateway, pending->exchange, pending->stats, 502, "function-crashed",
			"the function ended without an answer", "");
		break;
	case POOL_ABSENT:
		answer_problem(gateway, pending->exchange, pending->stats, 502, "function-crashed",
			"the function cannot be started", "");
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
	pending_free(pending);
}

static void answer_no_route(
	struct gateway *gateway, struct http_exchange *exchange, enum route_result result)
{
	char allow[ROUTE_ALLOW_MAX + sizeof "Allow: \r\n"];

	if (result == ROUTE_METHOD) {
		snprintf(allow, sizeof allow, "Allow: %s\r\n", gateway->match.allow);
		gateway_refuse(gateway, exchange, 405, "method-not-allowed",
			"this path exists, but not with this method; see Allow", allow);
	} else if (result == ROUTE_BAD) {
		gateway_refuse(gateway, exchange, 400, "path-invalid",
			"the path contains an escape (%) that does not decode to text", "");
	} else {
		gateway_refuse(gateway, exchange, 404, "route-not-found",
			"there is nothing at this path", "");
	}
}

static struct pending *pending_new(struct gateway *gateway, struct http_exchange *exchange,
	const struct manifest_function *function)
{
	struct pending *pending = rt_heap_alloc(sizeof *pending);

	pending->gateway = gateway;
	pending->exchange = exchange;
	rt_buffer_init_heap(&pending->event, EVENT_KEPT_BYTES);
	rt_buffer_init_heap(&pending->fields, ANSWER_FIELDS_BYTES_MAX);
	rt_buffer_init_heap(&pending->body, ANSWER_BODY_BYTES_MAX);
	pending->function = function;
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

void gateway_refuse_host(struct gateway *gateway, struct http_exchange *exchange)
{
	gateway_refuse(gateway, exchange, 421, "host-unknown",
		"This service answers for the host of EDS_BASE_URL, for localhost and for IP "
		"addresses, but not for the host of this request.",
		"");
}

static bool says_wait(const struct http_head *head)
{
	static const char wait[] = "wait=";

	return memmem(head->query.text, head->query.length, wait, sizeof wait - 1) != NULL;
}

static void submit(struct gateway *gateway, struct http_exchange *exchange,
	const struct http_request *request, const struct manifest_function *function)
{
	struct pending *pending = pending_new(gateway, exchange, function);
	uint64_t sender = gateway_sender(&gateway->senders, request, function, &pending->token);

	pending->asks_gzip = packing_is_asked(request->head);
	/* only trusted neighbors use the operations port, so its requests may hold any number of
	 * places (pool-turns.h) */
	pending->sender = gateway->operations ? 0 : sender;
	if (gateway->waits != NULL && function->waits != NULL && says_wait(request->head))
		keep(&pending->event, &gateway->event);
	give_to_function(pending, &gateway->event);
	if (gateway->event.capacity > EVENT_KEPT_BYTES)
		rt_buffer_done(&gateway->event);
}

size_t gateway_body_max(void *arg, struct http_exchange *exchange, const struct http_head *head)
{
	struct gateway *gateway = arg;
	enum route_result result = route_find(gateway->manifest, gateway->operations, head->method,
		head->path.text, head->path.length, &gateway->match);

	if (gateway->match.shape != NULL)
		http_log_path(exchange, gateway->match.shape);
	return result == ROUTE_FOUND ? gateway->match.function->body_bytes : HTTP_BODY_BYTES_MAX;
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
		.traceparent = request->traceparent,
		.now_ms = rt_wall_ms()};
	enum route_result result = route_find(gateway->manifest, gateway->operations,
		request->head->method, path->text, path->length, &gateway->match);
	const struct manifest_function *function = gateway->match.function;

	if (gateway->match.shape != NULL)
		http_log_path(exchange, gateway->match.shape);
	if (!http_host_is_ours(request) && (result != ROUTE_FOUND || !function->any_host)) {
		gateway_refuse_host(gateway, exchange);
		return;
	}
	if (result != ROUTE_FOUND) {
		answer_no_route(gateway, exchange, result);
		return;
	}
	rt_buffer_clear(&gateway->event);
	if (event_http_write(&gateway->event, &event))
		submit(gateway, exchange, request, function);
	else
		answer_problem(gateway, exchange,
			&gateway->stats[function - gateway->manifest->functions], 400,
			"query-invalid",
			"the query has more than 128 parameters, or a name that is not text", "");
}

void gateway_let_wait(struct gateway *gateway, struct event_base *base)
{
	static const struct waits_calls calls = {.again = on_again, .enough = on_enough};

	gateway->waits = waits_new(base, gateway->pools, &calls);
}

void gateway_let_pack(struct gateway *gateway, packing_call pack)
{
	gateway->packing.pack = pack;
}

void gateway_stop_waiting(struct gateway *gateway)
{
	if (gateway->waits != NULL)
		waits_stop(gateway->waits);
}
