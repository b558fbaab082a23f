/* One SMTP session, independent of its transport (RFC 5321).
 *
 * The transport passes octets to the session and sends its replies. The session asks the intake
 * about each recipient and gives it the message to be stored; the intake reports the result back. A
 * session has no sockets and no clocks, so that a test or a fuzzer can drive it.
 *
 * States: greeted -> EHLO -> MAIL -> RCPT… -> DATA -> (stored) -> EHLO. RSET, EHLO, HELO, STARTTLS
 * and XCLIENT drop the transaction; STARTTLS and XCLIENT drop the HELO name as well.
 */
#ifndef RUNNER_SMTP_SESSION_H
#define RUNNER_SMTP_SESSION_H

#include "local/smtp/smtp-command.h"
#include "local/smtp/smtp-data.h"
#include "local/spool/held-mail.h"
#include "runtime/config/config.h"

enum {
	SMTP_LINE_MAX = 2048, /* maximum length of a command, octets without CR LF */
	SMTP_RECIPIENTS_MAX = 100,
	SMTP_ERRORS_MAX = 20,
	SMTP_FUNCTION_MAX = 63,
	SMTP_REPLY_MAX = 1024,
	SMTP_TLS_NAME_MAX = 63,
};

struct smtp_recipient {
	char address[SMTP_ADDRESS_MAX + 1];   /* address of the recipient, in lower case */
	char function[SMTP_FUNCTION_MAX + 1]; /* the function that gets the mail */
};

/* A message with its envelope, as the intake gets it. */
struct smtp_mail {
	/* address of the client, which a trusted proxy may name: "" when the proxy sent
	 * ADDR=[UNAVAILABLE]; the address of the proxy when it sent no ADDR */
	char client_ip[RT_IP_TEXT_MAX];
	/* HELO name as the client gave it; unsafe octets are replaced by '?' */
	char helo[SMTP_NAME_MAX + 1];
	char mail_from[SMTP_ADDRESS_MAX + 1];
	/* the TLS: "TLSv1.3 TLS_AES_256_GCM_SHA384" or "none"; "" when a trusted proxy sent ADDR */
	char tls[SMTP_TLS_NAME_MAX + 1];
	/* protocol for the Received field: "SMTP", "ESMTP", "ESMTPS" (RFC 3848), "UTF8SMTP" or
	 * "UTF8SMTPS" (RFC 6531) */
	const char *protocol;
	struct smtp_recipient *recipients;
	size_t recipient_count;
	/* made with malloc, freed by the intake; a large message comes in several pieces */
	char *message;
	size_t length;
	size_t given; /* octets of the message in earlier pieces */
	/* set with the last piece; the intake calls smtp_share_settle() with held_bytes */
	struct smtp_share *share;
	size_t held_bytes;
};

enum smtp_verdict {
	SMTP_RECIPIENT_TAKEN,
	SMTP_RECIPIENT_REFUSED, /* the reply is 550 */
	SMTP_RECIPIENT_UNKNOWN, /* the intake could not decide: 451 */
};

enum smtp_stored {
	SMTP_STORED,     /* the message would survive a power failure */
	SMTP_NOT_STORED, /* no memory, no room on the disk, or a failing disk: 451 */
	SMTP_STORE_BUSY, /* too much is waiting: 452 */
};

/* What the intake says about an accepted recipient; the room for the message follows from it. */
struct smtp_bounds {
	/* maximum size of a message to the recipient, octets; 0: only the server's limit applies */
	size_t max_bytes;
	/* octets of test mail that are stored already, from the client's networks and in total:
	 * the quotas leave the rest; all 0 for an address that is not a test address */
	uint64_t stored[HELD_LEVELS];
};

struct smtp_connection;

/* The functions of the transport that a session calls; arg is the transport's pointer. */
struct smtp_transport {
	void (*on_reply)(void *arg, const char *bytes, size_t length);
	void (*on_start_tls)(void *arg); /* the transport answers with smtp_session_tls() */
	/* Closes the connection once all replies are sent; the session accepts no more input. */
	void (*on_close)(void *arg);
};

/* The functions of the intake that a session calls. connection is the transport's pointer, which a
 * session only passes on. The intake answers through this pointer, at once or later, while the
 * connection exists. */
struct smtp_intake {
	/* Asks about a recipient. client: the address of the client, "" when it is not known. The
	 * answer is smtp_session_recipient(). */
	void (*on_recipient)(void *arg, struct smtp_connection *connection, const char *address,
		const char *client);
	/* Stores the message. The answer is smtp_session_stored(). */
	void (*on_store)(
		void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
	/* Keeps a piece of an unfinished message. Later, on_store gives the last piece, or
	 * on_forget drops all pieces. The answer is smtp_session_kept(); if it says that the piece
	 * is not kept, the intake has dropped the earlier pieces, too. */
	void (*on_keep)(
		void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
	/* Drops the pieces of a message that will not be completed. */
	void (*on_forget)(void *arg, struct smtp_connection *connection);
	/* Reports a 4xx or 5xx reply that is sent by smtp_refuse_mail(), for metrics and the log.
	 * The envelope only has the client, HELO, MAIL FROM and TLS. */
	void (*on_refused)(void *arg, const struct smtp_mail *envelope, const char *reply);
};

struct smtp_settings {
	const char *host_name; /* name of this server, EDS_TESTER_DOMAIN */
	bool tls_offered;
	bool trusted;                       /* the peer may use XCLIENT and XFORWARD */
	const struct rt_cidr_list *blocked; /* clients whose mail is refused; NULL: none */
	struct smtp_budget *budget;
	struct held_mail *held; /* counts mail for the quotas; NULL: there are no quotas */
	struct smtp_intake intake;
	void *intake_arg;
};

struct smtp_session;

/* Makes a session and sends the greeting. settings and transport are copied; their strings are
 * borrowed. arg is the transport's pointer. */
struct smtp_session *smtp_session_new(const struct smtp_settings *settings,
	const struct smtp_transport *transport, void *arg, const char *client_ip);
void smtp_session_free(struct smtp_session *session);

/* Processes octets and returns the number of octets that it processed. The rest is an unfinished
 * line, or everything after a command that waits for an answer or ended the session. The caller
 * passes the rest again, together with the octets that follow. */
size_t smtp_session_input(struct smtp_session *session, const char *bytes, size_t length);

/* The answer to on_start_tls: the TLS version and cipher, for example "TLSv1.3
 * TLS_AES_256_GCM_SHA384". */
void smtp_session_tls(struct smtp_session *session, const char *tls);

/* Ends the session with the reply "421 REASON", unless it has already ended. reason begins with its
 * enhanced status code, for example "4.4.2 …". */
void smtp_session_end(struct smtp_session *session, const char *reason);

/* Copies a name that the client gave; replaces octets that would break a Received field by '?'. */
void smtp_copy_name(char name[SMTP_NAME_MAX + 1], const char *from);

bool smtp_session_in_data(const struct smtp_session *session);
/* The octets counted for the message that is being received; 0 when there is none. */
size_t smtp_session_held(const struct smtp_session *session);
/* True while the session waits for an answer of the intake or for the TLS handshake. */
bool smtp_session_waiting(const struct smtp_session *session);
bool smtp_session_closed(const struct smtp_session *session);
/* A number that changes with each command, message and TLS handshake. When it changes, the
 * transport restarts the time limit of a command. */
unsigned smtp_session_steps(const struct smtp_session *session);

#endif
