#include "runtime/host/http/http-connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/ctx.h"
#include "runtime/host/gateway/problem.h"
#include "runtime/host/http/http-answer.h"
#include "runtime/host/http/http-large.h"
#include "runtime/time.h"

static struct access_stats refused_stats = {.function = "none"};

void http_connection_enter(struct http_connection *connection, enum http_state state)
{
	static const int seconds[] = {[HTTP_IDLE] = HTTP_IDLE_SECONDS,
		[HTTP_HEAD] = HTTP_HEAD_SECONDS,
		[HTTP_BODY] = HTTP_BODY_SECONDS,
		[HTTP_BUSY] = 0,
		[HTTP_WRITING] = HTTP_WRITE_SECONDS,
		[HTTP_LINGER] = HTTP_LINGER_SECONDS,
		[HTTP_CLOSED] = 0};

	connection->state = state;
	connection->deadline_ms = seconds[state] == 0 ? 0
						      : rt_monotonic_ms() + seconds[state] * 1000;
}

void http_connection_free(struct http_connection *connection)
{
	struct http_server *server = connection->server;

	http_large_let_go(connection);
	event_del(&connection->readable);
	event_del(&connection->writable);
	close(connection->fd);
	rt_buffer_done(&connection->in);
	rt_buffer_done(&connection->out);
	server->connections[connection->slot] = NULL;
	server->peers[connection->slot].family = 0;
	server->connection_count--;
	free(connection);
}

void http_connection_settle(struct http_connection *connection)
{
	bool occupied = connection->state == HTTP_BUSY || connection->state == HTTP_WRITING;
	bool wanted = !connection->eof &&
		!(occupied && connection->in.length >= HTTP_HEAD_BYTES_MAX);

	/* A client may close its sending side and still wait for the answers to its requests. */
	if (connection->state == HTTP_CLOSED || (connection->eof && !occupied)) {
		http_connection_free(connection);
		return;
	}
	if (wanted && !connection->reading)
		event_add(&connection->readable, NULL);
	if (!wanted && connection->reading)
		event_del(&connection->readable);
	connection->reading = wanted;
	if (connection->state == HTTP_WRITING)
		event_add(&connection->writable, NULL);
	/* An idle connection needs no input buffer. */
	if (connection->in.length == 0)
		rt_buffer_done(&connection->in);
}

/* Refuses a request; later input of the connection is not parsed. */
static void refuse(struct http_connection *connection, const struct http_refusal *refusal)
{
	struct http_server *server = connection->server;

	connection->exchange.keep_alive = false;
	connection->exchange.refused = true;
	problem_write(&server->problem_fields, &server->problem_body, refusal->status,
		refusal->code, refusal->detail);
	http_connection_enter(connection, HTTP_BUSY);
	http_connection_answer(connection, &refused_stats, refusal->status, &server->problem_fields,
		server->problem_body.bytes, server->problem_body.length);
}

