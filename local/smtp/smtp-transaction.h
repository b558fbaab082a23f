/* MAIL, RCPT and DATA: one transaction of a session (RFC 5321 section 3.3). */
#ifndef RUNNER_SMTP_TRANSACTION_H
#define RUNNER_SMTP_TRANSACTION_H

#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-session.h"

/* Fills the client, HELO, MAIL FROM and TLS of the envelope. */
void smtp_fill_envelope(const struct smtp_session *session, struct smtp_mail *mail);
bool smtp_client_named(const struct smtp_session *session);

/* Sends a refusal and reports it to the intake's on_refused. error: it also counts toward
 * SMTP_ERRORS_MAX. */
void smtp_refuse_mail(struct smtp_session *session, bool error, const char *format, ...)
	RT_PRINTF(3, 4);
void smtp_command_mail(struct smtp_session *session, char *argument);
void smtp_command_rcpt(struct smtp_session *session, char *argument);
void smtp_command_data(struct smtp_session *session, char *argument);
void smtp_finish_data(struct smtp_session *session);
void smtp_give_piece(struct smtp_session *session);

/* The intake's answers to on_recipient, on_store and on_keep; call smtp_session_input() again after
 * each. function and reason may be NULL where they do not apply. */
void smtp_session_recipient(struct smtp_session *session, enum smtp_verdict verdict,
	const char *function, const char *reason);

/* The answer to on_store. id: the message id for the reply. */
void smtp_session_stored(struct smtp_session *session, enum smtp_stored stored, const char *id);
void smtp_session_kept(struct smtp_session *session, bool kept);

#endif
