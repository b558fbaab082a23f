#include "local/smtp/smtp-stream.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct smtp_stream {
	struct event_base *base;
	struct smtp_stream_calls calls;
	void *arg;
	int fd;
	struct bufferevent *secure; /* NULL in the clear; what follows is then unused */

	struct event *readable;
	struct event *writable;  /* NULL until the socket was full for the first time */
	struct evbuffer *unsent; /* as is this */
	struct evbuffer *rest;   /* input of earlier calls; NULL until some was left over */
	const char *fresh;       /* input of this call, where rest is empty */
	size_t fresh_length;
	bool stopped;
};

static size_t buffered(const struct evbuffer *buffer)
{
	return buffer == NULL ? 0 : evbuffer_get_length(buffer);
}

static bool add(struct evbuffer **buffer, const char *bytes, size_t length)
{
	if (*buffer == NULL)
		*buffer = evbuffer_new();
	return *buffer != NULL && evbuffer_add(*buffer, bytes, length) == 0;
}

static void end(struct smtp_stream *stream)
{
	smtp_stream_stop(stream);
	stream->calls.on_ended(stream->arg);
}

/* Keeps what on_input has not used. */
static bool keep_fresh(struct smtp_stream *stream)
{
	bool kept = stream->fresh_length == 0 ||
		add(&stream->rest, stream->fresh, stream->fresh_length);

	stream->fresh = NULL;
	stream->fresh_length = 0;
	return kept;
}

static void take(struct smtp_stream *stream, const char *bytes, size_t length)
{
	bool kept = true;

	if (buffered(stream->rest) > 0) {
		kept = add(&stream->rest, bytes, length);
	} else {
		stream->fresh = bytes;
		stream->fresh_length = length;
	}
	if (kept)
		stream->calls.on_input(stream->arg);
	if (!keep_fresh(stream) || !kept)
		end(stream);
	else if (buffered(stream->rest) >= SMTP_INPUT_BYTES_MAX && stream->secure == NULL)
		event_del(stream->readable);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	char bytes[SMTP_INPUT_BYTES_MAX];
	struct smtp_stream *stream = arg;
	size_t room = sizeof bytes - buffered(stream->rest);
	ssize_t got = recv(fd, bytes, room, MSG_DONTWAIT);

	(void)what;
	if (got > 0)
		take(stream, bytes, (size_t)got);
	else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
		end(stream);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct smtp_stream *stream = arg;
	int written = evbuffer_write(stream->unsent, fd);

	(void)what;
	if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
		end(stream);
	} else if (buffered(stream->unsent) == 0) {
		event_del(stream->writable);
		stream->calls.on_sent(stream->arg);
	}
}

struct smtp_stream *smtp_stream_new(
	struct event_base *base, int fd, const struct smtp_stream_calls *calls, void *arg)
{
	struct smtp_stream *stream = calloc(1, sizeof *stream);

	if (stream == NULL) {
		close(fd);
		return NULL;
	}
	*stream = (struct smtp_stream){.base = base, .calls = *calls, .arg = arg, .fd = fd};
	stream->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, stream);
	if (stream->readable == NULL || event_add(stream->readable, NULL) != 0) {
		smtp_stream_free(stream);
		return NULL;
	}
	return stream;
}

/* What belongs to a stream in the clear. */
static void release(struct smtp_stream *stream)
{
	if (stream->readable != NULL)
		event_free(stream->readable);
	if (stream->writable != NULL)
		event_free(stream->writable);
	if (stream->unsent != NULL)
		evbuffer_free(stream->unsent);
	if (stream->rest != NULL)
		evbuffer_free(stream->rest);
	stream->readable = stream->writable = NULL;
	stream->unsent = stream->rest = NULL;
}

void smtp_stream_free(struct smtp_stream *stream)
{
	if (stream == NULL)
		return;
	release(stream);
	if (stream->secure != NULL)
		bufferevent_free(stream->secure); /* closes fd */
	else
		close(stream->fd);
	free(stream);
}

const char *smtp_stream_input(struct smtp_stream *stream, size_t *length)
{
	struct evbuffer *input = stream->secure != NULL ? bufferevent_get_input(stream->secure)
							: stream->rest;

	*length = buffered(input);
	if (*length > 0)
		return (const char *)evbuffer_pullup(input, -1);
	*length = stream->fresh_length;
	return stream->fresh;
}

