/* One SMTP session apart from its transport (RFC 5321).
 *
 * Octets go in, replies come out through the host, and what the session cannot do itself (ask about
 * a recipient, keep a message, start TLS) the host does and reports back. There are no sockets and
 * no clocks here, so that a session can be driven by a test or a fuzzer.
 *
 * States: greeted -> EHLO -> MAIL -> RCPT… -> DATA -> (stored) -> EHLO. RSET, EHLO, STARTTLS and
 * XCLIENT forget the transaction, the last two the client's name as well.
 */
#ifndef RUNNER_SMTP_SESSION_H
#define RUNNER_SMTP_SESSION_H

#include "local/smtp/smtp-command.h"
#include "local/smtp/smtp-data.h"
#include "local/spool/held-mail.h"
#include "runtime/config/config.h"

enum {
	SMTP_LINE_MAX = 2048, /* a command, octets without CR LF */
	SMTP_RECIPIENTS_MAX = 100,
	SMTP_ERRORS_MAX = 20,
	SMTP_FUNCTION_MAX = 63,
	SMTP_REPLY_MAX = 1024,
	SMTP_TLS_NAME_MAX = 63,
};

struct smtp_recipient {
	char address[SMTP_ADDRESS_MAX + 1];   /* in lower case */
	char function[SMTP_FUNCTION_MAX + 1]; /* that the mail is for */
};

/* A message with its envelope, as it is handed to the host. */
struct smtp_mail {
	char client_ip[RT_IP_TEXT_MAX]; /* "" when a trusted proxy did not know */
	char helo[SMTP_NAME_MAX + 1];   /* as the peer said it; odd octets became '?' */
	char mail_from[SMTP_ADDRESS_MAX + 1];
	char tls[SMTP_TLS_NAME_MAX + 1]; /* "TLSv1.3 TLS_AES_256_GCM_SHA384", "none"; "" behind a
					     proxy */
	const char *protocol; /* "SMTP", "ESMTP", "ESMTPS" (RFC 3848), "UTF8SMTP" (RFC 6531) */
	struct smtp_recipient *recipients;
	size_t recipient_count;
	char *message; /* malloc; the host's to free. Of a large message a piece */
	size_t length;
	size_t given;             /* octets of the message before these, in earlier pieces */
	struct smtp_share *share; /* with the last: the host settles it with held_bytes */
	size_t held_bytes;
};

enum smtp_verdict {
	SMTP_RECIPIENT_TAKEN,
	SMTP_RECIPIENT_REFUSED, /* 550 */
	SMTP_RECIPIENT_UNKNOWN, /* could not be found out: 451 */
};

enum smtp_stored {
	SMTP_STORED,     /* durable */
	SMTP_NOT_STORED, /* no room or a failing disk: 451 */
	SMTP_STORE_BUSY, /* too much is waiting: 452 */
};

/* What holds for a recipient that is taken. */
struct smtp_bounds {
	size_t max_bytes; /* of a message to it; 0: the server's alone */
	uint64_t
		stored[HELD_LEVELS]; /* octets kept for good, of the client's networks and in all */
};

/* What the session asks of its surroundings. arg is the host's own. */
struct smtp_host {
	void (*reply)(void *arg, const char *bytes, size_t length);
	void (*ask_recipient)(void *arg, const char *address);  /* -> smtp_session_recipient */
	void (*store)(void *arg, const struct smtp_mail *mail); /* -> smtp_session_stored */
	/* A piece of a message that goes on; store follows with the last, or forget. */
	void (*keep)(void *arg, const struct smtp_mail *mail); /* -> smtp_session_kept */
	void (*forget)(void *arg);
	void (*start_tls)(void *arg); /* -> smtp_session_tls */
	void (*close)(void *arg);     /* when all replies are sent; no input is taken any more */
	/* A recipient or a message was answered 4xx or 5xx, with that reply: for counting and the
	 * log. Of the envelope its client, HELO, MAIL FROM and TLS are filled. */
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

/* Takes what it can use of the octets and returns how many: the rest (an unfinished line, or
 * everything behind a command whose answer is awaited) is to be given again with what follows. */
size_t smtp_session_input(struct smtp_session *session, const char *bytes, size_t length);

/* Before it, where the recipient is taken. */
void smtp_session_tls(struct smtp_session *session, const char *tls);

/* Ends it with a 421 of the server's own: "4.4.2 …". */
void smtp_session_end(struct smtp_session *session, const char *reason);

/* Copies a name from the peer; octets that would spoil a Received field become '?'. */
void smtp_copy_name(char name[SMTP_NAME_MAX + 1], const char *from);

/* The client that a question about a recipient is of; "" where only a proxy knows. */
const char *smtp_session_client(const struct smtp_session *session);

bool smtp_session_in_data(const struct smtp_session *session);
/* Octets of the message under way that are held for it, 0 outside of one. */
size_t smtp_session_held(const struct smtp_session *session);
bool smtp_session_waiting(const struct smtp_session *session); /* for the host's answer */
bool smtp_session_closed(const struct smtp_session *session);
/* Commands and messages finished so far: a transport's command timer starts anew when it changes.
 */
unsigned smtp_session_steps(const struct smtp_session *session);

#endif
