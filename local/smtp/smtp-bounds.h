/* How large the message of a transaction may be: by its recipients, each of which may take less
 * than the server does, and by the room that is left for its client's network. Told as soon as it
 * is known: at RCPT where the client declared a size (RFC 1870), in DATA when that is exceeded.
 *
 * The message has one answer for all of its recipients (RFC 5321 section 4.2.5), so the smallest
 * bound of them holds. */
#ifndef RUNNER_SMTP_BOUNDS_H
#define RUNNER_SMTP_BOUNDS_H

#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-session.h"

/* How large the message may be (smtp-bounds.c). */
void smtp_bounds_ask(struct smtp_session *session); /* a recipient is asked about */

/* It is taken; false after the refusal was sent. */
bool smtp_bounds_admit(struct smtp_session *session);
size_t smtp_bounds_max(const struct smtp_session *session);
void smtp_bounds_data(struct smtp_session *session); /* DATA begins */

/* The message is whole: counts it, or there is no room for it any more. */
bool smtp_bounds_take(struct smtp_session *session);
const char *smtp_bounds_full(const struct smtp_session *session); /* the reply then */
void smtp_bounds_forget(struct smtp_session *session);

/* Before it, where the recipient is taken. */
void smtp_session_bounds(struct smtp_session *session, const struct smtp_bounds *bounds);

#endif
