#include "runtime/event/handler.h"
#include "runtime/event/event-http.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/event/handler-answer.h"
#include "runtime/event/handler-lines.h"
#include "runtime/event/handler-mail.h"
#include "runtime/event/trace.h"
#include "runtime/kernel.h"
#include "runtime/log.h"
#include "runtime/process/begun.h"
#include "runtime/version.h"

enum {
	/* how much unused memory the heap keeps, to avoid page faults at each event */
	KEPT_BYTES = 4 * 1024 * 1024,
	EXIT_FAILED = 1,
};

enum kind { KIND_HTTP, KIND_SCHEDULE, KIND_MAIL, KIND_DIRECT };

struct handler {
	enum kind kind;
	rt_http_handler http;
	rt_schedule_handler schedule;
	rt_mail_handler mail;
	rt_direct_handler direct;
	const char *name;
	int timeout_ms;
	size_t event_max; /* maximum length of an event, octets */
	int out;          /* descriptor for answers, from take_standard_output() */
	struct rt_arena *arena;
};

static rt_status handle_schedule(
	const struct handler *handler, struct rt_ctx *ctx, const json_t *event, json_t **answer)
{
	struct rt_schedule_event schedule;

	RT_TRY(rt_event_schedule(ctx, event, &schedule));
	return handler->schedule(ctx, &schedule, answer);
}

static rt_status dispatch(
	const struct handler *handler, struct rt_ctx *ctx, const json_t *event, json_t **answer)
{
	switch (handler->kind) {
	case KIND_SCHEDULE:
		return handle_schedule(handler, ctx, event, answer);
	case KIND_MAIL:
		return rt_handle_mail(ctx, handler->mail, handler->timeout_ms, event, answer);
	case KIND_DIRECT:
		return handler->direct(ctx, event, answer);
	case KIND_HTTP:
		break; /* not reached: handle_http() runs these handlers */
	}
	return RT_INTERNAL;
}

static void log_failure(struct rt_ctx *ctx, rt_status status)
{
	bool ours = status == RT_INTERNAL || status == RT_TEMPORARY;

	rt_log(ctx, ours ? RT_LOG_ERROR : RT_LOG_DEBUG, "%s: %s", ctx->failure.code,
		ctx->failure.detail);
}

/* The deadline of an event, on the monotonic clock. It is a little before the supervisor's
 * time-out, so that the answer still arrives. */
static int64_t deadline_after(int timeout_ms)
{
	int margin_ms = timeout_ms / 10 < 500 ? timeout_ms / 10 : 500;

	return rt_monotonic_ms() + timeout_ms - margin_ms;
}

static rt_status check_length(struct rt_ctx *ctx, const char *text, size_t length, size_t max)
{
	if (text == NULL)
		return rt_fail(ctx, RT_BAD_INPUT, "event-too-large",
			"an event may have %zu bytes at most", max);
	if (length == 0)
		return rt_fail(
			ctx, RT_BAD_INPUT, "event-empty", "an event is expected on standard input");
	return RT_OK;
}

static rt_status parse_event(struct rt_ctx *ctx, const char *text, size_t length, json_t **event)
{
	RT_TRY(rt_json_parse(ctx, text, length, event));
	if (!json_is_object(*event))
		return rt_fail(
			ctx, RT_BAD_INPUT, "event-invalid", "an event must be a JSON object");
	return RT_OK;
}

/* Puts the trace id into the environment. Does not use setenv(), which leaks the previous value at
 * every event. id may be NULL. */
static void keep_xray(const char *id)
{
	static char variable[sizeof RT_TRACE_VARIABLE + RT_TRACE_MAX];

	if (id == NULL) {
		unsetenv(RT_TRACE_VARIABLE);
		return;
	}
	snprintf(variable, sizeof variable, "%s=%s", RT_TRACE_VARIABLE, id);
	putenv(variable);
}

