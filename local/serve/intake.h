/* Receives mail: the SMTP server, its spool, and the dispatch of events to functions.
 *
 * Listens on EDS_SMTP_LISTEN; asks the function mail-accept about each recipient; answers 250 to a
 * message only when it is durable in the spool; then sends one event per message and function. For
 * mail that an earlier run left in the spool, the events are sent first.
 */
#ifndef RUNNER_INTAKE_H
#define RUNNER_INTAKE_H

#include <event2/event.h>

#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

enum {
	/* time for a message that is being received when the runner stops */
	INTAKE_DRAIN_SECONDS = 8,
};

struct intake;

/* Starts the intake. NULL on failure: the reason is logged, except when out of memory. */
struct intake *intake_start(
	struct event_base *base, struct pools *pools, const struct manifest *manifest);

/* The port on which the SMTP server listens (useful when EDS_SMTP_LISTEN names port 0). */
int intake_port(const struct intake *intake);

/* intake_absence() calls dispatch_absence(). intake_look_at_clock() calls dispatch_look_at_clock()
 * (both in local/dispatch/dispatch.h) and updates the metrics of the intake. */
const char *intake_absence(const struct intake *intake);
void intake_look_at_clock(struct intake *intake);

/* How much of the room for mail is used (EDS_TESTER_MAIL_QUOTA). */
struct intake_fill {
	/* octets in the spool, plus test mail in the mail store; the latter is an estimate between
	 * two reports of mail-accept */
	uint64_t held_bytes;
	uint64_t limit_bytes; /* maximum of held_bytes; 0: no limit */
	double share;         /* held_bytes / limit_bytes; 0 without a limit */
};

/* Stops listening and sending events. Sessions between messages are closed with 421; a message that
 * is being received has INTAKE_DRAIN_SECONDS to arrive. drained is called once, after
 * intake_drain() has returned; the caller then drains the pools. Undelivered mail stays in the
 * spool for the next start. */
void intake_drain(struct intake *intake, void (*drained)(void *arg), void *arg);

/* Frees the intake. The pools must not be processing any of its events. */
void intake_free(struct intake *intake);

#endif
