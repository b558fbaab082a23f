/* The octets of an SMTP connection, in the clear or behind TLS.
 *
 * Octets in the clear are received and sent here. libevent's bufferevent would ask the socket how
 * many octets wait, read 4 KB of them at most, and take several turns of the loop for one message;
 * it is used for TLS alone.
 */
#ifndef RUNNER_SMTP_STREAM_H
#define RUNNER_SMTP_STREAM_H

#include <event2/event.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	SMTP_INPUT_BYTES_MAX = 64 * 1024, /* received and not used; above it nothing is read */
};

/* Called from the event loop. None of them may free the stream. */
struct smtp_stream_calls {
	void (*on_input)(void *arg);
	void (*on_sent)(void *arg);    /* everything that could not be sent at once */
	void (*on_secured)(void *arg); /* the handshake has succeeded */
	void (*on_ended)(void *arg);   /* by the client, or by an error */
};

struct smtp_stream;

/* Takes over fd. NULL when out of memory (fd is closed). */
struct smtp_stream *smtp_stream_new(
	struct event_base *base, int fd, const struct smtp_stream_calls *calls, void *arg);
void smtp_stream_free(struct smtp_stream *stream);

/* The octets received and not used yet, valid until smtp_stream_use() or the end of on_input. */
const char *smtp_stream_input(struct smtp_stream *stream, size_t *length);
void smtp_stream_use(struct smtp_stream *stream, size_t length);
void smtp_stream_use_all(struct smtp_stream *stream);

/* False when there is no memory for what cannot be sent at once. */
bool smtp_stream_send(struct smtp_stream *stream, const char *bytes, size_t length);
/* Octets that the socket has not taken yet. */
size_t smtp_stream_unsent(const struct smtp_stream *stream);

/* Begins the handshake; everything must be sent, and no input left. */
bool smtp_stream_secure(struct smtp_stream *stream, SSL_CTX *tls);
/* NULL in the clear. */
SSL *smtp_stream_tls(const struct smtp_stream *stream);

/* Says to the client that nothing more will be sent. */
void smtp_stream_shut_down(struct smtp_stream *stream);

/* Nothing is read or sent, and nothing is called, from now on. */
void smtp_stream_stop(struct smtp_stream *stream);

#endif