static void say_continue(struct http_connection *connection)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

	if (write(connection->fd, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
		http_connection_enter(connection, HTTP_CLOSED);
}

static void refuse_length(struct http_connection *connection)
{
	char detail[64];
	struct http_refusal large = {413, "body-too-large", detail};

	snprintf(detail, sizeof detail, "the body is longer than %zu KiB",
		connection->body_max / 1024);
	refuse(connection, &large);
}

/* True if the head declares a body of an allowed length, or none; otherwise refuses the request. */
static bool may_be_so_long(struct http_connection *connection, const struct http_head *head)
{
	const struct http_server *server = connection->server;

	connection->body_max = HTTP_BODY_BYTES_MAX;
	if (server->body_max != NULL && (head->chunked || head->content_length > 0))
		connection->body_max = server->body_max(
			server->body_max_arg, &connection->exchange, head);
	if (head->content_length <= connection->body_max)
		return true;
	refuse_length(connection);
	return false;
}

/* Prepares to receive the body, by its length or in chunks. */
static void expect_body(struct http_connection *connection, const struct http_head *head)
{
	connection->head_length = head->head_length;
	connection->content_length = head->content_length;
	connection->is_chunked = head->chunked;
	http_chunked_init(&connection->chunked, connection->body_max);
}

/* Parses the head; true when it is complete and valid. */
static bool take_head(struct http_connection *connection, char *bytes, size_t length)
{
	struct http_head *head = &connection->server->head;
	enum http_result result = http_head_parse(bytes, length, head);

	if (result == HTTP_REFUSED) {
		http_exchange_note_bytes(&connection->exchange, bytes, length);
		refuse(connection, &head->refusal);
	}
	if (result != HTTP_READY)
		return false;
	http_exchange_note_head(
		&connection->exchange, head, connection->peer, &connection->server->forwarded);
	if (!may_be_so_long(connection, head))
		return false;
	expect_body(connection, head);
	http_connection_enter(connection, HTTP_BODY);
	if (head->expects_continue && length == head->head_length &&
		(head->chunked || head->content_length > 0))
		say_continue(connection);
	return connection->state == HTTP_BODY;
}

/* Receives the body. True when it is complete; it then stands directly after the head. */
static bool take_body(
	struct http_connection *connection, char *bytes, size_t *length, size_t *body_length)
{
	static const struct http_refusal crowded = {
		503, "busy", "too many large requests are under way; try again in a moment"};
	size_t rest = *length - connection->head_length;
	enum http_result result;

	if (!http_large_count(connection, rest)) {
		refuse(connection, &crowded);
		return false;
	}
	*body_length = connection->content_length;
	if (!connection->is_chunked)
		return rest >= *body_length;
	result = http_chunked_decode(&connection->chunked, bytes + connection->head_length, &rest);
	*length = connection->head_length + rest;
	*body_length = connection->chunked.decoded;
	if (result == HTTP_REFUSED)
		refuse(connection, &connection->chunked.refusal);
	return result == HTTP_READY;
}

static void dispatch(struct http_connection *connection, const char *bytes, size_t body_length)
{
	struct http_server *server = connection->server;
	struct http_request request = {.head = &server->head,
		.body = bytes + connection->head_length,
		.body_length = body_length,
		.peer = connection->peer,
		.client = connection->exchange.client,
		.on_loopback = server->on_loopback,
		.request_id = connection->exchange.id,
		.traceparent = connection->exchange.traceparent};

	if (server->draining)
		connection->exchange.keep_alive = false;
	connection->has_asked = true;
	http_connection_enter(connection, HTTP_BUSY);
	server->on_request(server->arg, &connection->exchange, &request);
}

/* Empty lines before a request are skipped (RFC 9112 section 2.2). */
static void skip_empty_lines(char *bytes, size_t *length)
{
	size_t skipped = 0;

	while (*length - skipped >= 2 && bytes[skipped] == '\r' && bytes[skipped + 1] == '\n')
		skipped += 2;
	*length -= skipped;
	memmove(bytes, bytes + skipped, *length);
}

static bool is_between_requests(struct http_connection *connection, char *bytes, size_t *length)
{
	if (connection->state == HTTP_BODY)
		return false;
	if (*length > 0 && bytes[0] == '\r')
		skip_empty_lines(bytes, length);
	if (*length == 0)
		return true;
	if (connection->state == HTTP_IDLE) {
		http_connection_enter(connection, HTTP_HEAD);
		http_exchange_begin(&connection->exchange, connection, connection->peer);
	}
	return false;
}

/* Handles a complete request and removes it from the start of the bytes; false when none is
 * complete. */
static bool take_request(struct http_connection *connection, char *bytes, size_t *length)
{
	bool fresh = connection->state != HTTP_BODY;
	size_t body_length, whole;

	if (connection->state > HTTP_BODY || is_between_requests(connection, bytes, length))
		return false;
	if (fresh && !take_head(connection, bytes, *length))
		return false;
	if (!take_body(connection, bytes, length, &body_length))
		return false;
	/* The head has been parsed before, but its octets may be in other memory now. Parsing the
	 * head again gives the spans in that memory. */
	if (!fresh && http_head_parse(bytes, *length, &connection->server->head) != HTTP_READY)
		return false;
	dispatch(connection, bytes, body_length);
	whole = connection->head_length + body_length;
	*length -= whole;
	memmove(bytes, bytes + whole, *length);
	return true;
}

static void take_requests(struct http_connection *connection, char *bytes, size_t *length)
{
	connection->processing = true;
	while (take_request(connection, bytes, length))
		;
	connection->processing = false;
	if (connection->state >= HTTP_LINGER || connection->exchange.refused)
		*length = 0;
}

/* Reads octets and handles complete requests. If the connection has no earlier octets, reads into
 * the server's shared buffer, and copies to the connection only the octets of an incomplete
 * request. */
static ssize_t receive(struct http_connection *connection)
{
	struct http_server *server = connection->server;
	bool direct = connection->in.length == 0;
	char *room = direct ? server->scratch : rt_buffer_room(&connection->in, HTTP_READ_BYTES);
	ssize_t got = read(connection->fd, room, HTTP_READ_BYTES);
	size_t length = got > 0 ? (size_t)got : 0;

	if (got <= 0 || connection->state == HTTP_LINGER)
		return got;
	if (direct) {
		take_requests(connection, server->scratch, &length);
		rt_buffer_add(&connection->in, server->scratch, length);
	} else {
		rt_buffer_used(&connection->in, length);
		take_requests(connection, connection->in.bytes, &connection->in.length);
	}
	return got;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct http_connection *connection = arg;
	ssize_t got = receive(connection);

	(void)fd;
	(void)what;
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		connection->eof = true;
	/* An answer from within gone() has settled the connection and may have freed it. */
	if (connection->eof && connection->gone != NULL && connection->gone(connection->gone_arg))
		return;
	http_connection_settle(connection);
}

/* Called when the whole answer has been written to the socket. */
static void after_answer(struct http_connection *connection)
{
	const struct http_exchange *exchange = &connection->exchange;

	if (exchange->keep_alive) {
		http_connection_enter(connection, HTTP_IDLE);
	} else if (exchange->refused && !connection->eof) {
		/* Closing at once with unread input resets the connection, and the client may lose
		 * the answer (RFC 9112 section 9.6). */
		shutdown(connection->fd, SHUT_WR);
		http_connection_enter(connection, HTTP_LINGER);
	} else {
		http_connection_enter(connection, HTTP_CLOSED);
	}
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct http_connection *connection = arg;
	struct rt_buffer *out = &connection->out;
	ssize_t sent = write(fd, out->bytes + connection->sent, out->length - connection->sent);

	(void)what;
	if (sent > 0)
		connection->sent += (size_t)sent;
	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		http_connection_enter(connection, HTTP_CLOSED);
	} else if (connection->sent == out->length) {
		rt_buffer_done(out);
		after_answer(connection);
		take_requests(connection, connection->in.bytes, &connection->in.length);
	}
	http_connection_settle(connection);
}

