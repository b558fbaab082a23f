/* A scripted DNS server for tests, over real sockets: a file (dnsd-zone.h) defines its answers and
 * its misbehavior.
 *
 *     dnsd --listen 127.0.0.1:0 [--log FILE] ZONEFILE
 *
 * Prints {"address":"127.0.0.1:PORT"} and serves UDP and TCP there. The file is read again before
 * the next answer when it changed (replace it by renaming), and at SIGHUP; a faulty file is
 * reported on standard error, and the old data stays. --log appends "name TYPE" for each query.
 * Ends with 0 at SIGTERM or SIGINT, and when standard input ends, so that it never outlives its
 * test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/ctx.h"
#include "runtime/time.h"
#include "tests/support/dnsd-reply.h"

enum {
	CONNECTIONS_MAX = 256,
	INPUT_MAX = 4096, /* octets of input kept for one connection; queries are small */
	BATCH_MAX = 64,   /* number of datagrams that are answered before other work */
	SOCKET_BYTES = 4 * 1024 * 1024,
	LISTEN_TRIES = 32,
	EXIT_USAGE = 64,
};

struct connection {
	int fd; /* -1: free */
	uint64_t serial;
	size_t length;
	uint8_t input[INPUT_MAX];
};

struct peer {
	bool tcp;
	struct sockaddr_in address; /* UDP */
	size_t slot; /* TCP: the place of the connection that asked, and its serial number */
	uint64_t serial;
};

struct delayed {
	struct delayed *next;
	int64_t due_ms;
	struct peer peer;
	size_t length;
	uint8_t bytes[];
};

enum { POLL_SIGNALS, POLL_INPUT, POLL_UDP, POLL_TCP, POLL_CONNECTIONS };

static struct {
	const char *path;
	struct zone *zone;
	struct stat seen; /* size and time of the zone file when it was read */
	int log;
	int udp;
	int tcp;
	int signals;
	struct connection connections[CONNECTIONS_MAX];
	uint64_t serial;
	struct delayed *delayed; /* delayed answers, the earliest first */
	struct reply reply;
} server = {.log = -1};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "dnsd: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void load_zone(void)
{
	char error[256];
	struct zone *zone = zone_load(server.path, error);

	if (zone == NULL) {
		fprintf(stderr, "dnsd: %s: %s\n", server.path, error);
		if (server.zone == NULL)
			exit(EXIT_USAGE);
		return;
	}
	zone_free(server.zone);
	server.zone = zone;
}

static void load_if_changed(bool forced)
{
	struct stat now;

	if (stat(server.path, &now) != 0)
		return;
	if (!forced && now.st_ino == server.seen.st_ino && now.st_size == server.seen.st_size &&
		memcmp(&now.st_mtim, &server.seen.st_mtim, sizeof now.st_mtim) == 0)
		return;
	server.seen = now;
	load_zone();
}

static void close_connection(struct connection *connection)
{
	close(connection->fd);
	connection->fd = -1;
}

static void send_over_tcp(const struct peer *peer, const uint8_t *bytes, size_t length)
{
	struct connection *connection = &server.connections[peer->slot];
	uint8_t framed[2 + MESSAGE_MAX];

	if (connection->fd < 0 || connection->serial != peer->serial)
		return;
	framed[0] = (uint8_t)(length >> 8);
	framed[1] = (uint8_t)length;
	memcpy(framed + 2, bytes, length);
	if (send(connection->fd, framed, length + 2, MSG_NOSIGNAL) != (ssize_t)(length + 2))
		close_connection(connection);
}

static void send_reply(const struct peer *peer, const uint8_t *bytes, size_t length)
{
	if (peer->tcp)
		send_over_tcp(peer, bytes, length);
	else
		(void)sendto(server.udp, bytes, length, 0,
			(const struct sockaddr *)(const void *)&peer->address,
			sizeof peer->address);
}

