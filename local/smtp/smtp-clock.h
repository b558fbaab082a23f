/* How long an SMTP client may take: for a command (RFC 5321 section 4.5.3.2), for a session, and
 * for a message, which must come in at the least rate that Postfix, too, asks for. */
#ifndef RUNNER_SMTP_CLOCK_H
#define RUNNER_SMTP_CLOCK_H

#include "local/smtp/smtp-session.h"

enum {
	SMTP_COMMAND_SECONDS = 300,
	SMTP_SESSION_SECONDS = 600,
	SMTP_DATA_SECONDS = 60, /* of silence in a message; each octet gives a little of it back */
	SMTP_DATA_BYTES_PER_SECOND = 500,
	/* And one in so many of the octets held: of 15 MiB 30 KB a second at their end. */
	SMTP_DATA_HELD_SECONDS = 512,
};

/* Settings, so that tests need not wait. */
struct smtp_clocks {
	int command_ms;
	int session_ms;
	int data_ms;
};

/* When each is over, by the monotonic clock. */
struct smtp_clock {
	struct smtp_clocks allowed;
	int64_t command_until_ms;
	int64_t session_until_ms;
	int64_t data_until_ms;
	unsigned steps; /* of the session when a command's time last began */
};

/* The session begins. */
void smtp_clock_start(struct smtp_clock *clock, const struct smtp_clocks *allowed);

/* A command's time begins anew, and a message's. */
void smtp_clock_reset(struct smtp_clock *clock);

/* The same if the session is a step further than the last time; true then. */
bool smtp_clock_follow(struct smtp_clock *clock, const struct smtp_session *session);

/* Octets of a message came in, of which so many are held already: the more there are, the faster
 * the others must come, as what is held is taken from others. */
void smtp_clock_extend(struct smtp_clock *clock, size_t octets, size_t held);

/* Milliseconds until the next thing may be overdue, 0 when it is. */
int64_t smtp_clock_left_ms(const struct smtp_clock *clock, const struct smtp_session *session);

/* How long a command has been awaited, ms. */
int64_t smtp_clock_idle_ms(const struct smtp_clock *clock);

/* What the client is told that has not kept its time ("4.4.2 …"); NULL for one that has. */
const char *smtp_clock_overdue(const struct smtp_clock *clock, const struct smtp_session *session);

#endif
