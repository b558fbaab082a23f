#include <event2/event.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/adapter/bootstrap-lambda.h"
#include "runtime/adapter/bootstrap-metrics.h"
#include "runtime/adapter/bootstrap.h"
#include "runtime/ctx.h"
#include "runtime/event/handler.h"
#include "runtime/host/gateway/event-cloudevent.h"
#include "runtime/host/json-write.h"
#include "runtime/host/loop.h"
#include "runtime/host/pool/counted.h"
#include "runtime/host/pool/pool.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	/* maximum length of an answer, octets. After a longer answer the platform would refuse even
	 * an error report. */
	ANSWER_BYTES_MAX = 6291556,
	ERROR_BYTES_MAX = 64 * 1024,
	PATH_BYTES_MAX = 256,
	/* The pool kills a handler 250 ms after its time-out. The remaining 100 ms are for
	 * reporting the failure. */
	KILL_MARGIN_MS = 350,
	PAUSE_MS_MIN = 50,
	PAUSE_MS_MAX = 5000,
	PAUSE_DOUBLINGS = 8,
	POST_TRIES = 4,
};

struct lambda {
	struct bootstrap_api *api;
	struct event_base *base;
	struct pools *pools;
	struct manifest_function *function;
	int timeout_ms; /* time-out of the function as in the manifest; an event with an earlier
			 * deadline gets less */
	struct bootstrap_event event;
	struct rt_buffer line;  /* the event line for the handler */
	struct rt_buffer error; /* body of an error report */
	bool answered;
	bool over; /* the platform has told this process to end */
};

static int pause_after(int failures)
{
	if (failures <= 1)
		return 0;
	return failures > PAUSE_DOUBLINGS ? PAUSE_MS_MAX : PAUSE_MS_MIN << (failures - 2);
}

/* Posts an answer or error. After the first failure tries again at once, because the platform may
 * have closed the connection since the last request; pauses before later tries. If the platform has
 * received the first post nevertheless, it answers 403 to the repeated post, which does no harm. */
static void post(struct lambda *lambda, const char *what, const char *error_type, const char *body,
	size_t length)
{
	char path[PATH_BYTES_MAX];
	int status = BOOTSTRAP_API_LOST;

	snprintf(path, sizeof path, "invocation/%s/%s", lambda->event.id, what);
	for (int tries = 1; tries <= POST_TRIES && status == BOOTSTRAP_API_LOST; tries++) {
		bootstrap_api_pause(lambda->api, pause_after(tries - 1));
		status = bootstrap_api_post(lambda->api, path, error_type, body, length);
	}
	lambda->over = status == 500;
	if (status != 202)
		rt_log_line(RT_LOG_ERROR, lambda->function->name, lambda->event.id,
			"the platform answered the function's %s with status %d", what, status);
}

static void write_error(struct rt_buffer *out, const char *type, const char *message)
{
	rt_buffer_clear(out);
	rt_buffer_text(out, "{\"errorMessage\":");
	json_write_text(out, message);
	rt_buffer_text(out, ",\"errorType\":");
	json_write_text(out, type);
	rt_buffer_text(out, ",\"stackTrace\":[]}");
}

/* category is sent to the platform, type to the caller; both have the form "Category.Reason". */
static void post_error(
	struct lambda *lambda, const char *category, const char *type, const char *message)
{
	write_error(&lambda->error, type, message);
	rt_log_line(
		RT_LOG_ERROR, lambda->function->name, lambda->event.id, "%s: %s", type, message);
	post(lambda, "error", category, lambda->error.bytes, lambda->error.length);
}

int bootstrap_lambda_refuse(struct bootstrap_api *api, const char *type, const char *reason)
{
	struct rt_buffer body;

	rt_buffer_init_heap(&body, ERROR_BYTES_MAX);
	write_error(&body, type, reason);
	rt_log_line(RT_LOG_ERROR, NULL, NULL, "%s: %s", type, reason);
	bootstrap_api_post(api, "init/error", type, body.bytes, body.length);
	rt_buffer_done(&body);
	return BOOTSTRAP_EXIT_FAILED;
}

/* Logs the numbers as metrics, if there are any. numbers: a JSON object; anything else has no
 * numbers. */
static void tell_numbers(const struct manifest_function *function, const json_t *numbers)
{
	const char *name = getenv("AWS_LAMBDA_FUNCTION_NAME");
	char *line = bootstrap_metrics_line(
		name != NULL ? name : function->name, numbers, rt_wall_ms());

	if (line != NULL)
		fprintf(stderr, "%s\n", line);
	free(line);
}

static void on_counted(void *arg, const struct manifest_function *function, const char *counts)
{
	json_t *numbers = json_object();
	enum rt_count count;
	uint64_t number;

	(void)arg;
	while (counted_next(&counts, &count, &number))
		json_object_set_new(
			numbers, rt_count_name(count), json_integer((json_int_t)number));
	tell_numbers(function, numbers);
	json_decref(numbers);
}

