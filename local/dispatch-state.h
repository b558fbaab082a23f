/* What dispatch.c and dispatch-send.c share: the events and where they stand. */
#ifndef RUNNER_DISPATCH_STATE_H
#define RUNNER_DISPATCH_STATE_H

#include "local/dispatch.h"
#include "local/fair-queue.h"
#include "local/mail-mover.h"
#include "runtime/host/metrics.h"
#include "runtime/mailstore.h"

struct queue;

/* One event: waiting, under way, or pausing before the next try. */
struct item {
	struct fair_entry turn; /* first, so that it is the item */
	struct dispatch *dispatch;
	struct queue *queue;
	struct spool_place place;
	int tries;
	int store_failures; /* one after the other: no tries, since no function was asked */
	struct event *pause;
	char message_id[RT_MESSAGE_ID_MAX + 1]; /* for the log, once it was read */
	struct item *next_pausing;
};

struct queue {
	const struct manifest_function *function;
	struct fair_queue waiting;
	bool slot; /* may send one event though mail is coming in */
	int64_t slot_at_ms;
};

struct dispatch {
	struct dispatch_settings settings;
	struct queue queues[MANIFEST_FUNCTIONS_MAX];
	struct item *pausing;
	struct mail_mover *mover;
	struct rt_ctx ctx; /* memory of one event being written */
	struct bytes text;
	struct event *expire;
	size_t queued;
	bool stopped;
	struct metric *queued_gauge;
	struct metric *delivered;
	struct metric *retried;
	struct metric *failed;
};

/* Memory of one event being written, from one to the other. */
struct rt_ctx *dispatch_begin(struct dispatch *dispatch, const struct item *item);
void dispatch_end(struct dispatch *dispatch);

/* dispatch-send.c: puts the message into the mail store and sends the event. The item has its turn.
 */
void dispatch_send(struct item *item);

/* Sends what waits for its turn, as far as handlers are free. */
void dispatch_send_waiting(struct dispatch *dispatch, struct queue *queue);
void dispatch_answered(void *arg, enum pool_outcome outcome, const char *text, size_t length);
/* The item had its turn and failed: after a pause once more, or given up. */
void dispatch_try_again(struct item *item, const char *reason);
/* Waits for its turn again after the pause; false when it cannot. */
bool dispatch_pause(struct item *item, int pause_ms);
/* Lets go of it; the spool has it still. */
void dispatch_item_free(struct item *item);

#endif
