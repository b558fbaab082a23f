#include "local/dispatch/dispatch-put-off.h"
#include "local/dispatch/dispatch-send.h"
#include "local/dispatch/dispatch-state.h"
#include "local/dispatch/dispatch-wait.h"
#include "runtime/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/dispatch/dispatch-answer.h"
#include "local/dispatch/dispatch-failed.h"
#include "local/dispatch/event-mail.h"
#include "local/spool/spool-damaged.h"
#include "runtime/log.h"

enum {
	EXPIRE_SECONDS = 600,
	READ_TIMEOUT_MS = 30000,
	LABELS_MAX = 128,
};

static void on_expire(evutil_socket_t fd, short what, void *arg)
{
	const struct dispatch *dispatch = arg;
	int spool = spool_descriptor(dispatch->settings.spool);

	(void)fd;
	(void)what;
	failed_expire(spool, DISPATCH_FAILED_HOURS);
	spool_folder_expire(spool, RT_SPOOL_DAMAGED, SPOOL_DAMAGED_HOURS);
}

static void count_queued(struct dispatch *dispatch, int change)
{
	dispatch->queued += (size_t)change;
	metric_set(dispatch->queued_gauge, dispatch->queued);
}

/* Adds the item to the list by age. Mail is added in the order in which it is received, so the
 * first in the list is the oldest. */
static void join_list(struct dispatch *dispatch, struct item *item)
{
	item->older = dispatch->newest;
	if (item->older != NULL)
		item->older->newer = item;
	else
		dispatch->oldest = item;
	dispatch->newest = item;
	count_queued(dispatch, 1);
}

static void leave_list(struct dispatch *dispatch, struct item *item)
{
	if (item->older != NULL)
		item->older->newer = item->newer;
	else
		dispatch->oldest = item->newer;
	if (item->newer != NULL)
		item->newer->older = item->older;
	else
		dispatch->newest = item->older;
	count_queued(dispatch, -1);
}

/* Sets the metric to the age of the oldest mail that was never put off. Mail that was put off is
 * old on purpose, and anybody can send such mail. */
void dispatch_look_at_clock(struct dispatch *dispatch)
{
	const struct item *oldest = dispatch->oldest;
	int64_t age_ms;

	while (oldest != NULL && oldest->put_offs > 0)
		oldest = oldest->newer;
	age_ms = oldest != NULL ? rt_wall_ms() - oldest->received_at_ms : 0;
	metric_set(dispatch->oldest_gauge, age_ms > 0 ? (uint64_t)age_ms / 1000 : 0);
}

static void add_metrics(struct dispatch *dispatch)
{
	dispatch->queued_gauge = metric_gauge(
		"eds_mail_queued", "Mail events waiting or under way.", "");
	dispatch->waiting_gauge = metric_gauge("eds_mail_waiting",
		"Mail events that wait for a part of the service that does not work.", "");
	dispatch->put_off_gauge = metric_gauge("eds_mail_put_off",
		"Mail events that a function put off, and that are sent again later.", "");
	dispatch->oldest_gauge = metric_gauge("eds_mail_oldest_seconds",
		"Age of the oldest mail that is neither processed nor put off; 0 if there is none.",
		"");
	dispatch->delivered = metric_counter(
		"eds_mail_delivered_total", "Mail events processed.", "");
	dispatch->retried = metric_counter("eds_mail_retried_total", "Mail events sent again.", "");
	dispatch->failed = metric_counter("eds_mail_failed_total", "Mail events given up.", "");
}

static void batch_written(void *arg)
{
	struct dispatch *dispatch = arg;

	int64_t now = rt_monotonic_ms();

	for (size_t i = 0; i < dispatch->settings.manifest->count; i++) {
		struct queue *queue = &dispatch->queues[i];

		if (now - queue->slot_at_ms >= DISPATCH_BUSY_PAUSE_MS) {
			queue->slot = true;
			queue->slot_at_ms = now;
		}
		dispatch_send_waiting(dispatch, queue);
	}
}

