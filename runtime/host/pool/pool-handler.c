#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-room.h"
#include "runtime/host/pool/pool-state.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "runtime/ctx.h"
#include "runtime/host/gateway/recent.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	BACKOFF_MIN_MS = 50,
	BACKOFF_MAX_MS = 1000,
	REASON_MAX = 128,
};

void pool_handler_stop(struct pool_handler *handler)
{
	if (handler->process.pid == 0)
		return;
	event_free(handler->timer);
	handler->pool->owner->carrier->stop(handler);
	metric_add(handler->pool->running, (uint64_t)-1);
	handler->pool->owner->running--;
}

/* The next start waits a little longer each time, so that a broken program does not use up the
 * machine. */
void pool_back_off(struct pool *pool)
{
	int wait_ms = BACKOFF_MIN_MS;

	pool->failures++;
	for (int i = 2; i < pool->failures && wait_ms < BACKOFF_MAX_MS; i++)
		wait_ms *= 2;
	if (pool->failures > 1)
		pool->not_before_ms = rt_monotonic_ms() + wait_ms;
}

/* Describes how the process ended, without reaping it. A process that ends by itself closes its
 * output shortly before it is gone; killing it then does not change its status, and saves the
 * wait. */
static void describe_end(char *text, size_t size, pid_t pid)
{
	siginfo_t end = {.si_pid = 0};

	kill(pid, SIGKILL);
	if (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) != 0)
		snprintf(text, size, "is gone");
	else if (end.si_code == CLD_EXITED)
		snprintf(text, size, "ended with exit status %d", end.si_status);
	else
		snprintf(text, size, "was ended by signal %d (%s)", end.si_status,
			strsignal(end.si_status));
}

static void keep_outcome(const struct pool_handler *handler, enum pool_outcome outcome,
	const char *answer, size_t length)
{
	struct recent *recent = handler->pool->owner->recent;

	if (recent != NULL && handler->done != NULL)
		recent_end(recent, handler->recent, outcome, answer, length);
}

static void count_outcome(struct pool *pool, enum pool_outcome outcome)
{
	if (outcome == POOL_CRASHED)
		metric_add(pool->crashes, 1);
	else if (outcome == POOL_TIMED_OUT)
		metric_add(pool->timeouts, 1);
}

static void end_turn(struct pool_handler *handler)
{
	if (handler->sender != NULL)
		pool_turns_end(&handler->pool->turns, handler->sender);
	handler->sender = NULL;
}

/* Stops a failed handler; its current event, if any, gets the outcome. */
static void handler_fail(
	struct pool_handler *handler, enum pool_outcome outcome, const char *reason)
{
	struct pool *pool = handler->pool;
	pool_done done = handler->done;
	bool fresh = !handler->answered;

	rt_log_line(RT_LOG_ERROR, pool->function->name, NULL, "handler %d %s",
		(int)handler->process.pid, reason);
	pool_handler_stop(handler);
	keep_outcome(handler, outcome, NULL, 0);
	end_turn(handler);
	handler->done = NULL;
	if (outcome == POOL_CRASHED && fresh)
		pool_back_off(pool);
	count_outcome(pool, outcome);
	if (done != NULL)
		done(handler->arg, outcome, NULL, 0);
	pools_feed_starved(pool->owner);
	pool_pump(pool);
	pools_check_drained(pool->owner);
}

void pool_handler_ended(struct pool_handler *handler)
{
	char reason[REASON_MAX];

	describe_end(reason, sizeof reason, handler->process.pid);
	handler_fail(handler, POOL_CRASHED, reason);
}

void pool_handler_broken(struct pool_handler *handler)
{
	handler_fail(handler, POOL_CRASHED, "broke the protocol and was killed");
}

void pool_handler_outcome(
	struct pool_handler *handler, enum pool_outcome outcome, const char *text, size_t length)
{
	struct pool *pool = handler->pool;
	pool_done done = handler->done;
	void *arg = handler->arg;
	bool goes_on;

	evtimer_del(handler->timer);
	handler->answered = true;
	pool->failures = 0;
	count_outcome(pool, outcome);
	keep_outcome(handler, outcome, text, length);
	end_turn(handler);
	goes_on = pool_go_on(handler);
	done(arg, outcome, text, length);
	/* Only now is the handler idle: an idle handler may be ended, and that would free the
	 * text. */
	if (!goes_on)
		handler->done = NULL;
	handler->idle_since_ms = rt_monotonic_ms();
	pools_feed_starved(pool->owner);
	pool_pump(pool);
	pools_check_drained(pool->owner);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	handler_fail(arg, POOL_TIMED_OUT, "did not answer in time and was killed");
}

bool pool_handler_start(struct pool_handler *handler)
{
	struct pool *pool = handler->pool;

	if (!pool->owner->carrier->start(handler))
		return false;
	handler->timer = evtimer_new(pool->owner->base, on_late, handler);
	handler->answered = false;
	handler->generation = pool->generation;
	metric_add(pool->starts, 1);
	metric_add(pool->running, 1);
	pool->owner->running++;
	return true;
}

bool pool_handler_offer(
	struct pool_handler *handler, const char *event, size_t length, pool_done done, void *arg)
{
	const struct pools *pools = handler->pool->owner;
	int allowed_ms = handler->pool->function->timeout_ms + pools->carrier->grace_ms;
	struct timeval allowed = {allowed_ms / 1000, allowed_ms % 1000 * 1000};

	if (!pools->carrier->give(handler, event, length))
		return false;
	event_add(handler->timer, &allowed);
	handler->done = done;
	handler->arg = arg;
	if (pools->recent != NULL)
		handler->recent = recent_begin(
			pools->recent, handler->pool->function->name, event, length);
	return true;
}

bool pool_handler_give(
	struct pool_handler *handler, const char *event, size_t length, pool_done done, void *arg)
{
	if (pool_handler_offer(handler, event, length, done, arg))
		return true;
	if (!handler->answered)
		pool_back_off(handler->pool);
	pool_handler_stop(handler);
	return false;
}