static void delay_reply(const struct peer *peer)
{
	struct delayed *delayed = malloc(sizeof *delayed + server.reply.length);
	struct delayed **at = &server.delayed;

	if (delayed == NULL)
		fail("memory");
	delayed->due_ms = rt_monotonic_ms() + server.reply.delay_ms;
	delayed->peer = *peer;
	delayed->length = server.reply.length;
	memcpy(delayed->bytes, server.reply.bytes, server.reply.length);
	while (*at != NULL && (*at)->due_ms <= delayed->due_ms)
		at = &(*at)->next;
	delayed->next = *at;
	*at = delayed;
}

static void send_due(void)
{
	while (server.delayed != NULL && server.delayed->due_ms <= rt_monotonic_ms()) {
		struct delayed *delayed = server.delayed;

		server.delayed = delayed->next;
		send_reply(&delayed->peer, delayed->bytes, delayed->length);
		free(delayed);
	}
}

static void log_query(const struct query *query)
{
	char text[ZONE_NAME_MAX + 32];

	if (server.log >= 0 && write(server.log, text, query_format(query, text)) < 0)
		fail("log");
}

static void answer(const struct peer *peer, const uint8_t *message, size_t length)
{
	struct query query;

	if (!query_read(message, length, &query))
		return;
	/* Looks for a changed zone file before each answer, so that a query sent after a change
	 * gets the new answer. */
	load_if_changed(false);
	log_query(&query);
	reply_write(server.zone, message, &query, peer->tcp, &server.reply);
	if (server.reply.length == 0)
		return;
	if (server.reply.delay_ms > 0)
		delay_reply(peer);
	else
		send_reply(peer, server.reply.bytes, server.reply.length);
}

static void read_udp(void)
{
	for (int i = 0; i < BATCH_MAX; i++) {
		struct peer peer = {.tcp = false};
		socklen_t address_length = sizeof peer.address;
		uint8_t message[INPUT_MAX];
		ssize_t length = recvfrom(server.udp, message, sizeof message, MSG_DONTWAIT,
			(struct sockaddr *)(void *)&peer.address, &address_length);

		if (length < 0)
			return;
		answer(&peer, message, (size_t)length);
	}
}

static void accept_connection(void)
{
	int fd = accept(server.tcp, NULL, NULL);

	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	for (size_t i = 0; fd >= 0 && i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server.connections[i];

		if (connection->fd >= 0)
			continue;
		connection->fd = fd;
		connection->serial = ++server.serial;
		connection->length = 0;
		return;
	}
	if (fd >= 0)
		close(fd);
}

/* Answers the messages that have arrived completely; in TCP the length of each message precedes it
 * (RFC 7766 section 8). */
static void answer_connection(struct connection *connection)
{
	struct peer peer = {.tcp = true,
		.slot = (size_t)(connection - server.connections),
		.serial = connection->serial};

	while (connection->fd >= 0 && connection->length >= 2) {
		size_t whole = 2 + (size_t)(connection->input[0] << 8 | connection->input[1]);

		if (whole > INPUT_MAX)
			close_connection(connection);
		if (whole > connection->length)
			return;
		answer(&peer, connection->input + 2, whole - 2);
		connection->length -= whole;
		memmove(connection->input, connection->input + whole, connection->length);
	}
}

static void read_connection(struct connection *connection)
{
	ssize_t got = recv(connection->fd, connection->input + connection->length,
		INPUT_MAX - connection->length, 0);

	if (got <= 0) {
		close_connection(connection);
		return;
	}
	connection->length += (size_t)got;
	answer_connection(connection);
}

/* Handles a signal; returns false when the server must end. */
static bool read_signal(void)
{
	struct signalfd_siginfo info;

	if (read(server.signals, &info, sizeof info) != sizeof info)
		return true;
	if (info.ssi_signo == SIGHUP)
		load_if_changed(true);
	return info.ssi_signo == SIGHUP;
}

static bool input_ended(void)
{
	char ignored[256];

	return read(STDIN_FILENO, ignored, sizeof ignored) <= 0;
}

static void fill_poll(struct pollfd polled[])
{
	polled[POLL_SIGNALS] = (struct pollfd){.fd = server.signals, .events = POLLIN};
	polled[POLL_INPUT] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
	polled[POLL_UDP] = (struct pollfd){.fd = server.udp, .events = POLLIN};
	polled[POLL_TCP] = (struct pollfd){.fd = server.tcp, .events = POLLIN};
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		polled[POLL_CONNECTIONS + i] = (struct pollfd){
			.fd = server.connections[i].fd, .events = POLLIN};
}