struct dispatch *dispatch_new(const struct dispatch_settings *settings)
{
	const struct timeval interval = {.tv_sec = EXPIRE_SECONDS};
	struct dispatch *dispatch = calloc(1, sizeof *dispatch);

	if (dispatch == NULL)
		return NULL;
	dispatch->settings = *settings;
	for (size_t i = 0; i < settings->manifest->count; i++) {
		const struct manifest_function *function = &settings->manifest->functions[i];

		dispatch->queues[i].function = function;
		fair_queue_init(&dispatch->queues[i].waiting, (size_t)function->handlers);
	}
	dispatch->ctx.arena = rt_arena_new();
	rt_buffer_init_heap(&dispatch->text, EVENT_MAIL_BYTES_MAX);
	add_metrics(dispatch);
	dispatch->mover = mail_mover_new(settings->base);
	dispatch->expire = event_new(settings->base, -1, EV_PERSIST, on_expire, dispatch);
	if (dispatch->expire == NULL || event_add(dispatch->expire, &interval) != 0 ||
		dispatch->mover == NULL) {
		dispatch_free(dispatch);
		return NULL;
	}
	on_expire(-1, 0, dispatch);
	spool_on_batch(settings->spool, batch_written, dispatch);
	return dispatch;
}

struct rt_ctx *dispatch_begin(struct dispatch *dispatch, const struct item *item)
{
	struct rt_arena *arena = dispatch->ctx.arena;

	dispatch->ctx = (struct rt_ctx){
		.arena = arena,
		.function = item->queue->function->name,
		.deadline_ms = rt_monotonic_ms() + READ_TIMEOUT_MS,
	};
	return &dispatch->ctx;
}

void dispatch_end(struct dispatch *dispatch)
{
	rt_arena_reset(dispatch->ctx.arena);
}

void dispatch_item_free(struct item *item)
{
	dispatch_want_nothing(item);
	dispatch_forget_put_off(item);
	leave_list(item->dispatch, item);
	if (item->pause != NULL)
		event_free(item->pause);
	fair_leave(&item->queue->waiting, &item->turn);
	free(item);
}

static void finish(struct item *item)
{
	struct held_mail *held = item->dispatch->settings.held;

	spool_done(item->dispatch->settings.spool, &item->place);
	if (held != NULL)
		held_mail_give_back(held, item->client_ip, item->held_octets);
	dispatch_item_free(item);
}

static void removed(struct mover_job *job, rt_status status)
{
	if (status != RT_OK)
		rt_log_line(RT_LOG_WARNING, NULL, job->remove,
			"a message that was given up could not be removed from the mail store: %s",
			job->ctx.failure.detail);
}

static rt_status remove_message(
	struct rt_ctx *ctx, const struct dispatch *dispatch, const char *message_id)
{
	struct mover_job *job;

	job = mover_job_new();
	if (job == NULL)
		return rt_fail(ctx, RT_TEMPORARY, "out-of-memory", "out of memory");
	job->remove = rt_strdup(&job->ctx, message_id);
	job->done = removed;
	mail_mover_submit(dispatch->mover, job);
	return RT_OK;
}

/* Copies the message to failed/; on failure it stays in the spool for the next start. */
static rt_status keep_failed(struct rt_ctx *ctx, struct item *item, const char *reason)
{
	struct spool *spool = item->dispatch->settings.spool;
	const struct spool_target *target;
	struct spool_mail mail;

	RT_TRY(spool_read(ctx, spool, &item->place, &mail));
	target = &mail.targets[item->place.target];
	RT_TRY(failed_keep(ctx, spool_descriptor(spool), &mail, target, reason));
	/* No function needs the copy in the mail store once the message is given up. */
	return remove_message(ctx, item->dispatch, target->message_id);
}