/* Stores the part of the answer that the socket did not accept. */
static void keep_rest(struct http_connection *connection, const struct iovec *parts, size_t sent)
{
	connection->sent = 0;
	for (int i = 0; i < 2; i++) {
		size_t gone = sent < parts[i].iov_len ? sent : parts[i].iov_len;

		if (gone < parts[i].iov_len)
			rt_buffer_add(&connection->out, (char *)parts[i].iov_base + gone,
				parts[i].iov_len - gone);
		sent -= gone;
	}
}

static void write_answer(struct http_connection *connection, const char *body, size_t body_length)
{
	struct rt_buffer *head = &connection->server->answer_head;
	struct iovec parts[2] = {{head->bytes, head->length}, {(void *)body, body_length}};
	ssize_t sent = writev(connection->fd, parts, 2);

	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		http_connection_enter(connection, HTTP_CLOSED);
	} else if (sent == (ssize_t)(head->length + body_length)) {
		after_answer(connection);
	} else {
		keep_rest(connection, parts, sent < 0 ? 0 : (size_t)sent);
		http_connection_enter(connection, HTTP_WRITING);
	}
}

void http_connection_answer(struct http_connection *connection, struct access_stats *stats,
	int status, const struct rt_buffer *fields, const char *body, size_t body_length)
{
	const struct http_exchange *exchange = &connection->exchange;
	bool bodiless = status == 204 || status == 304;
	size_t sent_length = bodiless || exchange->head_only ? 0 : body_length;
	struct access_entry entry = {.method = exchange->method,
		.path = exchange->path,
		.client = exchange->client,
		.request_id = exchange->id,
		.trace_id = exchange->trace.id,
		.status = status,
		.started_us = exchange->started_us,
		.body_bytes = sent_length};
	struct http_answer_head head = {.status = status,
		.fields = fields,
		.request_id = exchange->id,
		.now_ms = rt_wall_ms(),
		.has_length = !bodiless,
		.body_length = body_length,
		.keep_alive = exchange->keep_alive,
		.minor = exchange->minor};

	http_large_let_go(connection);
	connection->gone = NULL;
	http_answer_head_write(&connection->server->answer_head, &head);
	access_record(stats, &entry);
	write_answer(connection, body, sent_length);
	if (connection->processing)
		return;
	take_requests(connection, connection->in.bytes, &connection->in.length);
	http_connection_settle(connection);
}

void http_connection_late(struct http_connection *connection)
{
	static const struct http_refusal late = {
		408, "request-timeout", "the request did not arrive in time"};

	if (connection->state == HTTP_HEAD || connection->state == HTTP_BODY) {
		refuse(connection, &late);
		return;
	}
	http_connection_enter(connection, HTTP_CLOSED);
	http_connection_settle(connection);
}

void http_connection_new(struct http_server *server, size_t slot, int fd, const struct rt_ip *peer)
{
	struct http_connection *connection = calloc(1, sizeof *connection);

	if (connection == NULL) {
		close(fd);
		return;
	}
	connection->server = server;
	connection->slot = slot;
	connection->fd = fd;
	rt_buffer_init_heap(&connection->in, HTTP_IN_BYTES_MAX);
	rt_buffer_init_heap(&connection->out, HTTP_OUT_BYTES_MAX);
	rt_ip_format(peer, connection->peer);
	event_assign(&connection->readable, server->base, fd, EV_READ | EV_PERSIST, on_readable,
		connection);
	event_assign(&connection->writable, server->base, fd, EV_WRITE, on_writable, connection);
	server->connections[slot] = connection;
	server->peers[slot] = *peer;
	server->connection_count++;
	http_connection_enter(connection, HTTP_IDLE);
	http_connection_settle(connection);
}
