#include "runtime/host/http/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/config/config.h"
#include "runtime/ctx.h"
#include "runtime/host/gateway/problem.h"
#include "runtime/host/http/http-connection.h"
#include "runtime/host/http/http-state.h"
#include "runtime/time.h"

enum {
	TICK_MS = 250,
	/* time that a connection has for its first request when the server drains */
	FIRST_REQUEST_MS = 500,
	ACCEPTED_AT_ONCE = 64,
	ANSWER_HEAD_BYTES_MAX = 64 * 1024,
	IPV6_SITE_BYTES = 8,
};

/* Answers 503 to a connection above the limit, without reading the request. */
static void turn_away(int fd)
{
	static const char text[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
				   "Content-Length: 0\r\nConnection: close\r\n\r\n";
	ssize_t sent = write(fd, text, sizeof text - 1);

	(void)sent; /* the client may already be gone */
	close(fd);
}

bool http_same_peer(const struct rt_ip *a, const struct rt_ip *b)
{
	return a->family == b->family &&
		memcmp(a->bytes, b->bytes, a->family == AF_INET ? 4 : IPV6_SITE_BYTES) == 0;
}

static bool has_too_many(const struct http_server *server, const struct rt_ip *peer)
{
	const struct rt_cidr_list *proxies = &rt_config()->trusted_proxies;
	size_t count = 0;

	if (server->connection_count < HTTP_CONNECTIONS_PER_PEER_MAX)
		return false;
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		count += http_same_peer(&server->peers[i], peer);
	return count >= HTTP_CONNECTIONS_PER_PEER_MAX &&
		!rt_cidrs_contain(proxies->items, proxies->count, peer);
}

/* True if the connection is between requests and its socket has no octets of another request. */
static bool is_idle(const struct http_connection *connection)
{
	char octet;

	return connection->state == HTTP_IDLE &&
		recv(connection->fd, &octet, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

/* Closes the connection that has been idle longest, among those of the peer, or among all if peer
 * is NULL. So unused connections cannot keep other clients out. False when none is idle. */
static bool close_idle(struct http_server *server, const struct rt_ip *peer)
{
	struct http_connection *oldest = NULL;

	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		struct http_connection *connection = server->connections[i];

		if (connection == NULL ||
			(peer != NULL && !http_same_peer(&server->peers[i], peer)))
			continue;
		if ((oldest == NULL || connection->deadline_ms < oldest->deadline_ms) &&
			is_idle(connection))
			oldest = connection;
	}
	if (oldest != NULL)
		http_connection_free(oldest);
	return oldest != NULL;
}

static void take_connection(struct http_server *server, int fd, const struct rt_ip *peer)
{
	size_t slot = 0;

	if ((has_too_many(server, peer) && !close_idle(server, peer)) ||
		(server->connection_count == HTTP_CONNECTIONS_MAX && !close_idle(server, NULL))) {
		turn_away(fd);
		return;
	}
	while (server->connections[slot] != NULL)
		slot++;
	http_connection_new(server, slot, fd, peer);
}

static void on_acceptable(evutil_socket_t listener, short what, void *arg)
{
	struct http_server *server = arg;
	struct rt_ip peer;

	(void)what;
	for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
		int fd = listen_accept(listener, &peer);

		if (fd >= 0) {
			take_connection(server, fd, &peer);
		} else {
			/* No descriptor or no memory is left. The next tick of the timer tries
			 * again. */
			if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
				errno == ENOBUFS)
				event_del(server->acceptable);
			break;
		}
	}
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct http_server *server = arg;
	int64_t now_ms = rt_monotonic_ms();

	(void)fd;
	(void)what;
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		struct http_connection *connection = server->connections[i];

		if (connection != NULL && connection->deadline_ms != 0 &&
			connection->deadline_ms <= now_ms)
			http_connection_late(connection);
	}
	if (!server->draining)
		event_add(server->acceptable, NULL);
}

struct http_server *http_server_new(struct event_base *base, const char *address,
	http_on_request on_request, void *arg, char error[LISTEN_ERROR_MAX])
{
	struct http_server *server = calloc(1, sizeof *server);
	struct timeval tick = {0, TICK_MS * 1000};

	if (server == NULL) {
		snprintf(error, LISTEN_ERROR_MAX, "out of memory");
		return NULL;
	}
	server->fd = listen_open(address, server->address, error);
	if (server->fd < 0) {
		free(server);
		return NULL;
	}
	server->on_loopback = listen_is_loopback(server->address);
	server->base = base;
	server->on_request = on_request;
	server->arg = arg;
	rt_buffer_init_heap(&server->forwarded, HTTP_HEAD_BYTES_MAX);
	rt_buffer_init_heap(&server->answer_head, ANSWER_HEAD_BYTES_MAX);
	rt_buffer_init_heap(&server->problem_fields, PROBLEM_BYTES_MAX);
	rt_buffer_init_heap(&server->problem_body, PROBLEM_BYTES_MAX);
	server->acceptable = event_new(
		base, server->fd, EV_READ | EV_PERSIST, on_acceptable, server);
	server->tick = event_new(base, -1, EV_PERSIST, on_tick, server);
	event_add(server->acceptable, NULL);
	event_add(server->tick, &tick);
	return server;
}

void http_server_set_body_max(struct http_server *server, http_body_max body_max, void *arg)
{
	server->body_max = body_max;
	server->body_max_arg = arg;
}

const char *http_server_address(const struct http_server *server)
{
	return server->address;
}

void http_answer(struct http_exchange *exchange, struct access_stats *stats, int status,
	const struct rt_buffer *fields, const char *body, size_t body_length)
{
	http_connection_answer(exchange->connection, stats, status, fields, body, body_length);
}

void http_on_gone(struct http_exchange *exchange, http_gone gone, void *arg)
{
	exchange->connection->gone = gone;
	exchange->connection->gone_arg = arg;
}

/* Closes an idle connection that has had a request. An idle connection that has had none gets
 * FIRST_REQUEST_MS for its first request: the client cannot know that it should connect elsewhere,
 * and the request may be in transit. */
static void drain_idle(struct http_connection *connection)
{
	if (connection->has_asked)
		http_connection_free(connection);
	else
		connection->deadline_ms = rt_monotonic_ms() + FIRST_REQUEST_MS;
}

void http_server_drain(struct http_server *server)
{
	server->draining = true;
	event_del(server->acceptable);
	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		struct http_connection *connection = server->connections[i];

		if (connection == NULL)
			continue;
		connection->exchange.keep_alive = false;
		if (connection->state == HTTP_IDLE)
			drain_idle(connection);
	}
}

size_t http_server_connections(const struct http_server *server)
{
	return server->connection_count;
}

void http_server_free(struct http_server *server)
{
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		if (server->connections[i] != NULL)
			http_connection_free(server->connections[i]);
	event_free(server->acceptable);
	event_free(server->tick);
	if (server->fd >= 0)
		close(server->fd);
	rt_buffer_done(&server->forwarded);
	rt_buffer_done(&server->answer_head);
	rt_buffer_done(&server->problem_fields);
	rt_buffer_done(&server->problem_body);
	free(server);
}
