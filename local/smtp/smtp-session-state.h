/* Internals of a session, for the files that implement it (smtp-session.c, smtp-transaction.c,
 * smtp-proxy.c, smtp-bounds.c) and their tests; other files must not use its members. */
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
	bool has_ip; /* the proxy sent ADDR; ip is "" when the proxy did not know the address */
	char ip[RT_IP_TEXT_MAX];
	char helo[SMTP_NAME_MAX + 1]; /* HELO name; "" when not given */
};

struct smtp_session {
	struct smtp_settings settings;
	struct smtp_transport transport;
	void *arg; /* argument of the transport's calls */

	char peer_ip[RT_IP_TEXT_MAX]; /* address of the connection */
	char tls[SMTP_TLS_NAME_MAX + 1];
	char helo[SMTP_NAME_MAX + 1]; /* HELO name of the peer; "" before EHLO or HELO */
	bool extended;                /* the client said EHLO, not HELO */
	struct smtp_client proxied;   /* client named by XCLIENT, for the session */
	struct smtp_client forwarded; /* client named by XFORWARD, for one transaction */

	bool has_mail; /* MAIL was accepted, mail_from is valid */
	bool utf8;     /* MAIL had SMTPUTF8 (RFC 6531): addresses and header fields may be UTF-8 */
	char mail_from[SMTP_ADDRESS_MAX + 1];
	struct smtp_recipient *recipients;
	size_t recipient_room; /* number of recipients for which there is memory */
	size_t recipient_count;
	char asked[SMTP_ADDRESS_MAX + 1]; /* recipient about which the intake was asked */
	/* address of the client for which the intake was asked about the recipient `asked`; "" when
	 * it is not known */
	char asked_for[RT_IP_TEXT_MAX];
	struct smtp_bounds bounds; /* limits of the recipient `asked` */
	size_t declared;           /* size declared by SIZE, octets; 0: none */
	size_t max_bytes;          /* smallest limit of the accepted recipients; 0: none */
	struct held_claim claim;   /* room for the message; the claim is begun at the first RCPT */

	bool in_data;
	struct smtp_data data;
	bool has_given; /* the intake has pieces of the message */

	enum smtp_wait wait;
	bool closed;
	bool discarding; /* skips the rest of a line that is too long */
	bool more_input; /* more octets follow the command that is being executed */
	int errors;      /* number of replies that count as errors of the client */
	unsigned steps;  /* see smtp_session_steps() in smtp-session.h */
};

void smtp_reply(struct smtp_session *session, const char *format, ...) RT_PRINTF(2, 3);
/* Sends a reply that counts as an error of the client; after SMTP_ERRORS_MAX of them the session
 * ends with 421. */
void smtp_refuse(struct smtp_session *session, const char *format, ...) RT_PRINTF(2, 3);
void smtp_close(struct smtp_session *session);
/* Tells the intake to drop the pieces of the message that were handed to it. */
void smtp_forget_pieces(struct smtp_session *session);
void smtp_reset_transaction(struct smtp_session *session);
/* Drops the transaction, the HELO name and the client that XCLIENT named. */
void smtp_reset_session(struct smtp_session *session);

#endif
