#include <stdio.h>
#include <string.h>

#include "local/dispatch/dispatch-answer.h"
#include "local/dispatch/dispatch-put-off.h"
#include "local/dispatch/dispatch-send.h"
#include "local/dispatch/dispatch-state.h"
#include "local/dispatch/dispatch-wait.h"
#include "local/dispatch/event-mail.h"
#include "runtime/log.h"

/* Lets the message wait in the spool as if the mail store did not work. Also called when the spool
 * cannot be read, when memory is short, and when the dispatch stops. */
static void wait_for_store(struct item *item, const char *reason)
{
	char why[DISPATCH_REASON_MAX];

	snprintf(why, sizeof why, "%s", reason);
	fair_end(&item->queue->waiting, &item->turn);
	dispatch_wait(item, &item->dispatch->store, why);
}

static void submit(struct item *item, struct rt_ctx *ctx, const struct spool_mail *mail)
{
	struct dispatch *dispatch = item->dispatch;

	dispatch_served(item, &dispatch->store);
	rt_buffer_clear(&dispatch->text);
	item->may_be_put_off = dispatch_may_put_off(item);
	event_mail_write(ctx, &dispatch->text, mail, &mail->targets[item->place.target],
		item->may_be_put_off);
	if (dispatch->text.overflow) {
		fair_end(&item->queue->waiting, &item->turn);
		dispatch_try_again(item, "the event is too big");
		return;
	}
	pools_submit(dispatch->settings.pools, item->queue->function, dispatch->text.bytes,
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

/* Handles a record that cannot be read. A damaged record stays damaged, so the failure counts as a
 * try, and after the last try the message is given up. A disk that cannot be read may recover, so
 * the message waits without using up its tries. */
static void refuse_to_send(struct item *item, rt_status status, const struct rt_ctx *ctx)
{
	char reason[DISPATCH_REASON_MAX];

	if (status == RT_TEMPORARY) {
		wait_for_store(item, ctx->failure.detail);
		return;
	}
	snprintf(reason, sizeof reason, "%s", ctx->failure.detail);
	fair_end(&item->queue->waiting, &item->turn);
	dispatch_try_again(item, reason);
}

void dispatch_send(struct item *item)
{
	struct mover_job *job = mover_job_new();
	rt_status status;

	if (job == NULL) {
		wait_for_store(item, "out of memory");
		return;
	}
	job->target = item->place.target;
	job->done = moved;
	job->arg = item;
	status = read_mail(&job->ctx, item, &job->mail);
	if (status == RT_OK) {
		mail_mover_submit(item->dispatch->mover, job);
		return;
	}
	refuse_to_send(item, status, &job->ctx);
	mover_job_free(job);
}
