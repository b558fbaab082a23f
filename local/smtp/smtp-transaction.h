/* MAIL, RCPT and DATA: one transaction of a session (RFC 5321 section 3.3). */
#ifndef RUNNER_SMTP_TRANSACTION_H
#define RUNNER_SMTP_TRANSACTION_H

#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-session.h"

/* Fills the client, HELO, MAIL FROM and TLS of the envelope. */
void smtp_fill_envelope(const struct smtp_session *session, struct smtp_mail *mail);
/* True unless the session only knows the address of a trusted proxy. */
bool smtp_client_named(const struct smtp_session *session);

/* Sends a refusal and reports it to on_refused of the intake. error: it also counts toward
 * SMTP_ERRORS_MAX. */
void smtp_refuse_mail(struct smtp_session *session, bool error, const char *format, ...)
	RT_PRINTF(3, 4);
void smtp_command_mail(struct smtp_session *session, char *argument);
void smtp_command_rcpt(struct smtp_session *session, char *argument);
void smtp_command_data(struct smtp_session *session, char *argument);
void smtp_finish_data(struct smtp_session *session);
void smtp_give_piece(struct smtp_session *session);

/* The answer to on_recipient. function and reason may be NULL where they do not apply. After this
 * call, and after smtp_session_stored() and smtp_session_kept(), call smtp_session_input() again.
 */
void smtp_session_recipient(struct smtp_session *session, enum smtp_verdict verdict,
	const char *function, const char *reason);

/* The answer to on_store. id: the message id for the reply. */
void smtp_session_stored(struct smtp_session *session, enum smtp_stored stored, const char *id);
/* The answer to on_keep. */
void smtp_session_kept(struct smtp_session *session, bool kept);

#endif