/* Sets ctx->trace. traceparent and xray: the values that came with the event, or NULL. */
static void take_trace(struct rt_ctx *ctx, const char *traceparent, const char *xray)
{
	struct rt_trace *trace = rt_alloc(ctx, sizeof *trace);

	keep_xray(xray);
	if (traceparent != NULL && rt_trace_read(traceparent, strlen(traceparent), trace))
		rt_trace_step(trace);
	else if (xray == NULL || !rt_trace_read_xray(xray, trace))
		rt_trace_make(trace);
	ctx->trace = trace;
	rt_log_set_trace(trace->id);
}

static void write_response(struct rt_answer *answer, const struct rt_response *res)
{
	if (!rt_answer_is_framed(answer) || res->body_length == 0) {
		rt_response_write(&answer->json, res);
		return;
	}
	rt_response_write_head(&answer->json, res);
	answer->body = res->body;
	answer->body_length = res->body_length;
}

static rt_status handle_http(const struct handler *handler, struct rt_ctx *ctx, const char *text,
	size_t length, struct rt_answer *answer, json_t **value)
{
	struct rt_request req;
	struct rt_response res = {.status = 200};
	rt_status status;

	(void)value;
	RT_TRY(rt_event_http(ctx, text, length, &req));
	take_trace(ctx, rt_request_header(&req, RT_TRACEPARENT), req.trace_id);
	ctx->request_id = req.id != NULL && req.id[0] != '\0' ? req.id : rt_uuid(ctx);
	status = rt_query_check(ctx, &req);
	if (status == RT_OK)
		status = handler->http(ctx, &req, &res);
	if (status != RT_OK)
		rt_respond_problem(ctx, &res);
	else
		rt_response_tag(ctx, &req, &res);
	rt_respond_limits(ctx, &res);
	write_response(answer, &res);
	return status;
}

static rt_status handle_other(const struct handler *handler, struct rt_ctx *ctx, const char *text,
	size_t length, struct rt_answer *answer, json_t **value)
{
	json_t *event;

	RT_TRY(parse_event(ctx, text, length, &event));
	take_trace(ctx, rt_json_string(event, RT_TRACEPARENT),
		rt_json_string(event, RT_TRACE_VARIABLE));
	json_object_del(event, RT_TRACEPARENT);
	json_object_del(event, RT_TRACE_VARIABLE);
	ctx->request_id = rt_event_request_id(ctx, event);
	(void)answer;
	return dispatch(handler, ctx, event, value);
}

/* Runs one event and fills the answer. True when it failed; but when an HTTP request was answered
 * with a problem, only if the failure is internal or temporary. text is NULL for an event that was
 * too large to read. */
static bool run_event(const struct handler *handler, struct rt_ctx *ctx, const char *text,
	size_t length, struct rt_answer *answer)
{
	json_t *value = NULL; /* the answer still to be written; stays NULL for HTTP, since
				 handle_http() writes the answer itself */
	rt_status status = check_length(ctx, text, length, handler->event_max);

	if (status == RT_OK)
		status = (handler->kind == KIND_HTTP ? handle_http : handle_other)(
			handler, ctx, text, length, answer, &value);
	if (status != RT_OK && ctx->failure.category == RT_OK)
		status = rt_fail(
			ctx, status, "unexplained", "the function failed and gave no reason");
	if (status != RT_OK)
		log_failure(ctx, status);
	if (answer->json.length > 0)
		return status == RT_INTERNAL || status == RT_TEMPORARY;
	if (status != RT_OK)
		value = rt_failure_json(ctx);
	else if (value == NULL)
		value = json_object();
	rt_json_write(&answer->json, value);
	return status != RT_OK;
}

/* Runs an event and writes its answer. line: NULL for a single event, whose answer has no tag. */
static bool answer_event(
	const struct handler *handler, const struct rt_line *line, const char *text, size_t length)
{
	struct rt_ctx ctx = {
		.arena = handler->arena,
		.function = handler->name,
		.deadline_ms = deadline_after(handler->timeout_ms),
		.follows = line != NULL && line->follows,
	};
	struct rt_answer answer;
	bool failed;

	rt_answer_init(&answer, &ctx, line);
	failed = run_event(handler, &ctx, text, length, &answer);
	if (!rt_answer_write(&answer, handler->out))
		exit(EXIT_FAILED); /* nothing reads the answers any more */
	rt_log_set_trace(NULL);    /* the trace id is in the event's memory, which is freed now */
	rt_arena_reset(handler->arena);
	return failed;
}

