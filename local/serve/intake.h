/* Mail in: the SMTP server, its spool, and the dispatch of events to functions.
 *
 * Listens on EDS_SMTP_LISTEN; asks the function mail-accept about each recipient; answers 250 to a
 * message only when it is durable in the spool; then sends one event per message and function.
 * What is in the spool at the start is sent first.
 */
#ifndef RUNNER_INTAKE_H
#define RUNNER_INTAKE_H

#include <event2/event.h>

#include "runtime/host/manifest.h"
#include "runtime/host/pool/pool.h"

enum {
	INTAKE_DRAIN_SECONDS = 8, /* a message under way may take so long when the runner stops */
};

struct intake;

/* NULL, with the reason logged, when the address cannot be bound or the spool cannot be opened. */
struct intake *intake_start(
	struct event_base *base, struct pools *pools, const struct manifest *manifest);

/* The port listened on (of use when EDS_SMTP_LISTEN names port 0). */
int intake_port(const struct intake *intake);

/* As dispatch_absence() and dispatch_look_at_clock() (local/dispatch/dispatch.h). */
const char *intake_absence(const struct intake *intake);
void intake_look_at_clock(struct intake *intake);

/* How full the room for mail is (EDS_TESTER_MAIL_QUOTA). */
struct intake_fill {
	uint64_t held_bytes;  /* in the spool, and of tests in the mail store as told last */
	uint64_t limit_bytes; /* 0: none */
	double share;         /* held of the limit, 0 without one */
};

/* Stops listening and sending events; sessions between messages are closed with 421, a message
 * under way gets INTAKE_DRAIN_SECONDS. drained is called once, never before this returns; drain the
 * pools after it. Undelivered mail stays in the spool for the next start. */
void intake_drain(struct intake *intake, void (*drained)(void *arg), void *arg);

/* No event of the intake may be under way in the pools. */
void intake_free(struct intake *intake);

#endif
