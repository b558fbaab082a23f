#include <event2/event.h>

#include "runtime/host/pool/handler-env.h"
#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-state.h"
#include "runtime/process/begun.h"
#include "runtime/process/process-lines.h"

enum {
	/* a handler reports its own time-out shortly before it would be killed */
	KILL_GRACE_MS = 250,
};

/* Notes that the handler's program reads the page. If a later handler of this program dies without
 * having read the page, the pool then knows that this handler has begun no event. */
static void note_page(const struct pool_handler *handler)
{
	struct pool *pool = handler->pool;

	if (handler->generation == pool->generation && rt_begun_is_read(handler->process.begun))
		pool->reads_page = true;
}

/* Handles the next answer that the process has written. The callback may stop the handler, and
 * start another process in its place. */
static enum rt_process_result take_output(struct pool_handler *handler)
{
	const char *answer;
	size_t length;
	enum rt_process_result result = rt_process_read(&handler->process, &answer, &length);

	switch (result) {
	case RT_PROCESS_AGAIN:
		break;
	case RT_PROCESS_ANSWER:
		note_page(handler);
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
	return result;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct pool_handler *handler = arg;

	(void)fd;
	(void)what;
	while (take_output(handler) == RT_PROCESS_ANSWER && rt_process_has_more(&handler->process))
		;
}

/* Ends a process that no longer reads. Before that, handles the answers that it has written. */
static void end_deaf(struct pool_handler *handler)
{
	pid_t pid = handler->process.pid;

	while (handler->process.pid == pid && take_output(handler) == RT_PROCESS_ANSWER)
		;
	if (handler->process.pid == pid)
		pool_handler_ended(handler);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct pool_handler *handler = arg;

	(void)fd;
	(void)what;
	if (!rt_process_flush(&handler->process))
		end_deaf(handler);
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
		.data_limit_bytes = handler_data_limit(pool->function),
		.shares_page = true,
		.reads_page = pool->reads_page};

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

static bool give(struct pool_handler *handler, const struct pool_event *event)
{
	if (!rt_process_send(&handler->process, event->text, event->length, event->framed))
		return false;
	if (rt_process_unsent(&handler->process))
		event_add(handler->writable, NULL);
	return true;
}

static bool has_room(const struct pool_handler *handler)
{
	return rt_process_takes_more(&handler->process);
}

/* Adds an event to the pipe. It is written, together with others, after the loop has handled
 * everything that is ready. */
static bool follow(struct pool_handler *handler, const struct pool_event *event)
{
	if (!rt_process_queue(&handler->process, event->text, event->length, event->framed))
		return false;
	event_active(handler->writable, EV_WRITE, 0);
	return true;
}

static size_t take_back(struct pool_handler *handler, bool ends)
{
	return rt_process_take_back(&handler->process, ends);
}

static void first(const struct pool_handler *handler, struct pool_event *event)
{
	event->text = rt_process_first(&handler->process, &event->length, &event->framed);
}

const struct pool_carrier pool_pipes = {.grace_ms = KILL_GRACE_MS,
	.start = start,
	.stop = stop,
	.give = give,
	.has_room = has_room,
	.follow = follow,
	.take_back = take_back,
	.first = first};
