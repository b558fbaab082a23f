/* Time limits of an SMTP client: for a command (RFC 5321 section 4.5.3.2), for a session, and for a
 * message, which must arrive at the minimum rate that Postfix requires, and faster the more of it
 * has arrived. */
#ifndef RUNNER_SMTP_CLOCK_H
#define RUNNER_SMTP_CLOCK_H

#include "local/smtp/smtp-session.h"

enum {
	SMTP_COMMAND_SECONDS = 300,
	SMTP_SESSION_SECONDS = 600,
	/* longest silence in a message; received octets add time, up to this maximum */
	SMTP_DATA_SECONDS = 60,
	SMTP_DATA_BYTES_PER_SECOND = 500,
	/* The required rate, octets per second, is SMTP_DATA_BYTES_PER_SECOND at first, and grows
	 * by one for each 512 octets received so far. It is 31 KB/s near the end of 15 MiB. */
	SMTP_DATA_HELD_SECONDS = 512,
};

/* The limits are settings so that tests can shorten them. */
struct smtp_clocks {
	int command_ms;
	int session_ms;
	int data_ms;
};

/* The times at which the limits expire, on the monotonic clock. */
struct smtp_clock {
	struct smtp_clocks allowed;
	int64_t command_until_ms;
	int64_t session_until_ms;
	int64_t data_until_ms;
	unsigned steps; /* result of smtp_session_steps() when the limit of a command last began */
};

/* Starts all limits, at the beginning of a session. */
void smtp_clock_start(struct smtp_clock *clock, const struct smtp_clocks *allowed);

/* Restarts the limits of a command and of a message. */
void smtp_clock_reset(struct smtp_clock *clock);

/* If smtp_session_steps() has changed since the last call, restarts the limits of a command and of
 * a message, and returns true. */
bool smtp_clock_follow(struct smtp_clock *clock, const struct smtp_session *session);

/* Extends the time of a message because octets were received. held: octets of the message that were
 * received before. The more octets are held, the faster the rest must arrive, because held octets
 * are not available to other clients. */
void smtp_clock_extend(struct smtp_clock *clock, size_t octets, size_t held);

/* Time until the next limit may expire, ms; 0 when one has expired. */
int64_t smtp_clock_left_ms(const struct smtp_clock *clock, const struct smtp_session *session);

/* How long the client has been silent: the time since the limit of a command last began, ms. */
int64_t smtp_clock_idle_ms(const struct smtp_clock *clock);

/* The reply text for a client that exceeded a limit ("4.4.2 …"); NULL if it has not. */
const char *smtp_clock_overdue(const struct smtp_clock *clock, const struct smtp_session *session);

#endif
