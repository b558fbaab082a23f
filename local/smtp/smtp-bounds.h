/* The size limit of a transaction's message. It comes from the recipients, each of which may allow
 * less than the server, and from the room that is left for the client's network. The session
 * refuses a message that is too large as early as it can: at RCPT if the client declared a size
 * (RFC 1870), else in DATA.
 *
 * The message gets one reply for all of its recipients (RFC 5321 section 4.2.5), so the smallest
 * limit among them applies. */
#ifndef RUNNER_SMTP_BOUNDS_H
#define RUNNER_SMTP_BOUNDS_H

#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-session.h"

void smtp_bounds_ask(
	struct smtp_session *session); /* the intake is about to be asked about a recipient */

/* The recipient is taken: applies its bounds. False when they leave no room for the message; the
 * refusal has then been sent. */
bool smtp_bounds_admit(struct smtp_session *session);
size_t smtp_bounds_max(const struct smtp_session *session);
void smtp_bounds_data(struct smtp_session *session); /* DATA begins */

/* The message is complete: counts it as held mail. False when there is no room for it any more. */
bool smtp_bounds_take(struct smtp_session *session);
const char *smtp_bounds_full(const struct smtp_session *session); /* the 452 reply for that */
void smtp_bounds_forget(struct smtp_session *session);

/* The bounds of the recipient asked about. Call it before smtp_session_recipient() when the
 * recipient is taken. */
void smtp_session_bounds(struct smtp_session *session, const struct smtp_bounds *bounds);

#endif