void dispatch_give_up(struct item *item, const char *reason)
{
	struct dispatch *dispatch = item->dispatch;
	const char *function = item->queue->function->name;
	struct rt_ctx *ctx = dispatch_begin(dispatch, item);

	metric_add(dispatch->failed, 1);
	rt_log_line(RT_LOG_ERROR, function, item->message_id, "mail given up: %s", reason);
	if (keep_failed(ctx, item, reason) == RT_OK) {
		finish(item);
	} else {
		rt_log_line(RT_LOG_ERROR, function, item->message_id, "%s", ctx->failure.detail);
		dispatch_item_free(item);
	}
	dispatch_end(dispatch);
}

static void join_pausing(struct item *item)
{
	struct dispatch *dispatch = item->dispatch;

	item->next_pausing = dispatch->pausing;
	item->pausing_link = &dispatch->pausing;
	if (item->next_pausing != NULL)
		item->next_pausing->pausing_link = &item->next_pausing;
	dispatch->pausing = item;
}

static void leave_pausing(struct item *item)
{
	*item->pausing_link = item->next_pausing;
	if (item->next_pausing != NULL)
		item->next_pausing->pausing_link = item->pausing_link;
}

static void on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct item *item = arg;

	(void)fd;
	(void)what;
	leave_pausing(item);
	fair_wait(&item->queue->waiting, &item->turn);
	item->queue->probe = true;
	dispatch_send_waiting(item->dispatch, item->queue);
}

void dispatch_end_pauses(struct dispatch *dispatch, const struct need *need)
{
	/* This loop only activates the timers. on_resume() runs later and removes the items from
	 * the list. */
	for (struct item *item = dispatch->pausing; item != NULL; item = item->next_pausing)
		if (item->want == need)
			event_active(item->pause, EV_TIMEOUT, 0);
}

bool dispatch_pause(struct item *item, int pause_ms)
{
	struct dispatch *dispatch = item->dispatch;
	const struct timeval interval = {pause_ms / 1000, pause_ms % 1000 * 1000};

	if (item->pause == NULL)
		item->pause = evtimer_new(dispatch->settings.base, on_resume, item);
	if (item->pause == NULL || evtimer_add(item->pause, &interval) != 0)
		return false;
	join_pausing(item);
	return true;
}

void dispatch_try_again(struct item *item, const char *reason)
{
	struct dispatch *dispatch = item->dispatch;

	if (++item->tries >= DISPATCH_TRIES) {
		dispatch_give_up(item, reason);
	} else if (dispatch->stopped ||
		!dispatch_pause(item, dispatch->settings.pauses_ms[item->tries - 1])) {
		dispatch_item_free(item); /* the message stays in the spool for the next start */
	} else {
		metric_add(dispatch->retried, 1);
		rt_log_line(RT_LOG_WARNING, item->queue->function->name, item->message_id,
			"mail event failed on try %d, it will be sent again: %s", item->tries,
			reason);
	}
}

static struct metric *seconds_of(const struct manifest_function *function)
{
	char labels[LABELS_MAX];

	snprintf(labels, sizeof labels, "function=\"%s\"", function->name);
	return metric_histogram("eds_mail_seconds",
		"Time from the acceptance of a message until its function has processed it.",
		labels);
}

/* Adds the age of the message to the metric. The age counts as 0 if the wall clock was set back. */
static void observe_age(const struct item *item)
{
	int64_t age_ms = rt_wall_ms() - item->received_at_ms;

	metric_observe(seconds_of(item->queue->function), age_ms > 0 ? (double)age_ms / 1000 : 0);
}

