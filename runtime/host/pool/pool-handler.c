#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-ahead.h"
#include "runtime/host/pool/pool-outcomes.h"
#include "runtime/host/pool/pool-room.h"
#include "runtime/host/pool/pool-state.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "runtime/ctx.h"
#include "runtime/host/gateway/recent.h"
#include "runtime/log.h"
#include "runtime/process/begun.h"
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

/* From the second failure in a row on, delays the next start, so that a broken program does not use
 * up the machine. Each delay is twice as long as the one before, up to BACKOFF_MAX_MS. */
void pool_back_off(struct pool *pool)
{
	int wait_ms = BACKOFF_MIN_MS;

	pool->failures++;
	for (int i = 2; i < pool->failures && wait_ms < BACKOFF_MAX_MS; i++)
		wait_ms *= 2;
	if (pool->failures > 1)
		pool->not_before_ms = rt_monotonic_ms() + wait_ms;
}

/* Describes how the process ended, without reaping it; returns its exit status, or -1. A process
 * that ends by itself closes its output shortly before it is gone. Killing it then does not change
 * its status, and saves waiting for its end. */
static int describe_end(char *text, size_t size, pid_t pid)
{
	siginfo_t end = {.si_pid = 0};

	kill(pid, SIGKILL);
	if (waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT) != 0)
		snprintf(text, size, "is gone");
	else if (end.si_code == CLD_EXITED)
		snprintf(text, size, "ended with exit status %d%s", end.si_status,
			end.si_status == RT_PROCESS_NOT_STARTED
				? ": its program or a library is missing"
				: "");
	else
		snprintf(text, size, "was ended by signal %d (%s)", end.si_status,
			strsignal(end.si_status));
	return end.si_code == CLD_EXITED ? end.si_status : -1;
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
	if (outcome == POOL_CRASHED || outcome == POOL_ABSENT)
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

/* Reports POOL_CRASHED for the events that a failed handler had begun after its current event. */
static void tell_begun(struct pool *pool, struct pool_queue *begun)
{
	struct recent *recent = pool->owner->recent;

	while (begun->count > 0) {
		struct pool_waiting *waiting = pool_queue_pop(begun);
		const struct pool_event *event = &waiting->event;

		if (recent != NULL)
			recent_end(recent,
				recent_begin(
					recent, pool->function->name, event->text, event->length),
				POOL_CRASHED, NULL, 0);
		event->done(event->arg, POOL_CRASHED, NULL, 0);
		free(waiting);
	}
}

/* Stops the handler. Its current event, if any, gets the outcome, unless that event waits in the
 * queue again. */
static void end_with(struct pool_handler *handler, enum pool_outcome outcome)
{
	bool waits_again = pool_ahead_end(handler, outcome);
	pool_done done = waits_again ? NULL : handler->done;
	void *arg = handler->arg;
	struct pool_queue begun;

	pool_queue_init(&begun);
	pool_queue_put_front(&begun, &handler->behind);
	pool_handler_stop(handler);
	if (!waits_again)
		keep_outcome(handler, outcome, NULL, 0);
	end_turn(handler);
	handler->done = NULL;
	if (done != NULL)
		done(arg, outcome, NULL, 0);
	tell_begun(handler->pool, &begun);
}

void pool_handler_abandon(struct pool_handler *handler)
{
	end_with(handler, POOL_CRASHED);
}

static void handler_fail(
	struct pool_handler *handler, enum pool_outcome outcome, const char *reason)
{
	struct pool *pool = handler->pool;

	rt_log_line(RT_LOG_ERROR, pool->function->name, NULL, "handler %d %s",
		(int)handler->process.pid, reason);
	if (outcome != POOL_TIMED_OUT && !handler->answered)
		pool_back_off(pool);
	count_outcome(pool, outcome);
	end_with(handler, outcome);
	pools_feed_starved(pool->owner);
	pool_pump(pool);
	pools_check_drained(pool->owner);
}

/* The time from when an event becomes the current one until the handler is killed. */
static int64_t allowed_ms(const struct pool_handler *handler)
{
	const struct pool *pool = handler->pool;

	return pool->function->timeout_ms + pool->owner->carrier->grace_ms;
}

void pool_handler_ended(struct pool_handler *handler)
{
	char reason[REASON_MAX];
	int status = describe_end(reason, sizeof reason, handler->process.pid);
	bool began = handler->answered || rt_begun_is_read(handler->process.begun);
	bool absent = status == RT_PROCESS_NOT_STARTED && !began;

	handler_fail(handler, absent ? POOL_ABSENT : POOL_CRASHED, reason);
}

void pool_handler_broken(struct pool_handler *handler)
{
	handler_fail(handler, POOL_CRASHED, "broke the protocol and was killed");
}

