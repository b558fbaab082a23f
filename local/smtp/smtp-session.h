/* One SMTP session, independent of its transport (RFC 5321).
 *
 * The caller puts octets in, and replies come out through the host. The host also does the work
 * that needs the outside (asks about a recipient, keeps a message, starts TLS) and reports the
 * result back. A session has no sockets and no clocks, so that a test or a fuzzer can drive it.
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

/* A message with its envelope, as it is handed to the host. */
struct smtp_mail {
	char client_ip[RT_IP_TEXT_MAX]; /* "" when a trusted proxy did not know it */
	char helo[SMTP_NAME_MAX + 1];   /* as the peer gave it; unsafe octets are replaced by '?' */
	char mail_from[SMTP_ADDRESS_MAX + 1];
	char tls[SMTP_TLS_NAME_MAX +
		1];           /* "TLSv1.3 TLS_AES_256_GCM_SHA384", "none"; "" behind a proxy */
	const char *protocol; /* "SMTP", "ESMTP", "ESMTPS" (RFC 3848), "UTF8SMTP" (RFC 6531) */
	struct smtp_recipient *recipients;
	size_t recipient_count;
	char *message; /* malloc, the host frees it; one piece of a large message */
	size_t length;
	size_t given;             /* octets of the message in earlier pieces */
	struct smtp_share *share; /* with the last piece; the host settles it with held_bytes */
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

/* The calls that the session makes to its host. arg is the host's own pointer. */
struct smtp_host {
	void (*reply)(void *arg, const char *bytes, size_t length);
	void (*ask_recipient)(void *arg, const char *address);  /* -> smtp_session_recipient */
	void (*store)(void *arg, const struct smtp_mail *mail); /* -> smtp_session_stored */
	/* Keeps one piece of an unfinished message; store follows with the last piece, or
	 * forget. */
	void (*keep)(void *arg, const struct smtp_mail *mail); /* -> smtp_session_kept */
	void (*forget)(void *arg);
	void (*start_tls)(void *arg); /* -> smtp_session_tls */
	void (*close)(void *arg); /* once all replies are sent; the session takes no more input */
	/* A recipient or a message got this 4xx or 5xx reply; for metrics and the log. Only the
	 * client, HELO, MAIL FROM and TLS of the envelope are filled. */
	void (*refused)(void *arg, const struct smtp_mail *envelope, const char *reply);
};

struct smtp_settings {
	const char *host_name; /* EDS_TESTER_DOMAIN */
	bool tls_offered;
	bool trusted;                       /* the peer may use XCLIENT and XFORWARD */
	const struct rt_cidr_list *blocked; /* clients whose mail is refused; NULL: none */
	struct smtp_budget *budget;
	struct held_mail *held; /* NULL: no quotas */
};

struct smtp_session;

/* Sends the greeting. settings and host are copied; the strings are borrowed. */
struct smtp_session *smtp_session_new(const struct smtp_settings *settings,
	const struct smtp_host *host, void *arg, const char *client_ip);
void smtp_session_free(struct smtp_session *session);

/* Takes the octets that it can use and returns their number. The caller passes the rest (an
 * unfinished line, or everything after a command that waits for the host) again, together with the
 * octets that follow. */
size_t smtp_session_input(struct smtp_session *session, const char *bytes, size_t length);

/* The answer to start_tls: the TLS version and cipher, for example "TLSv1.3
 * TLS_AES_256_GCM_SHA384". */
void smtp_session_tls(struct smtp_session *session, const char *tls);

/* Ends the session with a 421 and the server's own text: "4.4.2 …". */
void smtp_session_end(struct smtp_session *session, const char *reason);

/* Copies a name given by the peer; replaces octets that would break a Received field by '?'. */
void smtp_copy_name(char name[SMTP_NAME_MAX + 1], const char *from);

/* The client for which a recipient is asked about; "" when only the proxy knows it. */
const char *smtp_session_client(const struct smtp_session *session);

bool smtp_session_in_data(const struct smtp_session *session);
/* Octets held for the message being received; 0 when there is none. */
size_t smtp_session_held(const struct smtp_session *session);
bool smtp_session_waiting(const struct smtp_session *session); /* waits for the host's answer */
bool smtp_session_closed(const struct smtp_session *session);
/* Number of commands and messages finished so far; the transport restarts its command timer when it
 * changes.
 */
unsigned smtp_session_steps(const struct smtp_session *session);

#endif
