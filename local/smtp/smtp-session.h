/* One SMTP session, independent of its transport (RFC 5321).
 *
 * The transport puts octets in, and replies come out through its calls. The intake takes the mail
 * (is asked about a recipient, keeps a message) and reports the result back. A session has no
 * sockets and no clocks, so that a test or a fuzzer can drive it.
 *
 * States: greeted -> EHLO -> MAIL -> RCPT… -> DATA -> (stored) -> EHLO. RSET, EHLO, STARTTLS and
 * XCLIENT drop the transaction; STARTTLS and XCLIENT drop the client's name as well.
 */
#ifndef RUNNER_SMTP_SESSION_H
#define RUNNER_SMTP_SESSION_H

#include "local/smtp/smtp-command.h"
#include "local/smtp/smtp-data.h"
#include "local/spool/held-mail.h"
#include "runtime/config/config.h"

enum {
	SMTP_LINE_MAX = 2048, /* of a command, octets without CR LF */
	SMTP_RECIPIENTS_MAX = 100,
	SMTP_ERRORS_MAX = 20,
	SMTP_FUNCTION_MAX = 63,
	SMTP_REPLY_MAX = 1024,
	SMTP_TLS_NAME_MAX = 63,
};

struct smtp_recipient {
	char address[SMTP_ADDRESS_MAX + 1];   /* in lower case */
	char function[SMTP_FUNCTION_MAX + 1]; /* the function that gets the mail */
};

/* A message with its envelope, as it is handed to the intake. */
struct smtp_mail {
	char client_ip[RT_IP_TEXT_MAX]; /* "" when a trusted proxy did not know it */
	char helo[SMTP_NAME_MAX + 1];   /* as the peer gave it; unsafe octets are replaced by '?' */
	char mail_from[SMTP_ADDRESS_MAX + 1];
	char tls[SMTP_TLS_NAME_MAX +
		1];           /* "TLSv1.3 TLS_AES_256_GCM_SHA384", "none"; "" behind a proxy */
	const char *protocol; /* "SMTP", "ESMTP", "ESMTPS" (RFC 3848), "UTF8SMTP" (RFC 6531) */
	struct smtp_recipient *recipients;
	size_t recipient_count;
	char *message; /* malloc, the intake frees it; one piece of a large message */
	size_t length;
	size_t given;             /* octets of the message in earlier pieces */
	struct smtp_share *share; /* with the last piece; the intake settles it with held_bytes */
	size_t held_bytes;
};

enum smtp_verdict {
	SMTP_RECIPIENT_TAKEN,
	SMTP_RECIPIENT_REFUSED, /* 550 */
	SMTP_RECIPIENT_UNKNOWN, /* nobody could say: 451 */
};

enum smtp_stored {
	SMTP_STORED,     /* durable */
	SMTP_NOT_STORED, /* no room or a failing disk: 451 */
	SMTP_STORE_BUSY, /* too much is waiting: 452 */
};

/* The limits for a recipient that is taken. */
struct smtp_bounds {
	size_t max_bytes;             /* of a message to it; 0: only the server's limit applies */
	uint64_t stored[HELD_LEVELS]; /* octets stored, of the client's networks and in total */
};

struct smtp_connection;

/* Calls of a session to the transport whose pointer it got. */
struct smtp_transport {
	void (*on_reply)(void *arg, const char *bytes, size_t length);
	void (*on_start_tls)(void *arg); /* -> smtp_session_tls */
	void (*on_close)(
		void *arg); /* once all replies are sent; the session takes no more input */
};

/* Calls of a session to the intake. connection is the transport's pointer, which a session never
 * looks into; the intake answers by it, at once or later, while the connection exists. */
struct smtp_intake {
	/* client: the address for which the recipient is asked about; "" when only the proxy knows
	 * it. -> smtp_session_recipient */
	void (*on_recipient)(void *arg, struct smtp_connection *connection, const char *address,
		const char *client);
	/* -> smtp_session_stored */
	void (*on_store)(
		void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
	/* One piece of an unfinished message; on_store follows with the last piece, or on_forget.
	 * -> smtp_session_kept */
	void (*on_keep)(
		void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
	void (*on_forget)(void *arg, struct smtp_connection *connection);
	/* A recipient or a message got this 4xx or 5xx reply; for metrics and the log. Only the
	 * client, HELO, MAIL FROM and TLS of the envelope are filled. */
	void (*on_refused)(void *arg, const struct smtp_mail *envelope, const char *reply);
};

struct smtp_settings {
	const char *host_name; /* EDS_TESTER_DOMAIN */
	bool tls_offered;
	bool trusted;                       /* the peer may use XCLIENT and XFORWARD */
	const struct rt_cidr_list *blocked; /* clients whose mail is refused; NULL: none */
	struct smtp_budget *budget;
	struct held_mail *held; /* NULL: no quotas */
	struct smtp_intake intake;
	void *intake_arg;
};

struct smtp_session;

/* Sends the greeting. settings and transport are copied; the strings are borrowed. arg is the
 * transport's pointer. */
struct smtp_session *smtp_session_new(const struct smtp_settings *settings,
	const struct smtp_transport *transport, void *arg, const char *client_ip);
void smtp_session_free(struct smtp_session *session);

/* Takes the octets that it can use and returns their number. The caller passes the rest (an
 * unfinished line, or everything after a command that waits for an answer) again, together with the
 * octets that follow. */
size_t smtp_session_input(struct smtp_session *session, const char *bytes, size_t length);

/* The answer to on_start_tls: the TLS version and cipher, for example "TLSv1.3
 * TLS_AES_256_GCM_SHA384". */
void smtp_session_tls(struct smtp_session *session, const char *tls);

/* Ends the session with a 421 and the server's own text: "4.4.2 …". */
void smtp_session_end(struct smtp_session *session, const char *reason);

/* Copies a name given by the peer; replaces octets that would break a Received field by '?'. */
void smtp_copy_name(char name[SMTP_NAME_MAX + 1], const char *from);

bool smtp_session_in_data(const struct smtp_session *session);
/* Octets held for the message being received; 0 when there is none. */
size_t smtp_session_held(const struct smtp_session *session);
bool smtp_session_waiting(const struct smtp_session *session); /* for an answer of the intake */
bool smtp_session_closed(const struct smtp_session *session);
/* Number of commands and messages finished so far; the transport restarts its command timer when it
 * changes.
 */
unsigned smtp_session_steps(const struct smtp_session *session);

#endif
