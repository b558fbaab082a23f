#include "local/serve/carrier.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "local/serve/runtime-api.h"
#include "runtime/ctx.h"
#include "runtime/host/beside.h"
#include "runtime/host/pool/handler-env.h"
#include "runtime/host/pool/pool-handler.h"
#include "runtime/time.h"

enum {
	BOOTSTRAP_MARGIN_MS = 1000, /* time in which bootstrap kills and reports a late function */
	GRACE_MS = 250 + BOOTSTRAP_MARGIN_MS,
	STOP_MS = 500, /* time for an idle bootstrap to end itself and its function */
	VARIABLE_MAX = PATH_MAX + 32,
	OWN_VARIABLES = 3,
};

/* Translates an error type of the Lambda Runtime API to a pool outcome. An error that the function
 * itself reports, {"errorType", "errorMessage"}, is not translated: it is passed on as the
 * function's answer. */
static void on_outcome(void *arg, const char *error_type, const char *text, size_t length)
{
	enum pool_outcome outcome = POOL_ANSWERED;

	if (error_type != NULL && strcmp(error_type, "Function.TimedOut") == 0)
		outcome = POOL_TIMED_OUT;
	else if (error_type != NULL && strcmp(error_type, "Runtime.ExitError") == 0)
		outcome = POOL_CRASHED;
	else if (error_type != NULL && strcmp(error_type, "Function.InvalidAnswer") == 0)
		/* an empty answer counts as an answer that is not JSON */
		length = 0;
	pool_handler_outcome(arg, outcome, text, length);
}

/* Called when the standard output of a bootstrap becomes readable. A bootstrap writes nothing to
 * its standard output, so this means that the bootstrap has ended. */
static void on_end(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	pool_handler_ended(arg);
}

static bool start_process(struct pool_handler *handler)
{
	const struct carrier *carrier = handler->pool->owner->carrier_arg;
	const char *environment[HANDLER_ENV_MAX + OWN_VARIABLES + 2];
	char address[VARIABLE_MAX];
	char name[VARIABLE_MAX];
	char root[VARIABLE_MAX];
	struct rt_process_spec spec = {.path = carrier->bootstrap, .environment = environment};
	size_t count = 0;

	/* When two variables have the same name, the first one counts. These variables come first,
	 * so they override those of the runner. */
	snprintf(address, sizeof address, "AWS_LAMBDA_RUNTIME_API=%s",
		runtime_api_address(handler->link));
	snprintf(name, sizeof name, "_HANDLER=%s", handler->pool->function->name);
	environment[count++] = address;
	environment[count++] = name;
	if (carrier->functions != NULL) {
		snprintf(root, sizeof root, "LAMBDA_TASK_ROOT=%s", carrier->functions);
		environment[count++] = root;
	}
	for (const char **at = handler->pool->environment; *at != NULL; at++)
		environment[count++] = *at;
	environment[count] = NULL;
	return rt_process_start(&handler->process, &spec);
}

static bool start(struct pool_handler *handler)
{
	const struct pool *pool = handler->pool;

	handler->link = runtime_api_new(
		pool->owner->base, pool->function->name, on_outcome, handler);
	if (handler->link == NULL)
		return false;
	if (!start_process(handler)) {
		runtime_api_free(handler->link);
		return false;
	}
	handler->readable = event_new(
		pool->owner->base, handler->process.out, EV_READ | EV_PERSIST, on_end, handler);
	event_add(handler->readable, NULL);
	return true;
}

/* Stops a bootstrap. An idle bootstrap first gets SIGTERM, so that it can end everything that its
 * function has started. The end of its standard output shows that it is done. */
static void stop(struct pool_handler *handler)
{
	struct pollfd end = {.fd = handler->process.out, .events = POLLIN};

	if (handler->done == NULL && kill(handler->process.pid, SIGTERM) == 0)
		while (poll(&end, 1, STOP_MS) < 0 && errno == EINTR)
			continue;
	event_free(handler->readable);
	runtime_api_free(handler->link);
	rt_process_stop(&handler->process);
}

static bool give(struct pool_handler *handler, const struct pool_event *event)
{
	int64_t allowed_ms = handler->pool->function->timeout_ms + BOOTSTRAP_MARGIN_MS;

	return runtime_api_give(
		handler->link, event->text, event->length, rt_wall_ms() + allowed_ms);
}

bool carrier_init(struct carrier *carrier, struct pools *pools, const char *functions)
{
	static const struct pool_carrier through_bootstrap = {
		.grace_ms = GRACE_MS, .start = start, .stop = stop, .give = give};

	path_beside(carrier->bootstrap, "bootstrap");
	carrier->functions = functions;
	pools_carry(pools, &through_bootstrap, carrier->bootstrap, carrier);
	return access(carrier->bootstrap, X_OK) == 0;
}
