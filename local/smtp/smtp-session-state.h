/* Internals of a session, shared by the files that execute its commands; other files must not
 * include it. */
#ifndef RUNNER_SMTP_SESSION_STATE_H
#define RUNNER_SMTP_SESSION_STATE_H

#include "local/smtp/smtp-session.h"
#include "runtime/status.h"

enum smtp_wait {
	SMTP_WAIT_NONE,
	SMTP_WAIT_RECIPIENT,
	SMTP_WAIT_STORED,
	SMTP_WAIT_KEPT,
	SMTP_WAIT_TLS
};

struct smtp_client {
	bool has_ip; /* ADDR was given; ip is "" when the proxy did not know it either */
	char ip[RT_IP_TEXT_MAX];
	char helo[SMTP_NAME_MAX + 1]; /* "" when not given */
};

struct smtp_session {
	struct smtp_settings settings;
	struct smtp_transport transport;
	void *arg; /* of the transport */

	char peer_ip[RT_IP_TEXT_MAX]; /* of the connection */
	char tls[SMTP_TLS_NAME_MAX + 1];
	char helo[SMTP_NAME_MAX + 1]; /* "" before EHLO or HELO */
	bool extended;                /* EHLO, not HELO */
	struct smtp_client proxied;   /* from XCLIENT, for the session */
	struct smtp_client forwarded; /* from XFORWARD, for one transaction */

	bool has_mail; /* MAIL was accepted, mail_from is valid */
	bool utf8;     /* MAIL had SMTPUTF8 (RFC 6531): addresses and header fields may be UTF-8 */
	char mail_from[SMTP_ADDRESS_MAX + 1];
	struct smtp_recipient *recipients;
	size_t recipient_room; /* recipients that have a place */
	size_t recipient_count;
	char asked[SMTP_ADDRESS_MAX + 1]; /* the recipient whose verdict is awaited */
	char asked_for[RT_IP_TEXT_MAX];   /* the client for which it is asked */
	struct smtp_bounds bounds;        /* of the recipient asked about */
	size_t declared;                  /* by SIZE; 0: not declared */
	size_t max_bytes;                 /* smallest limit of the recipients so far; 0: none */
	struct held_claim claim;          /* begun by the first RCPT */

	bool in_data;
	struct smtp_data data;
	bool has_given; /* the intake keeps pieces of the message */

	enum smtp_wait wait;
	bool closed;
	bool discarding; /* skips the rest of a line that is too long */
	bool more_input; /* octets wait after the command being executed */
	int errors;
	unsigned steps;
};

void smtp_reply(struct smtp_session *session, const char *format, ...) RT_PRINTF(2, 3);
/* Sends a reply that counts as an error of the client; after SMTP_ERRORS_MAX of them the session
 * ends with 421. */
void smtp_refuse(struct smtp_session *session, const char *format, ...) RT_PRINTF(2, 3);
void smtp_close(struct smtp_session *session);
void smtp_forget_pieces(struct smtp_session *session); /* that the intake keeps */
void smtp_reset_transaction(struct smtp_session *session);
void smtp_reset_session(struct smtp_session *session); /* as if just greeted */

#endif
