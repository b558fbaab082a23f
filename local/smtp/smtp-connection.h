/* One SMTP connection: the transport of a session, and its TLS. */
#ifndef RUNNER_SMTP_CONNECTION_H
#define RUNNER_SMTP_CONNECTION_H

#include <event2/event.h>
#include <openssl/ssl.h>

#include "local/smtp/smtp-clock.h"

enum {
	SMTP_INPUT_BYTES_MAX = 64 * 1024,
	/* maximum number of octets of replies that the client has not read */
	SMTP_OUTPUT_BYTES_MAX = 256 * 1024,
	SMTP_CLOSE_SECONDS = 2, /* time for the client to read the last reply and close */
};

struct smtp_connection_settings {
	struct event_base *base;
	SSL_CTX *tls; /* settings of TLS; NULL: STARTTLS is not offered */
	struct smtp_settings session;
	struct smtp_clocks clocks;
	/* Called when the connection has ended; the server frees it. */
	void (*on_closed)(void *arg, struct smtp_connection *connection);
	void *arg;
};

/* Makes a connection, which owns fd from now on. NULL, with fd closed, when it cannot be served. */
struct smtp_connection *smtp_connection_new(
	const struct smtp_connection_settings *settings, int fd, const struct rt_ip *peer);
void smtp_connection_free(struct smtp_connection *connection);

/* The answers of the intake to the questions of the session (struct smtp_intake). bounds: the
 * limits of an accepted recipient; NULL: only the server's limits apply. */
void smtp_connection_recipient(struct smtp_connection *connection, enum smtp_verdict verdict,
	const char *function, const char *reason, const struct smtp_bounds *bounds);
void smtp_connection_stored(
	struct smtp_connection *connection, enum smtp_stored stored, const char *id);
void smtp_connection_kept(struct smtp_connection *connection, bool kept);

/* How long the client has been silent, ms; 0 while it waits for a reply or sends a message. */
int64_t smtp_connection_idle_ms(const struct smtp_connection *connection);

/* Sends a 421 with this text ("4.3.2 …"); the server frees the connection afterwards. */
void smtp_connection_dismiss(struct smtp_connection *connection, const char *reason);

/* Closes the connection with 421 as soon as no message is being received; during a TLS handshake
 * closes it at once, without a reply. */
void smtp_connection_drain(struct smtp_connection *connection);

/* Data that the caller attaches to the connection: the request for which the connection waits. */
void smtp_connection_set_request(struct smtp_connection *connection, void *request);
void *smtp_connection_request(const struct smtp_connection *connection);
const struct rt_ip *smtp_connection_peer(const struct smtp_connection *connection);

#endif
