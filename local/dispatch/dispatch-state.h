/* What the files of the dispatch share: the events and where they stand. */
#ifndef RUNNER_DISPATCH_STATE_H
#define RUNNER_DISPATCH_STATE_H

#include "local/dispatch/dispatch-answer.h"
#include "local/dispatch/dispatch.h"
#include "local/dispatch/fair-queue.h"
#include "local/dispatch/mail-mover.h"
#include "runtime/host/metrics.h"
#include "runtime/mail-store/mailstore.h"

struct queue;

/* Something that events need, as the dispatch has come to know it. */
struct need {
	size_t waiting; /* events that failed for want of it and are not through */
	size_t in_row;  /* failures since it last served */
	int64_t let_go_at_ms;
	char reason[DISPATCH_REASON_MAX]; /* of the latest failure */
};

/* One event: waiting, under way, or pausing before the next try. */
struct item {
	struct fair_entry turn; /* first, so that it is the item */
	struct dispatch *dispatch;
	struct queue *queue;
	struct spool_place place;
	int tries;
	struct need *want; /* what it failed for want of, until it is through; else NULL */
	int waits;         /* for it, one after the other: no tries */
	int64_t received_at_ms;
	char client_ip[RT_IP_TEXT_MAX];
	size_t held_octets;
	struct event *pause;
	char message_id[RT_MESSAGE_ID_MAX + 1]; /* for the log, once it was read */
	struct item *next_pausing;
	struct item *older; /* of all the events */
	struct item *newer;
};

struct queue {
	const struct manifest_function *function;
	struct fair_queue waiting;
	bool slot; /* may send one event though mail is coming in */
	int64_t slot_at_ms;
	struct need function_need; /* that it can be run: its database, its helper */
	bool probe;                /* may send one event though something is away */
};

struct dispatch {
	struct dispatch_settings settings;
	struct queue queues[MANIFEST_FUNCTIONS_MAX];
	struct item *pausing;
	struct item *oldest;
	struct item *newest;
	struct need store;
	struct mail_mover *mover;
	struct rt_ctx ctx; /* memory of one event being written */
	struct bytes text;
	struct event *expire;
	size_t queued;
	size_t waiting; /* of those: for something that is away */
	bool stopped;
	struct metric *queued_gauge;
	struct metric *waiting_gauge;
	struct metric *oldest_gauge;
	struct metric *delivered;
	struct metric *retried;
	struct metric *failed;
};

/* Memory of one event being written, from one to the other. */
struct rt_ctx *dispatch_begin(struct dispatch *dispatch, const struct item *item);
void dispatch_end(struct dispatch *dispatch);

/* Sends what waits for its turn, as far as handlers are free. */
void dispatch_send_waiting(struct dispatch *dispatch, struct queue *queue);
void dispatch_answered(void *arg, enum pool_outcome outcome, const char *text, size_t length);
/* The item had its turn and failed: after a pause once more, or given up. */
void dispatch_try_again(struct item *item, const char *reason);
void dispatch_give_up(struct item *item, const char *reason);
/* Waits for its turn again after the pause; false when it cannot. */
bool dispatch_pause(struct item *item, int pause_ms);
/* Ends the pause of those that wait for it. */
void dispatch_end_pauses(struct dispatch *dispatch, const struct need *need);
/* Lets go of it; the spool has it still. */
void dispatch_item_free(struct item *item);

#endif
