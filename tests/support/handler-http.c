/* A handler for tests of the runner, built like real functions. The last segment of the path says
 * what it does: echo, sleep, nap, pause, crash, exit, fail, large, binary, pid. The slow ones log
 * their begin, so that tests can act meanwhile. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/log.h"

enum {
	LARGE_BYTES = 3 * 1024 * 1024,
	SLEEP_SECONDS = 600,
	NAP_SECONDS = 1,
};

static const char binary[] = "\x89PNG\r\n\x1a\n\x00\xff";

static json_t *object_of(struct rt_ctx *ctx, const struct rt_field *field)
{
	json_t *object = json_object();

	for (; field != NULL; field = field->next)
		rt_json_set_text(ctx, object, field->name, field->value);
	return object;
}

static rt_status echo(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	json_t *value = json_object();

	rt_json_set_text(ctx, value, "method", req->method);
	rt_json_set_text(ctx, value, "path", req->path);
	rt_json_set_text(ctx, value, "query", req->query);
	rt_json_set_text(ctx, value, "sourceIp", req->source_ip);
	rt_json_set(value, "headers", object_of(ctx, req->headers));
	rt_json_set(value, "params", object_of(ctx, req->path_params));
	rt_json_set(value, "queryParams", object_of(ctx, req->query_params));
	rt_json_set(value, "length", json_integer((json_int_t)req->body_length));
	rt_json_set_text(ctx, value, "body", req->body);
	rt_json_set_text(ctx, value, "timeout", getenv("EDS_TIMEOUT_MS"));
	return rt_respond_json(ctx, res, 200, value);
}

static rt_status large(struct rt_ctx *ctx, struct rt_response *res)
{
	char *body = rt_alloc(ctx, LARGE_BYTES + 1);

	memset(body, 'x', LARGE_BYTES);
	return rt_respond_bytes(ctx, res, 200, "text/plain", body, LARGE_BYTES, false);
}

static rt_status pid(struct rt_ctx *ctx, struct rt_response *res)
{
	return rt_respond_json(ctx, res, 200, json_integer(getpid()));
}

static rt_status act(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *slash = strrchr(req->path, '/');
	const char *name = slash == NULL ? "" : slash + 1;

	if (strcmp(name, "sleep") == 0 || strcmp(name, "nap") == 0)
		rt_log(ctx, RT_LOG_INFO, "the %s begins", name);
	if (strcmp(name, "sleep") == 0)
		sleep(SLEEP_SECONDS);
	if (strcmp(name, "nap") == 0)
		sleep(NAP_SECONDS);
	if (strcmp(name, "pause") == 0)
		usleep(300000);
	if (strcmp(name, "crash") == 0)
		raise(SIGKILL);
	if (strcmp(name, "exit") == 0)
		_exit(3);
	if (strcmp(name, "fail") == 0)
		return rt_fail(ctx, RT_CONFLICT, "test-conflict", "as asked");
	if (strcmp(name, "large") == 0)
		return large(ctx, res);
	if (strcmp(name, "pid") == 0)
		return pid(ctx, res);
	if (strcmp(name, "binary") == 0)
		return rt_respond_bytes(
			ctx, res, 200, "image/png", binary, sizeof binary - 1, true);
	return echo(ctx, req, res);
}

int main(int argc, char **argv)
{
	rt_takes_any_query();
	return rt_main_http(argc, argv, act);
}