static int until_due_ms(void)
{
	int64_t left_ms;

	if (server.delayed == NULL)
		return -1;
	left_ms = server.delayed->due_ms - rt_monotonic_ms();
	return left_ms > 0 ? (int)left_ms : 0;
}

static void serve(void)
{
	static struct pollfd polled[POLL_CONNECTIONS + CONNECTIONS_MAX];

	for (;;) {
		fill_poll(polled);
		if (poll(polled, sizeof polled / sizeof polled[0], until_due_ms()) < 0)
			fail("poll");
		if (polled[POLL_SIGNALS].revents != 0 && !read_signal())
			return;
		if (polled[POLL_INPUT].revents != 0 && input_ended())
			return;
		send_due();
		if (polled[POLL_UDP].revents != 0)
			read_udp();
		for (size_t i = 0; i < CONNECTIONS_MAX; i++)
			if (polled[POLL_CONNECTIONS + i].revents != 0 &&
				server.connections[i].fd >= 0)
				read_connection(&server.connections[i]);
		if (polled[POLL_TCP].revents != 0)
			accept_connection();
	}
}

static int bound_socket(int kind, const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, kind | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		fail("socket");
	if (kind == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, (const struct sockaddr *)(const void *)address, sizeof *address) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Binds UDP and TCP to one port; with port 0 it searches for a port that is free for both. */
static struct sockaddr_in open_sockets(const struct sockaddr_in *wanted)
{
	for (int i = 0; i < LISTEN_TRIES; i++) {
		struct sockaddr_in address = *wanted;
		socklen_t length = sizeof address;
		int bytes = SOCKET_BYTES;

		server.udp = bound_socket(SOCK_DGRAM, &address);
		if (server.udp < 0 || getsockname(server.udp, (void *)&address, &length) != 0)
			fail("bind");
		server.tcp = bound_socket(SOCK_STREAM, &address);
		if (server.tcp >= 0 && listen(server.tcp, CONNECTIONS_MAX) == 0) {
			setsockopt(server.udp, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
			return address;
		}
		close(server.udp);
	}
	fail("bind");
}

static struct sockaddr_in parse_endpoint(const char *text)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	char ip[INET_ADDRSTRLEN] = "";
	unsigned port = 0;

	if (sscanf(text, "%15[0-9.]:%u", ip, &port) != 2 || port > UINT16_MAX ||
		inet_pton(AF_INET, ip, &address.sin_addr) != 1) {
		fprintf(stderr, "dnsd: --listen takes IPV4:PORT\n");
		exit(EXIT_USAGE);
	}
	address.sin_port = htons((uint16_t)port);
	return address;
}

static void open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	server.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server.signals < 0)
		fail("signalfd");
}

static struct sockaddr_in parse_arguments(int argc, char **argv)
{
	struct sockaddr_in address = parse_endpoint("127.0.0.1:0");

	for (int i = 1; i < argc; i++) {
		bool has_value = i + 1 < argc;

		if (has_value && strcmp(argv[i], "--listen") == 0)
			address = parse_endpoint(argv[++i]);
		else if (has_value && strcmp(argv[i], "--log") == 0)
			server.log = open(
				argv[++i], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		else
			server.path = argv[i];
	}
	if (server.path == NULL) {
		fprintf(stderr, "usage: dnsd [--listen IPV4:PORT] [--log FILE] ZONEFILE\n");
		exit(EXIT_USAGE);
	}
	return address;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = parse_arguments(argc, argv);
	char ip[INET_ADDRSTRLEN];

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		server.connections[i].fd = -1;
	if (stat(server.path, &server.seen) != 0)
		fail(server.path);
	load_zone();
	open_signals();
	address = open_sockets(&address);
	inet_ntop(AF_INET, &address.sin_addr, ip, sizeof ip);
	printf("{\"address\":\"%s:%u\"}\n", ip, ntohs(address.sin_port));
	fflush(stdout);
	serve();
	zone_free(server.zone);
	return EXIT_SUCCESS;
}