void dispatch_answered(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct item *item = arg;
	struct queue *queue = item->queue;
	struct dispatch *dispatch = item->dispatch;
	char reason[DISPATCH_REASON_MAX];
	enum dispatch_verdict verdict = dispatch_judge(outcome, text, length, reason);

	fair_end(&queue->waiting, &item->turn);
	if (verdict == DISPATCH_DEALT_WITH) {
		dispatch_served(item, &queue->function_need);
		metric_add(dispatch->delivered, 1);
		observe_age(item);
		rt_log_line(RT_LOG_INFO, queue->function->name, item->message_id,
			"mail event processed on try %d", item->tries + 1);
		finish(item);
	} else if (dispatch->stopped && outcome != POOL_ANSWERED) {
		/* interrupted because the runner stops, which does not count as a try */
		dispatch_item_free(item);
	} else if (outcome == POOL_BUSY) {
		/* no handler was free, which does not count as a try */
		fair_wait(&queue->waiting, &item->turn);
	} else if (verdict == DISPATCH_NOT_NOW) {
		dispatch_wait(item, &queue->function_need, reason);
	} else if (verdict == DISPATCH_PUT_OFF && item->may_be_put_off) {
		dispatch_served(item, &queue->function_need);
		dispatch_put_off(item, reason);
	} else {
		dispatch_try_again(item, reason);
	}
	dispatch_send_waiting(dispatch, queue);
}

static bool may_send(const struct dispatch *dispatch, const struct queue *queue)
{
	return !dispatch->stopped && (queue->slot || !spool_is_busy(dispatch->settings.spool)) &&
		dispatch_has_needs(dispatch, queue);
}

void dispatch_send_waiting(struct dispatch *dispatch, struct queue *queue)
{
	while (may_send(dispatch, queue)) {
		struct fair_entry *next = fair_take(&queue->waiting);

		if (next == NULL)
			break;
		queue->slot = false;
		queue->probe = false;
		dispatch_send((struct item *)next);
	}
}

static struct queue *find_queue(struct dispatch *dispatch, const char *function)
{
	for (size_t i = 0; i < dispatch->settings.manifest->count; i++)
		if (strcmp(dispatch->queues[i].function->name, function) == 0)
			return &dispatch->queues[i];
	return NULL;
}

void dispatch_add(struct dispatch *dispatch, const struct spool_place *place, const char *function,
	const char *client_ip, size_t held_octets, int64_t received_at_ms)
{
	struct item *item = calloc(1, sizeof *item);
	struct queue *queue = find_queue(dispatch, function);

	if (queue == NULL || item == NULL || !fair_join(&queue->waiting, &item->turn, client_ip)) {
		rt_log_line(RT_LOG_ERROR, function, NULL, "mail stays in the spool: %s",
			queue == NULL ? "no such function" : "out of memory");
		free(item);
		return;
	}
	item->dispatch = dispatch;
	item->queue = queue;
	item->place = *place;
	item->received_at_ms = received_at_ms;
	item->held_octets = held_octets;
	snprintf(item->client_ip, sizeof item->client_ip, "%s", client_ip);
	join_list(dispatch, item);
	fair_wait(&queue->waiting, &item->turn);
	queue->probe = true;
	dispatch_send_waiting(dispatch, queue);
}

size_t dispatch_queued(const struct dispatch *dispatch)
{
	return dispatch->queued;
}

void dispatch_stop(struct dispatch *dispatch)
{
	dispatch->stopped = true;
	mail_mover_stop(dispatch->mover);
}

static void free_pausing(struct dispatch *dispatch)
{
	while (dispatch->pausing != NULL) {
		struct item *item = dispatch->pausing;

		dispatch->pausing = item->next_pausing;
		dispatch_item_free(item);
	}
}

static void free_waiting(struct fair_queue *waiting)
{
	struct fair_entry *entry;

	/* Frees the place of each entry at once, since fair_take() gives no further entry when all
	 * places are taken. */
	while ((entry = fair_take(waiting)) != NULL) {
		fair_end(waiting, entry);
		dispatch_item_free((struct item *)entry);
	}
}

void dispatch_free(struct dispatch *dispatch)
{
	dispatch->stopped = true;
	if (dispatch->mover != NULL)
		mail_mover_free(dispatch->mover);
	for (size_t i = 0; i < MANIFEST_FUNCTIONS_MAX; i++)
		free_waiting(&dispatch->queues[i].waiting);
	free_pausing(dispatch);
	if (dispatch->expire != NULL)
		event_free(dispatch->expire);
	rt_arena_free(dispatch->ctx.arena);
	rt_buffer_done(&dispatch->text);
	free(dispatch);
}