void pool_handler_set_timer(struct pool_handler *handler)
{
	int64_t began_ms = handler->began_us / 1000;
	int64_t at_ms = began_ms + allowed_ms(handler);
	int64_t stalls_at_ms = POOL_STALL_MS + (handler->stalled ? rt_monotonic_ms() : began_ms);
	struct timeval wait;

	if (handler->behind.count > 0 && at_ms > stalls_at_ms)
		at_ms = stalls_at_ms;
	if (handler->timer_at_ms != 0 && handler->timer_at_ms <= at_ms)
		return;
	handler->timer_at_ms = at_ms;
	at_ms -= rt_monotonic_ms();
	at_ms = at_ms > 0 ? at_ms : 0;
	wait = (struct timeval){at_ms / 1000, at_ms % 1000 * 1000};
	event_add(handler->timer, &wait);
}

/* Stores the event among the recent events and returns its number. An event that is given to a
 * second handler keeps its number, unless a newer event has replaced it among the recent events. */
static uint64_t keep_event(const struct pool *pool, const struct pool_event *event)
{
	struct recent *recent = pool->owner->recent;

	if (recent == NULL || recent_give_again(recent, event->recent))
		return event->recent;
	return recent_begin(recent, pool->function->name, event->text, event->length);
}

/* Makes the event the current one, and starts its time-out. */
static void begin(struct pool_handler *handler, const struct pool_event *event, int64_t now_us)
{
	handler->done = event->done;
	handler->arg = event->arg;
	handler->again = event->began_us != 0;
	handler->began_us = handler->again ? event->began_us : now_us;
	handler->stalled = false;
	handler->recent = keep_event(handler->pool, event);
	pool_handler_set_timer(handler);
}

/* Makes the next event in the handler's pipe the current one. If the pipe is empty, frees the place
 * that the sender held (pool-turns.h), and the handler may take an event from the queue. False when
 * the handler takes no event and becomes idle. */
static bool go_on(struct pool_handler *handler, int64_t now_us)
{
	struct pool_waiting *next;

	if (handler->behind.count == 0) {
		end_turn(handler);
		return pool_go_on(handler);
	}
	next = pool_queue_pop(&handler->behind);
	begin(handler, &next->event, now_us);
	free(next);
	return true;
}

void pool_handler_outcome(
	struct pool_handler *handler, enum pool_outcome outcome, const char *text, size_t length)
{
	struct pool *pool = handler->pool;
	pool_done done = handler->done;
	void *arg = handler->arg;
	int64_t now_us = rt_monotonic_us();
	bool goes_on;

	pool_ahead_note(pool, now_us - handler->began_us);
	handler->answered = true;
	handler->idle_since_ms = now_us / 1000;
	pool->failures = 0;
	count_outcome(pool, outcome);
	keep_outcome(handler, outcome, text, length);
	goes_on = go_on(handler, now_us);
	done(arg, outcome, text, length);
	/* The handler becomes idle only after done(): an idle handler may be ended, and that would
	 * free the text. */
	if (!goes_on)
		handler->done = NULL;
	pools_feed_starved(pool->owner);
	pool_pump(pool);
	pools_check_drained(pool->owner);
}

/* Called when the timer fires. That may be too early, since the timer is not set again for each
 * event. */
static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct pool_handler *handler = arg;
	int64_t took_ms = rt_monotonic_ms() - handler->began_us / 1000;

	(void)fd;
	(void)what;
	handler->timer_at_ms = 0;
	if (handler->done == NULL)
		return;
	if (took_ms >= allowed_ms(handler)) {
		handler_fail(handler, POOL_TIMED_OUT, "did not answer in time and was killed");
		return;
	}
	if (handler->behind.count > 0 && took_ms >= POOL_STALL_MS) {
		handler->stalled = true;
		pool_ahead_take_back(handler);
		pool_pump(handler->pool);
	}
	pool_handler_set_timer(handler);
}

bool pool_handler_start(struct pool_handler *handler)
{
	struct pool *pool = handler->pool;

	if (!pool->owner->carrier->start(handler))
		return false;
	handler->timer = evtimer_new(pool->owner->base, on_timer, handler);
	handler->timer_at_ms = 0;
	handler->answered = false;
	handler->generation = pool->generation;
	metric_add(pool->starts, 1);
	metric_add(pool->running, 1);
	pool->owner->running++;
	return true;
}

bool pool_handler_offer(struct pool_handler *handler, const struct pool_event *event)
{
	if (!handler->pool->owner->carrier->give(handler, event))
		return false;
	begin(handler, event, rt_monotonic_us());
	return true;
}

bool pool_handler_give(struct pool_handler *handler, const struct pool_event *event)
{
	if (pool_handler_offer(handler, event))
		return true;
	if (!handler->answered)
		pool_back_off(handler->pool);
	pool_handler_stop(handler);
	return false;
}
