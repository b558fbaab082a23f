/* The size limit of a transaction's message. It comes from the recipients, each of which may allow
 * less than the server, and from the room for mail that is left, for the client's network and in
 * all. The session refuses a message that is too large as early as it can: at RCPT if the client
 * declared a size (RFC 1870) or there is no room at all, else in DATA.
 *
 * The message gets one reply for all of its recipients (RFC 5321 section 4.2.5), so the smallest
 * limit among them applies. */
#ifndef RUNNER_SMTP_BOUNDS_H
#define RUNNER_SMTP_BOUNDS_H

#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-session.h"

/* Begins to limit the message by the room for mail, and notes for which client the intake (struct
 * smtp_intake) is asked. To be called before the session asks the intake about a recipient. */
void smtp_bounds_ask(struct smtp_session *session);

/* Applies the limits of a recipient that the intake accepts. False when they leave no room for the
 * message; the refusal has then been sent. */
bool smtp_bounds_admit(struct smtp_session *session);
/* The largest message that the server and the accepted recipients allow, octets. The room that is
 * left may be less. */
size_t smtp_bounds_max(const struct smtp_session *session);
/* Sets the limits of the message that is received. To be called when DATA begins. */
void smtp_bounds_data(struct smtp_session *session);

/* Counts a complete message as mail in the spool (held-mail.h). False when there is no room for the
 * message any more. */
bool smtp_bounds_take(struct smtp_session *session);
/* The 452 reply to a message for which there is no room. */
const char *smtp_bounds_full(const struct smtp_session *session);
void smtp_bounds_forget(struct smtp_session *session);

/* Sets the limits of the recipient that the intake was asked about. Must be called before
 * smtp_session_recipient() when the recipient is accepted. */
void smtp_session_bounds(struct smtp_session *session, const struct smtp_bounds *bounds);

#endif
