#include <event2/event.h>

#include "runtime/host/pool/handler-env.h"
#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-state.h"

enum {
	KILL_GRACE_MS = 250, /* a handler reports its own time-out shortly before */
};

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct pool_handler *handler = arg;
	const char *answer;
	size_t length;

	(void)fd;
	(void)what;
	switch (rt_process_read(&handler->process, &answer, &length)) {
	case RT_PROCESS_AGAIN:
		break;
	case RT_PROCESS_ANSWER:
		if (handler->process.counts[0] != '\0')
			pools_counted(handler->pool, handler->process.counts);
		pool_handler_outcome(handler, POOL_ANSWERED, answer, length);
		break;
	case RT_PROCESS_ENDED:
		pool_handler_ended(handler);
		break;
	case RT_PROCESS_BROKEN:
		pool_handler_broken(handler);
		break;
	}
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct pool_handler *handler = arg;

	(void)fd;
	(void)what;
	if (!rt_process_flush(&handler->process))
		pool_handler_ended(handler);
	else if (rt_process_unsent(&handler->process))
		event_add(handler->writable, NULL);
}

static bool start(struct pool_handler *handler)
{
	const struct pool *pool = handler->pool;
	struct event_base *base = pool->owner->base;
	struct rt_process_spec spec = {.path = pool->function->program,
		.argument = "--kept",
		.environment = pool->environment,
		.data_limit_bytes = handler_data_limit(pool->function)};

	if (!rt_process_start(&handler->process, &spec))
		return false;
	handler->readable = event_new(
		base, handler->process.out, EV_READ | EV_PERSIST, on_readable, handler);
	handler->writable = event_new(base, handler->process.in, EV_WRITE, on_writable, handler);
	event_add(handler->readable, NULL);
	return true;
}

static void stop(struct pool_handler *handler)
{
	event_free(handler->readable);
	event_free(handler->writable);
	rt_process_stop(&handler->process);
}

static bool give(struct pool_handler *handler, const char *event, size_t length)
{
	if (!rt_process_send(&handler->process, event, length))
		return false;
	if (rt_process_unsent(&handler->process))
		event_add(handler->writable, NULL);
	return true;
}

const struct pool_carrier pool_pipes = {
	.grace_ms = KILL_GRACE_MS, .start = start, .stop = stop, .give = give};
