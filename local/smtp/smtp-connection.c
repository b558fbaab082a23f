#include "local/smtp/smtp-connection.h"
#include "local/smtp/smtp-bounds.h"
#include "local/smtp/smtp-transaction.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "local/smtp/tls.h"
#include "runtime/ctx.h"

struct smtp_connection {
	struct smtp_connection_settings settings;
	struct rt_ip peer;
	struct smtp_session *session;
	struct bufferevent *stream;
	struct event *timer;
	/* event that frees or continues the connection outside of the stream's callbacks */
	struct event *later;
	void *request;
	struct smtp_clock clock;
	/* STARTTLS was accepted; the handshake begins when the reply has been sent */
	bool tls_wanted;
	bool handshaking;
	bool draining;
	bool goodbye; /* everything is sent; waits for the client to close its side */
	bool gone;    /* nothing more is read or sent */
};

static void read_input(struct smtp_connection *connection);
static void start_handshake(struct smtp_connection *connection);

static void set_timer(struct event *event, int64_t ms)
{
	const struct timeval interval = {ms / 1000, ms % 1000 * 1000};

	evtimer_add(event, &interval);
}

/* Ends the connection. The stream may be inside one of its callbacks, so the event loop frees it
 * later. */
static void end(struct smtp_connection *connection)
{
	if (connection->gone)
		return;
	connection->gone = true;
	bufferevent_disable(connection->stream, EV_READ | EV_WRITE);
	event_active(connection->later, EV_TIMEOUT, 0);
}

static void on_later(evutil_socket_t fd, short what, void *arg)
{
	struct smtp_connection *connection = arg;

	(void)fd;
	(void)what;
	if (connection->gone)
		connection->settings.on_closed(connection->settings.arg, connection);
	else
		read_input(connection);
}

/* Sends directly as much as the socket accepts. This saves two changes of the watched events and
 * one turn of the loop. */
