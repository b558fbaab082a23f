#include "local/smtp/smtp-server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/host/listen.h"
#include "runtime/host/metrics.h"

enum {
	ACCEPT_PAUSE_MS = 200, /* pause of accept() when descriptors or memory ran out */
	IPV6_SITE_BITS = 64,
};

struct smtp_server {
	struct smtp_server_settings settings;
	struct smtp_budget budget;
	int listener;
	int port;
	struct event *incoming;
	struct event *resume;
	struct smtp_connection *connections[SMTP_CONNECTIONS_MAX];
	size_t count;
	struct metric *taken;
	struct metric *turned_away;
	struct metric *open;
};

static bool same_site(const struct rt_ip *a, const struct rt_ip *b)
{
	const struct rt_cidr site = {*a, a->family == AF_INET ? 32 : IPV6_SITE_BITS};

	return rt_cidr_contains(&site, b);
}

static bool is_trusted(const struct smtp_server *server, const struct rt_ip *peer)
{
	const struct rt_cidr_list *trusted = server->settings.trusted;

	return rt_cidrs_contain(trusted->items, trusted->count, peer);
}

static bool has_room(const struct smtp_server *server, const struct rt_ip *peer, bool trusted)
{
	size_t same = 0;

	for (size_t i = 0; i < server->count && !trusted; i++)
		same += same_site(peer, smtp_connection_peer(server->connections[i]));
	return same < SMTP_CONNECTIONS_PER_ADDRESS_MAX;
}

static void turn_away(struct smtp_server *server, int fd)
{
	static const char reply[] = "421 4.3.2 too many connections, try again later\r\n";

	metric_add(server->turned_away, 1);
	/* If the socket does not accept this line, the client only sees that the connection is
	 * closed. */
	if (send(fd, reply, sizeof reply - 1, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		shutdown(fd, SHUT_WR);
	close(fd);
}

static void on_closed(void *arg, struct smtp_connection *connection)
{
	struct smtp_server *server = arg;

	for (size_t i = 0; i < server->count; i++)
		if (server->connections[i] == connection)
			server->connections[i] = server->connections[--server->count];
	metric_set(server->open, server->count);
	server->settings.on_closed(server->settings.arg, connection);
	smtp_connection_free(connection);
}

/* Makes room for one more connection. If all are in use, dismisses the client that has been silent
 * longest, so that idle connections cannot keep other clients out. False if no client has been
 * silent for SMTP_IDLE_MS. */
static bool make_room(struct smtp_server *server)
{
	struct smtp_connection *silent = NULL;
	int64_t longest = SMTP_IDLE_MS;

	if (server->count < SMTP_CONNECTIONS_MAX)
		return true;
	for (size_t i = 0; i < server->count; i++) {
		int64_t idle = smtp_connection_idle_ms(server->connections[i]);

		if (idle >= longest) {
			longest = idle;
			silent = server->connections[i];
		}
	}
	if (silent == NULL)
		return false;
	smtp_connection_dismiss(silent, "4.3.2 too many connections, and this one is silent");
	on_closed(server, silent);
	return true;
}

static void serve(struct smtp_server *server, int fd, const struct rt_ip *peer, bool trusted)
{
	const struct smtp_connection_settings settings = {
		.base = server->settings.base,
		.tls = server->settings.tls,
		.session =
			{
				.host_name = server->settings.host_name,
				.trusted = trusted,
				.blocked = server->settings.blocked,
				.budget = &server->budget,
				.held = server->settings.held,
				.intake = server->settings.intake,
				.intake_arg = server->settings.arg,
			},
		.clocks = server->settings.clocks,
		.on_closed = on_closed,
		.arg = server,
	};
	struct smtp_connection *connection = smtp_connection_new(&settings, fd, peer);

	if (connection == NULL)
		return;
	server->connections[server->count++] = connection;
	metric_add(server->taken, 1);
	metric_set(server->open, server->count);
}

static void on_incoming(evutil_socket_t listener, short what, void *arg)
{
	const struct timeval pause = {.tv_usec = ACCEPT_PAUSE_MS * 1000};
	struct smtp_server *server = arg;
	struct rt_ip peer;
	int fd;

	(void)what;
	while ((fd = listen_accept(listener, &peer)) >= 0) {
		bool trusted = is_trusted(server, &peer);

		if (has_room(server, &peer, trusted) && make_room(server))
			serve(server, fd, &peer, trusted);
		else
			turn_away(server, fd);
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		/* Without a pause the loop would spin, because the listener stays readable. */
		event_del(server->incoming);
		evtimer_add(server->resume, &pause);
	}
}

static void on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct smtp_server *server = arg;

	(void)fd;
	(void)what;
	event_add(server->incoming, NULL);
}

static bool open_listener(struct smtp_server *server, char error[SMTP_SERVER_ERROR_MAX])
{
	char actual[LISTEN_TEXT_MAX];
	char reason[LISTEN_ERROR_MAX];

	server->listener = listen_open(server->settings.address, actual, reason);
	if (server->listener < 0) {
		snprintf(error, SMTP_SERVER_ERROR_MAX, "%.200s", reason);
		return false;
	}
	server->port = (int)strtol(strrchr(actual, ':') + 1, NULL, 10);
	return true;
}

static void add_metrics(struct smtp_server *server)
{
	server->taken = metric_counter(
		"eds_smtp_connections_total", "SMTP connections accepted.", "");
	server->turned_away = metric_counter("eds_smtp_turned_away_total",
		"SMTP connections closed at once because a limit on connections was reached.", "");
	server->open = metric_gauge("eds_smtp_connections", "SMTP connections open now.", "");
}

struct smtp_server *smtp_server_new(
	const struct smtp_server_settings *settings, char error[SMTP_SERVER_ERROR_MAX])
{
	struct smtp_server *server = calloc(1, sizeof *server);

	snprintf(error, SMTP_SERVER_ERROR_MAX, "the SMTP server cannot be started");
	if (server == NULL)
		return NULL;
	server->settings = *settings;
	smtp_budget_init(&server->budget);
	server->listener = -1;
	add_metrics(server);
	if (open_listener(server, error)) {
		server->incoming = event_new(settings->base, server->listener, EV_READ | EV_PERSIST,
			on_incoming, server);
		server->resume = evtimer_new(settings->base, on_resume, server);
	}
	if (server->incoming == NULL || server->resume == NULL ||
		event_add(server->incoming, NULL) != 0) {
		smtp_server_free(server);
		return NULL;
	}
	return server;
}

int smtp_server_port(const struct smtp_server *server)
{
	return server->port;
}

static void stop_listening(struct smtp_server *server)
{
	if (server->incoming != NULL)
		event_free(server->incoming);
	if (server->resume != NULL)
		event_free(server->resume);
	if (server->listener >= 0)
		close(server->listener);
	server->incoming = server->resume = NULL;
	server->listener = -1;
}

void smtp_server_drain(struct smtp_server *server)
{
	stop_listening(server);
	for (size_t i = 0; i < server->count; i++)
		smtp_connection_drain(server->connections[i]);
}

size_t smtp_server_connections(const struct smtp_server *server)
{
	return server->count;
}

void smtp_server_close(struct smtp_server *server)
{
	stop_listening(server);
	while (server->count > 0)
		on_closed(server, server->connections[0]);
}

void smtp_server_free(struct smtp_server *server)
{
	smtp_server_close(server);
	free(server);
}
