/* From the spool to the functions: one event for each message and function, at least once.
 *
 * Before its event the message is put into the mail store. An event that failed (crash, time-out,
 * an answer with errorType) is sent again after growing pauses; after DISPATCH_TRIES the message
 * goes into the folder failed/ of the spool with the reason, and stays there for
 * DISPATCH_FAILED_HOURS. One that found all handlers busy waits for its next turn.
 *
 * While something that events need is away (the database, the mail store, a helper: an errorType
 * "temporary.…"), mail waits, and that costs no try: pauses grow to DISPATCH_WAIT_MS_MAX, until the
 * message is DISPATCH_WAIT_HOURS old. The first event that succeeds lets all go that wait for the
 * same. dispatch_absence() tells whom it may concern.
 */
#ifndef RUNNER_DISPATCH_H
#define RUNNER_DISPATCH_H

#include <event2/event.h>

#include "local/spool/held-mail.h"
#include "local/spool/spool.h"
#include "runtime/host/pool/pool.h"

enum {
	DISPATCH_TRIES = 3,
	DISPATCH_FAILED_HOURS = 48,
	DISPATCH_WAIT_HOURS = 48, /* as long as a test address lives */
	DISPATCH_WAIT_MS_MAX = 120000,
	DISPATCH_BUSY_PAUSE_MS = 10,
};

/* While mail comes in fast, taking it goes first, so that senders are not kept waiting. Then one
 * event of a function is sent every DISPATCH_BUSY_PAUSE_MS. */
struct dispatch;

struct dispatch_settings {
	struct event_base *base;
	struct pools *pools;
	const struct manifest *manifest;
	struct spool *spool;
	struct held_mail *held;            /* NULL: nothing is counted */
	int pauses_ms[DISPATCH_TRIES - 1]; /* before the second try, the third */
};

struct dispatch *dispatch_new(const struct dispatch_settings *settings);

/* Takes charge of one target of a record that is durable. client_ip: where it came from, "" when
 * not known; clients take turns (local/dispatch/fair-queue.h). held_octets: counted for it as held
 * mail, given back when it leaves the spool. received_at_ms: epoch. */
void dispatch_add(struct dispatch *dispatch, const struct spool_place *place, const char *function,
	const char *client_ip, size_t held_octets, int64_t received_at_ms);

/* Events waiting or under way. */
size_t dispatch_queued(const struct dispatch *dispatch);

/* Sets the metrics that change as time goes by: the age of the oldest mail. */
void dispatch_look_at_clock(struct dispatch *dispatch);

/* Sends nothing more; what is under way may end. The rest stays in the spool. */
void dispatch_stop(struct dispatch *dispatch);

/* No event of it may be under way in the pools. */
void dispatch_free(struct dispatch *dispatch);

#endif