static size_t send_now(struct smtp_connection *connection, const char *bytes, size_t length)
{
	struct bufferevent *stream = connection->stream;
	ssize_t sent;

	if (bufferevent_openssl_get_ssl(stream) != NULL ||
		evbuffer_get_length(bufferevent_get_output(stream)) > 0)
		return 0;
	sent = send(bufferevent_getfd(stream), bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	return sent > 0 ? (size_t)sent : 0;
}

static void on_reply(void *arg, const char *bytes, size_t length)
{
	struct smtp_connection *connection = arg;
	size_t gone = send_now(connection, bytes, length);

	if (gone == length)
		return;
	bufferevent_write(connection->stream, bytes + gone, length - gone);
	if (evbuffer_get_length(bufferevent_get_output(connection->stream)) > SMTP_OUTPUT_BYTES_MAX)
		end(connection);
}

static void on_start_tls(void *arg)
{
	struct smtp_connection *connection = arg;

	connection->tls_wanted = true;
	event_active(connection->later, EV_TIMEOUT, 0);
}

/* Called when the session is over. If the last reply has not been sent yet, on_sent() closes the
 * connection later. */
static void on_close(void *arg)
{
	struct smtp_connection *connection = arg;

	set_timer(connection->timer, SMTP_CLOSE_SECONDS * 1000);
	event_active(connection->later, EV_TIMEOUT, 0);
}

static void set_clock(struct smtp_connection *connection)
{
	if (!smtp_session_closed(connection->session))
		set_timer(connection->timer,
			smtp_clock_left_ms(&connection->clock, connection->session));
}

static void reset_clock(struct smtp_connection *connection)
{
	smtp_clock_reset(&connection->clock);
	set_clock(connection);
}

static void hurry(struct smtp_connection *connection)
{
	const char *overdue = smtp_clock_overdue(&connection->clock, connection->session);

	if (overdue != NULL)
		smtp_session_end(connection->session, overdue);
}

static void on_clock(evutil_socket_t fd, short what, void *arg)
{
	struct smtp_connection *connection = arg;

	(void)fd;
	(void)what;
	/* The client waits for a reply of this server. A 421 now would make the client send again
	 * the message that is being stored. */
	if (smtp_session_waiting(connection->session) && !connection->handshaking &&
		!connection->tls_wanted && !smtp_session_closed(connection->session)) {
		reset_clock(connection);
		return;
	}
	if (smtp_session_closed(connection->session) || smtp_session_waiting(connection->session))
		end(connection);
	else
		hurry(connection);
	if (!connection->gone)
		set_clock(connection);
}

/* Closes a draining connection between messages; a command that the client began to send gets no
 * reply.
 */
static void drain_if_idle(struct smtp_connection *connection)
{
	if (connection->draining && !smtp_session_in_data(connection->session) &&
		!smtp_session_waiting(connection->session))
		smtp_session_end(connection->session, "4.3.2 the server is stopping");
}

static void feed(struct smtp_connection *connection)
{
	struct evbuffer *input = bufferevent_get_input(connection->stream);
	size_t length = evbuffer_get_length(input);
	bool in_data = smtp_session_in_data(connection->session);
	size_t held = smtp_session_held(connection->session);
	const char *bytes = (const char *)evbuffer_pullup(input, -1);
	size_t used = length > 0 ? smtp_session_input(connection->session, bytes, length) : 0;

	if (in_data)
		smtp_clock_extend(&connection->clock, used, held);
	evbuffer_drain(input, used);
	if (smtp_clock_follow(&connection->clock, connection->session))
		set_clock(connection);
}

/* Closes the connection after the last reply. Closing a socket with unread octets sends a reset,
 * which may destroy that reply. So this side shuts down first and discards input until the client
 * closes or the time is over. */
static void say_goodbye(struct smtp_connection *connection)
{
	SSL *ssl = bufferevent_openssl_get_ssl(connection->stream);

	if (connection->goodbye)
		return;
	connection->goodbye = true;
	if (ssl != NULL)
		SSL_shutdown(ssl);
	shutdown(bufferevent_getfd(connection->stream), SHUT_WR);
}

static bool all_sent(const struct smtp_connection *connection)
{
	return evbuffer_get_length(bufferevent_get_output(connection->stream)) == 0;
}

static void read_input(struct smtp_connection *connection)
{
	if (connection->tls_wanted && all_sent(connection))
		start_handshake(connection);
	if (connection->gone || connection->handshaking || connection->tls_wanted)
		return;
	feed(connection);
	drain_if_idle(connection);
	if (!smtp_session_closed(connection->session))
		return;
	evbuffer_drain(bufferevent_get_input(connection->stream), SMTP_INPUT_BYTES_MAX);
	if (all_sent(connection))
		say_goodbye(connection);
}

static void on_input(struct bufferevent *stream, void *arg)
{
	(void)stream;
	read_input(arg);
}

static void on_event(struct bufferevent *stream, short what, void *arg)
{
	struct smtp_connection *connection = arg;
	char tls[SMTP_TLS_NAME_MAX + 1];

	if ((what & BEV_EVENT_CONNECTED) == 0) {
		end(connection);
		return;
	}
	connection->handshaking = false;
	tls_describe(bufferevent_openssl_get_ssl(stream), tls, sizeof tls);
	smtp_session_tls(connection->session, tls);
	read_input(connection);
}

static void on_sent(struct bufferevent *stream, void *arg);

static void set_stream(struct smtp_connection *connection, struct bufferevent *stream)
{
	connection->stream = stream;
	bufferevent_setcb(stream, on_input, on_sent, on_event, connection);
	bufferevent_setwatermark(stream, EV_READ, 0, SMTP_INPUT_BYTES_MAX);
	/* Writing is enabled from the start; enabling it again would watch the socket for writing
	 * with nothing to write. */
	bufferevent_enable(stream, EV_READ);
}

/* Begins the TLS handshake after the reply to STARTTLS was sent (RFC 3207 section 4). The session
 * already refused octets that arrived with the command; if octets have arrived since then, the
 * connection is closed, because they are not part of a handshake. */
static void start_handshake(struct smtp_connection *connection)
{
	struct bufferevent *plain = connection->stream;
	evutil_socket_t fd = bufferevent_getfd(plain);
	SSL *ssl = SSL_new(connection->settings.tls);
	struct bufferevent *stream = NULL;

	connection->tls_wanted = false;
	if (ssl != NULL && evbuffer_get_length(bufferevent_get_input(plain)) == 0)
		stream = bufferevent_openssl_socket_new(connection->settings.base, fd, ssl,
			BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
	if (stream == NULL) {
		SSL_free(ssl);
		end(connection);
		return;
	}
	bufferevent_setfd(plain, -1);
	bufferevent_free(plain);
	bufferevent_openssl_set_allow_dirty_shutdown(stream, 1);
	connection->handshaking = true;
	set_stream(connection, stream);
}

/* Called when all replies have been sent. */
static void on_sent(struct bufferevent *stream, void *arg)
{
	struct smtp_connection *connection = arg;

	/* libevent defers this call, so another reply may have been added in the meantime. */
	(void)stream;
	if (connection->gone || !all_sent(connection))
		return;
	if (smtp_session_closed(connection->session))
		say_goodbye(connection);
	else if (connection->tls_wanted)
		start_handshake(connection);
}

static bool start(struct smtp_connection *connection, int fd)
{
	const struct smtp_transport transport = {
		.on_reply = on_reply, .on_start_tls = on_start_tls, .on_close = on_close};
	struct smtp_connection_settings *settings = &connection->settings;
	char ip[RT_IP_TEXT_MAX];

	connection->timer = evtimer_new(settings->base, on_clock, connection);
	connection->later = evtimer_new(settings->base, on_later, connection);
	connection->stream = bufferevent_socket_new(
		settings->base, fd, BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
	if (connection->stream == NULL)
		close(fd);
	if (connection->timer == NULL || connection->later == NULL || connection->stream == NULL)
		return false;
	rt_ip_format(&connection->peer, ip);
	settings->session.tls_offered = settings->tls != NULL;
	connection->session = smtp_session_new(&settings->session, &transport, connection, ip);
	return connection->session != NULL;
}

struct smtp_connection *smtp_connection_new(
	const struct smtp_connection_settings *settings, int fd, const struct rt_ip *peer)
{
	struct smtp_connection *connection = calloc(1, sizeof *connection);

	if (connection == NULL) {
		close(fd);
		return NULL;
	}
	connection->settings = *settings;
	connection->peer = *peer;
	if (!start(connection, fd)) {
		smtp_connection_free(connection);
		return NULL;
	}
	set_stream(connection, connection->stream);
	smtp_clock_start(&connection->clock, &settings->clocks);
	set_clock(connection);
	return connection;
}

void smtp_connection_free(struct smtp_connection *connection)
{
	smtp_session_free(connection->session);
	if (connection->stream != NULL)
		bufferevent_free(connection->stream);
	if (connection->timer != NULL)
		event_free(connection->timer);
	if (connection->later != NULL)
		event_free(connection->later);
	free(connection);
}

/* Continues the session from the event loop, because the answer may arrive while the session is
 * still inside its call to the intake. */
static void go_on(struct smtp_connection *connection)
{
	if (!connection->gone)
		event_active(connection->later, EV_TIMEOUT, 0);
}

void smtp_connection_recipient(struct smtp_connection *connection, enum smtp_verdict verdict,
	const char *function, const char *reason, const struct smtp_bounds *bounds)
{
	if (bounds != NULL)
		smtp_session_bounds(connection->session, bounds);
	smtp_session_recipient(connection->session, verdict, function, reason);
	go_on(connection);
}

void smtp_connection_stored(
	struct smtp_connection *connection, enum smtp_stored stored, const char *id)
{
	smtp_session_stored(connection->session, stored, id);
	go_on(connection);
}

void smtp_connection_kept(struct smtp_connection *connection, bool kept)
{
	smtp_session_kept(connection->session, kept);
	go_on(connection);
}

int64_t smtp_connection_idle_ms(const struct smtp_connection *connection)
{
	const struct smtp_session *session = connection->session;

	return smtp_session_in_data(session) || smtp_session_waiting(session)
		? 0
		: smtp_clock_idle_ms(&connection->clock);
}

void smtp_connection_dismiss(struct smtp_connection *connection, const char *reason)
{
	smtp_session_end(connection->session, reason);
}

void smtp_connection_drain(struct smtp_connection *connection)
{
	connection->draining = true;
	if (connection->handshaking || connection->tls_wanted)
		end(connection);
	else
		go_on(connection);
}

void smtp_connection_set_request(struct smtp_connection *connection, void *request)
{
	connection->request = request;
}

void *smtp_connection_request(const struct smtp_connection *connection)
{
	return connection->request;
}

const struct rt_ip *smtp_connection_peer(const struct smtp_connection *connection)
{
	return &connection->peer;
}
