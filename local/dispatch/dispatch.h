/* Delivers mail from the spool to the functions: one event for each message and function, at least
 * once.
 *
 * The dispatch puts the message into the mail store before it sends the event. An event that failed
 * (DISPATCH_FAILED in dispatch-answer.h) is sent again after growing pauses. After DISPATCH_TRIES
 * tries the message goes into the folder failed/ of the spool with the reason, and stays there for
 * DISPATCH_FAILED_HOURS. An event that found all handlers busy waits for its next turn.
 *
 * While something that events need does not work, mail waits without using up its tries. This is
 * the mail store, or what a function depends on, such as the database: its errorType is then
 * "temporary.…". The pauses grow to DISPATCH_WAIT_MS_MAX. When the message is DISPATCH_WAIT_HOURS
 * old, it is given up. An event that succeeds ends the waits of all events with the same need
 * (dispatch-wait.h). dispatch_absence() reports the reason.
 *
 * A function may put off a single message, which then waits on its own (dispatch-put-off.h).
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
	/* maximum time that a message waits; a test address expires after the same time */
	DISPATCH_WAIT_HOURS = 48,
	DISPATCH_WAIT_MS_MAX = 120000,
	DISPATCH_BUSY_PAUSE_MS = 10,
};

/* While much mail comes in, accepting it has priority, so that senders do not wait. Each function
 * is then sent at most one event every DISPATCH_BUSY_PAUSE_MS. */
struct dispatch;

struct dispatch_settings {
	struct event_base *base;
	struct pools *pools;
	const struct manifest *manifest;
	struct spool *spool;
	struct held_mail *held; /* counter of the octets of mail; NULL: they are not counted */
	int pauses_ms[DISPATCH_TRIES - 1]; /* pauses before the second and the third try */
	int put_off_ms;                    /* first pause of mail that a function puts off */
};

struct dispatch *dispatch_new(const struct dispatch_settings *settings);

/* Delivers one target of a durable record. client_ip: the address that sent the mail, "" when
 * unknown; clients take turns (local/dispatch/fair-queue.h). held_octets: octets counted as held
 * mail, which are subtracted when the target is finished. received_at_ms: epoch ms. */
void dispatch_add(struct dispatch *dispatch, const struct spool_place *place, const char *function,
	const char *client_ip, size_t held_octets, int64_t received_at_ms);

/* Number of events waiting or being processed. */
size_t dispatch_queued(const struct dispatch *dispatch);

/* Updates the metric that changes with time: the age of the oldest mail that is not put off. */
void dispatch_look_at_clock(struct dispatch *dispatch);

/* Sends no more events. Those being processed may finish; the mail of the others stays in the
 * spool. */
void dispatch_stop(struct dispatch *dispatch);

/* Frees the dispatch. The pools must not be processing any of its events. */
void dispatch_free(struct dispatch *dispatch);

#endif