static int run_single(const struct handler *handler)
{
	struct rt_lines input = {0};
	bool failed;

	while (input.end <= handler->event_max && rt_lines_read(&input) > 0)
		;
	failed = answer_event(
		handler, NULL, input.end > handler->event_max ? NULL : input.bytes, input.end);
	free(input.bytes);
	return failed ? EXIT_FAILED : 0;
}

static int run_kept(const struct handler *handler, struct rt_begun *begun)
{
	struct rt_lines input = {0};
	struct rt_line line;

	while (rt_lines_next(&input, handler->event_max, &line))
		if (line.number == 0 || rt_begun_begin(begun, line.number))
			answer_event(handler, &line, line.event, line.length);
	free(input.bytes);
	return 0;
}

/* Makes a separate descriptor for answers, and redirects standard output to standard error, so that
 * the output of a library cannot corrupt an answer. */
static int take_standard_output(void)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		perror("standard output");
		exit(EXIT_FAILED);
	}
	return out;
}

static int timeout_from_environment(void)
{
	const char *text = getenv("EDS_TIMEOUT_MS");
	long value = text == NULL ? RT_TIMEOUT_MS_DEFAULT : strtol(text, NULL, 10);

	if (value < 1 || value > 15 * 60 * 1000) {
		fputs("EDS_TIMEOUT_MS must be a whole number from 1 to 900000\n", stderr);
		exit(RT_EXIT_CONFIG);
	}
	return (int)value;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static int print_usage(const char *name, bool asked)
{
	fprintf(asked ? stdout : stderr,
		"usage: %s [--kept]\nReads one JSON event from standard input and answers with "
		"one line.\nWith --kept it reads one event per line until the end of input.\n"
		"With --version it prints its release.\n",
		name);
	return asked ? 0 : 2;
}

static void (*prepare_events)(void);

void rt_prepare(void (*prepare)(void))
{
	prepare_events = prepare;
}

static int run(int argc, char **argv, struct handler handler)
{
	bool kept = argc == 2 && strcmp(argv[1], "--kept") == 0;
	struct rt_begun *begun;
	int result;

	if (rt_version_asked(argc, argv))
		return 0;
	if (argc > 1 && !kept)
		return print_usage(argv[0], argc == 2 && strcmp(argv[1], "--help") == 0);
	begun = rt_begun_take();
	rt_config_require();
	if (rt_config()->sandbox != RT_SANDBOX_OFF) {
		rt_hide_memory();
		rt_hide_environment();
	}
	handler.name = base_name(argv[0]);
	if (handler.event_max == 0)
		handler.event_max = RT_EVENT_BYTES_MAX;
	handler.timeout_ms = timeout_from_environment();
	handler.out = take_standard_output();
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	handler.arena = rt_arena_new();
	rt_json_use_arena(handler.arena);
	if (prepare_events != NULL)
		prepare_events();
	result = kept ? run_kept(&handler, begun) : run_single(&handler);
	rt_json_use_arena(NULL);
	rt_arena_free(handler.arena);
	return result;
}

int rt_main_http(int argc, char **argv, rt_http_handler handler)
{
	return run(argc, argv, (struct handler){.kind = KIND_HTTP, .http = handler});
}

int rt_main_http_within(int argc, char **argv, rt_http_handler handler, size_t event_bytes_max)
{
	return run(argc, argv,
		(struct handler){.kind = KIND_HTTP, .http = handler, .event_max = event_bytes_max});
}

int rt_main_schedule(int argc, char **argv, rt_schedule_handler handler)
{
	return run(argc, argv, (struct handler){.kind = KIND_SCHEDULE, .schedule = handler});
}

int rt_main_mail(int argc, char **argv, rt_mail_handler handler)
{
	return run(argc, argv, (struct handler){.kind = KIND_MAIL, .mail = handler});
}

int rt_main_direct(int argc, char **argv, rt_direct_handler handler)
{
	return run(argc, argv, (struct handler){.kind = KIND_DIRECT, .direct = handler});
}
