/* Internals of the dispatch, shared by its files: the events and their states. */
#ifndef RUNNER_DISPATCH_STATE_H
#define RUNNER_DISPATCH_STATE_H

#include "local/dispatch/dispatch-answer.h"
#include "local/dispatch/dispatch.h"
#include "local/dispatch/fair-queue.h"
#include "local/dispatch/mail-mover.h"
#include "runtime/host/metrics.h"
#include "runtime/mail-store/mailstore.h"

struct queue;

/* Something without which events cannot be processed (the mail store, the dependencies of a
 * function), and whether it works, as far as the dispatch knows. */
struct need {
	size_t waiting; /* number of events that wait because the need does not work */
	size_t in_row;  /* failures since the last success */
	int64_t let_go_at_ms;
	char reason[DISPATCH_REASON_MAX]; /* sentence of the latest failure */
};

/* One event, which waits for its turn, is being processed, or pauses before the next try. */
struct item {
	/* must be the first member, so that its address is that of the item */
	struct fair_entry turn;
	struct dispatch *dispatch;
	struct queue *queue;
	struct spool_place place;
	int tries;
	struct need *want; /* the need that the event waits for; NULL: none */
	/* waits in a row for this need, counted up to a maximum; they do not count as tries */
	int waits;
	int put_offs; /* how often the function has put the event off; not counted as tries */
	bool may_be_put_off; /* the event says that the function may put it off */
	int64_t received_at_ms;
	char client_ip[RT_IP_TEXT_MAX];
	size_t held_octets;
	struct event *pause;
	char message_id[RT_MESSAGE_ID_MAX + 1]; /* id for the log; "" until the record was read */
	struct item *next_pausing;
	struct item **pausing_link; /* the pointer to this item in the list of pausing items */
	struct item *older;         /* links of the list of all events, by age */
	struct item *newer;
};

struct queue {
	const struct manifest_function *function;
	struct fair_queue waiting;
	bool slot; /* one event of the queue may be sent while much mail comes in */
	int64_t slot_at_ms;
	struct need function_need; /* what the function depends on: its database, its helper */
	bool probe; /* one event of the queue may be sent although a need does not work */
};

struct dispatch {
	struct dispatch_settings settings;
	struct queue queues[MANIFEST_FUNCTIONS_MAX];
	struct item *pausing;
	struct item *oldest;
	struct item *newest;
	struct need store;
	struct mail_mover *mover;
	struct rt_ctx ctx; /* context for a message that is being given up */
	struct rt_buffer text;
	struct event *expire;
	size_t queued;  /* number of events that wait or are being processed */
	size_t waiting; /* number of queued events that wait for a need that does not work */
	size_t put_off; /* number of queued events that a function has put off */
	bool stopped;
	struct metric *queued_gauge;
	struct metric *waiting_gauge;
	struct metric *put_off_gauge;
	struct metric *oldest_gauge;
	struct metric *delivered;
	struct metric *retried;
	struct metric *failed;
};

/* Begin and end the use of the dispatch's context, in whose arena a message is read that is being
 * given up. */
struct rt_ctx *dispatch_begin(struct dispatch *dispatch, const struct item *item);
void dispatch_end(struct dispatch *dispatch);

/* Sends the waiting events of the queue while handlers are free. */
void dispatch_send_waiting(struct dispatch *dispatch, struct queue *queue);
void dispatch_answered(void *arg, enum pool_outcome outcome, const char *text, size_t length);
/* Handles a failure of the item: tries it again after a pause, or gives it up after the last try.
 */
void dispatch_try_again(struct item *item, const char *reason);
void dispatch_give_up(struct item *item, const char *reason);
/* Queues the item again after a pause; false when the pause cannot be started. */
bool dispatch_pause(struct item *item, int pause_ms);
/* Ends the pauses of the items that wait for this need. */
void dispatch_end_pauses(struct dispatch *dispatch, const struct need *need);
/* Frees the item; its message stays in the spool. */
void dispatch_item_free(struct item *item);

#endif