static void post_answer(struct lambda *lambda, const char *text, size_t length)
{
	json_t *answer = json_loadb(text, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	const json_t *type = json_object_get(answer, "errorType");
	const char *message = json_string_value(json_object_get(answer, "errorMessage"));

	if (lambda->function->schedule != NULL && type == NULL)
		tell_numbers(lambda->function, answer);
	if (answer == NULL)
		post_error(lambda, "Function.InvalidAnswer", "Function.InvalidAnswer",
			"the function's answer is not JSON");
	else if (type != NULL)
		post_error(lambda, "Function.Failed",
			json_is_string(type) ? json_string_value(type) : "Function.Failed",
			message != NULL ? message : "the function failed and gave no reason");
	else if (length > ANSWER_BYTES_MAX)
		post_error(lambda, "Function.ResponseSizeTooLarge", "Function.ResponseSizeTooLarge",
			"the function's answer is longer than 6291556 bytes");
	else
		post(lambda, "response", NULL, text, length);
	json_decref(answer);
}

static void on_done(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct lambda *lambda = arg;

	lambda->answered = true;
	if (outcome == POOL_ANSWERED)
		post_answer(lambda, text, length);
	else if (outcome == POOL_TIMED_OUT)
		post_error(lambda, "Function.TimedOut", "Function.TimedOut",
			"the function did not answer in time and was killed");
	else
		post_error(lambda, "Runtime.ExitError", "Runtime.ExitError",
			"the function ended without an answer");
}

/* Writes the event on one line. Its first member is the trace id, if the platform gave one. False
 * when the event is empty or too long. */
static bool write_line(struct lambda *lambda)
{
	static const char white[] = " \t\r\n";
	struct rt_buffer *body = &lambda->event.body;
	struct rt_buffer *line = &lambda->line;
	const char *at;

	rt_buffer_clear(line);
	rt_buffer_add(body, "", 1);
	if (body->overflow)
		return false;
	at = body->bytes + strspn(body->bytes, white);
	if (lambda->event.trace[0] != '\0')
		at += event_member_write(line, at, (size_t)(body->bytes + body->length - 1 - at),
			RT_TRACE_VARIABLE, lambda->event.trace);
	event_line_write(line, at, (size_t)(body->bytes + body->length - 1 - at));
	return !line->overflow && line->length > 0;
}

static void run_event(struct lambda *lambda)
{
	int64_t left_ms = lambda->event.deadline_ms - rt_wall_ms() - KILL_MARGIN_MS;

	if (!write_line(lambda)) {
		post_error(lambda, "Runtime.EventInvalid", "Runtime.EventInvalid",
			"the event is empty, or longer than 16 MiB");
		return;
	}
	lambda->function->timeout_ms = lambda->timeout_ms;
	if (lambda->event.deadline_ms != 0 && left_ms < lambda->timeout_ms)
		lambda->function->timeout_ms = left_ms < 1 ? 1 : (int)left_ms;
	lambda->answered = false;
	pools_submit(lambda->pools, lambda->function, lambda->line.bytes, lambda->line.length,
		on_done, lambda);
	while (!lambda->answered)
		event_base_loop(lambda->base, EVLOOP_ONCE);
	/* starts a new handler if the last one was killed */
	pools_warm(lambda->pools, lambda->function);
}

/* Serves events one by one until SIGTERM (returns 0) or until the platform tells this process to
 * end. */
static int serve(struct lambda *lambda)
{
	int failures = 0;

	while (bootstrap_api_pause(lambda->api, pause_after(failures))) {
		int status = bootstrap_api_next(lambda->api, &lambda->event);

		if (status == BOOTSTRAP_API_STOPPED)
			return 0;
		failures = status == 200 ? 0 : failures + 1;
		if (status == 200)
			run_event(lambda);
		else if (failures > 1)
			rt_log_line(RT_LOG_ERROR, lambda->function->name, NULL,
				"no event could be received: status %d", status);
		if (status == 500 || lambda->over)
			return BOOTSTRAP_EXIT_FAILED;
	}
	return 0;
}

int bootstrap_lambda(struct bootstrap_api *api, struct manifest *manifest)
{
	struct lambda lambda = {.api = api, .function = &manifest->functions[0]};
	int status;

	lambda.timeout_ms = manifest->functions[0].timeout_ms;
	lambda.base = loop_new();
	lambda.pools = pools_new(lambda.base, manifest);
	pools_bound(lambda.pools, 1, 1);
	pools_tell_counts(lambda.pools, on_counted, NULL);
	rt_buffer_init_heap(&lambda.event.body, RT_LARGE_EVENT_BYTES_MAX);
	rt_buffer_init_heap(&lambda.line, RT_LARGE_EVENT_BYTES_MAX);
	rt_buffer_init_heap(&lambda.error, ERROR_BYTES_MAX);
	status = pools_warm(lambda.pools, lambda.function)
		? serve(&lambda)
		: bootstrap_lambda_refuse(
			  api, "Runtime.NoSuchHandler", "the function's program cannot be started");
	pools_free(lambda.pools);
	event_base_free(lambda.base);
	rt_buffer_done(&lambda.event.body);
	rt_buffer_done(&lambda.line);
	rt_buffer_done(&lambda.error);
	return status;
}
