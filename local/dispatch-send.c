/* From the spool into the mail store, by the mail mover's threads, and then the event. */
#include <stdio.h>
#include <string.h>

#include "local/dispatch-answer.h"
#include "local/dispatch-state.h"
#include "local/event-mail.h"
#include "runtime/log.h"

enum {
	STORE_PAUSE_MS_MAX = 60000,
	STORE_PAUSE_DOUBLINGS = 8,
};

/* It waits in the spool until the mail store works again, however long. */
static void wait_for_store(struct item *item, const char *reason)
{
	struct dispatch *dispatch = item->dispatch;
	int64_t pause_ms = (int64_t)dispatch->settings.pauses_ms[0] << item->store_failures;

	if (item->store_failures < STORE_PAUSE_DOUBLINGS)
		item->store_failures++;
	if (pause_ms > STORE_PAUSE_MS_MAX)
		pause_ms = STORE_PAUSE_MS_MAX;
	fair_end(&item->queue->waiting, &item->turn);
	if (dispatch->stopped || !dispatch_pause(item, (int)pause_ms)) {
		dispatch_item_free(item); /* for the next start */
		return;
	}
	metric_add(dispatch->retried, 1);
	rt_log_line(RT_LOG_WARNING, item->queue->function->name, item->message_id,
		"mail waits in the spool: %s", reason);
}

static void submit(struct item *item, struct rt_ctx *ctx, const struct spool_mail *mail)
{
	struct dispatch *dispatch = item->dispatch;

	item->store_failures = 0;
	bytes_clear(&dispatch->text);
	event_mail_write(ctx, &dispatch->text, mail, &mail->targets[item->place.target]);
	if (dispatch->text.overflow) {
		fair_end(&item->queue->waiting, &item->turn);
		dispatch_try_again(item, "the event is too big");
		return;
	}
	pools_submit(dispatch->settings.pools, item->queue->function, dispatch->text.data,
		dispatch->text.length, dispatch_answered, item);
}

static void moved(struct mover_job *job, rt_status status)
{
	struct item *item = job->arg;
	struct dispatch *dispatch = item->dispatch;
	struct queue *queue = item->queue;

	if (status == RT_OK && !dispatch->stopped)
		submit(item, &job->ctx, &job->mail);
	else
		wait_for_store(item, status != RT_OK ? job->ctx.failure.detail : "stopping");
	dispatch_send_waiting(dispatch, queue);
}

static rt_status read_mail(struct rt_ctx *ctx, struct item *item, struct spool_mail *mail)
{
	RT_TRY(spool_read(ctx, item->dispatch->settings.spool, &item->place, mail));
	snprintf(item->message_id, sizeof item->message_id, "%s",
		mail->targets[item->place.target].message_id);
	return RT_OK;
}

static void refuse_to_send(struct item *item, const struct rt_ctx *ctx)
{
	char reason[DISPATCH_REASON_MAX];

	snprintf(reason, sizeof reason, "%s", ctx->failure.detail);
	fair_end(&item->queue->waiting, &item->turn);
	dispatch_try_again(item, reason);
}

void dispatch_send(struct item *item)
{
	struct mover_job *job = mover_job_new();

	if (job == NULL) {
		wait_for_store(item, "out of memory");
		return;
	}
	job->target = item->place.target;
	job->done = moved;
	job->arg = item;
	if (read_mail(&job->ctx, item, &job->mail) == RT_OK) {
		mail_mover_submit(item->dispatch->mover, job);
		return;
	}
	refuse_to_send(item, &job->ctx);
	mover_job_free(job);
}