void smtp_stream_use(struct smtp_stream *stream, size_t length)
{
	if (length == 0)
		return;
	if (stream->secure != NULL) {
		evbuffer_drain(bufferevent_get_input(stream->secure), length);
	} else if (buffered(stream->rest) == 0) {
		stream->fresh += length;
		stream->fresh_length -= length;
	} else {
		evbuffer_drain(stream->rest, length);
		if (!stream->stopped)
			event_add(stream->readable, NULL);
	}
}

void smtp_stream_use_all(struct smtp_stream *stream)
{
	size_t length;

	smtp_stream_input(stream, &length);
	smtp_stream_use(stream, length);
}

static bool send_later(struct smtp_stream *stream, const char *bytes, size_t length)
{
	if (stream->writable == NULL)
		stream->writable = event_new(
			stream->base, stream->fd, EV_WRITE | EV_PERSIST, on_writable, stream);
	return stream->writable != NULL && add(&stream->unsent, bytes, length) &&
		(stream->stopped || event_add(stream->writable, NULL) == 0);
}

/* Sending at once what the socket takes saves two changes of the watched events and one turn of the
 * loop. */
bool smtp_stream_send(struct smtp_stream *stream, const char *bytes, size_t length)
{
	size_t gone = 0;

	if (stream->secure != NULL)
		return bufferevent_write(stream->secure, bytes, length) == 0;
	if (buffered(stream->unsent) == 0) {
		ssize_t sent = send(stream->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);

		gone = sent > 0 ? (size_t)sent : 0;
	}
	return gone == length || send_later(stream, bytes + gone, length - gone);
}

size_t smtp_stream_unsent(const struct smtp_stream *stream)
{
	return buffered(
		stream->secure != NULL ? bufferevent_get_output(stream->secure) : stream->unsent);
}

static void on_secure_input(struct bufferevent *secure, void *arg)
{
	struct smtp_stream *stream = arg;

	(void)secure;
	stream->calls.on_input(stream->arg);
}

/* libevent defers this call, so another reply may have been added in the meantime. */
static void on_secure_sent(struct bufferevent *secure, void *arg)
{
	struct smtp_stream *stream = arg;

	(void)secure;
	if (!stream->stopped && smtp_stream_unsent(stream) == 0)
		stream->calls.on_sent(stream->arg);
}

static void on_secure_event(struct bufferevent *secure, short what, void *arg)
{
	struct smtp_stream *stream = arg;

	(void)secure;
	if ((what & BEV_EVENT_CONNECTED) != 0)
		stream->calls.on_secured(stream->arg);
	else
		end(stream);
}

bool smtp_stream_secure(struct smtp_stream *stream, SSL_CTX *tls)
{
	SSL *ssl = SSL_new(tls);

	if (ssl != NULL)
		stream->secure = bufferevent_openssl_socket_new(stream->base, stream->fd, ssl,
			BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
	if (stream->secure == NULL) {
		SSL_free(ssl);
		return false;
	}
	release(stream);
	bufferevent_openssl_set_allow_dirty_shutdown(stream->secure, 1);
	bufferevent_setcb(stream->secure, on_secure_input, on_secure_sent, on_secure_event, stream);
	bufferevent_setwatermark(stream->secure, EV_READ, 0, SMTP_INPUT_BYTES_MAX);
	/* Writing is enabled from the start; enabling it again would watch the socket for writing
	 * with nothing to write. */
	bufferevent_enable(stream->secure, EV_READ);
	return true;
}

SSL *smtp_stream_tls(const struct smtp_stream *stream)
{
	return stream->secure == NULL ? NULL : bufferevent_openssl_get_ssl(stream->secure);
}

void smtp_stream_shut_down(struct smtp_stream *stream)
{
	SSL *ssl = smtp_stream_tls(stream);

	if (ssl != NULL)
		SSL_shutdown(ssl);
	shutdown(stream->fd, SHUT_WR);
}

void smtp_stream_stop(struct smtp_stream *stream)
{
	stream->stopped = true;
	if (stream->secure != NULL)
		bufferevent_disable(stream->secure, EV_READ | EV_WRITE);
	if (stream->readable != NULL)
		event_del(stream->readable);
	if (stream->writable != NULL)
		event_del(stream->writable);
}
