#include "runtime/host/listen.h"
#include "runtime/host/listen-passed.h"
#include "runtime/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool parse_port(const char *text, in_port_t *port)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end != '\0' || number < 0 || number > 65535)
		return false;
	*port = htons((uint16_t)number);
	return true;
}

/* Parses an address whose form the configuration has already checked. */
static bool parse_address(const char *text, union address *address, socklen_t *length)
{
	const char *colon = strrchr(text, ':');
	char host[LISTEN_TEXT_MAX];
	in_port_t port;

	if (colon == NULL || (size_t)(colon - text) >= sizeof host || !parse_port(colon + 1, &port))
		return false;
	memset(address, 0, sizeof *address);
	if (text[0] == '[' && colon > text + 1 && colon[-1] == ']') {
		snprintf(host, sizeof host, "%.*s", (int)(colon - text - 2), text + 1);
		address->v6.sin6_family = AF_INET6;
		address->v6.sin6_port = port;
		*length = sizeof address->v6;
		return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
	}
	snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
	address->v4.sin_family = AF_INET;
	address->v4.sin_port = port;
	*length = sizeof address->v4;
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

bool listen_parse(const char *text, struct sockaddr_storage *address, socklen_t *length)
{
	union address parsed;

	if (!parse_address(text, &parsed, length))
		return false;
	memcpy(address, &parsed, *length);
	return true;
}

static void format(const struct sockaddr_storage *stored, char text[LISTEN_TEXT_MAX])
{
	union address address;
	struct rt_ip ip;
	char host[RT_IP_TEXT_MAX] = "";

	memcpy(&address, stored, sizeof address);
	if (rt_ip_from_sockaddr(&address.any, &ip))
		rt_ip_format(&ip, host);
	if (address.any.sa_family == AF_INET6)
		snprintf(text, LISTEN_TEXT_MAX, "[%s]:%d", host, ntohs(address.v6.sin6_port));
	else
		snprintf(text, LISTEN_TEXT_MAX, "%s:%d", host, ntohs(address.v4.sin_port));
}

static void format_actual(int fd, char actual[LISTEN_TEXT_MAX])
{
	struct sockaddr_storage address;
	socklen_t length = sizeof address;

	memset(&address, 0, sizeof address);
	getsockname(fd, (struct sockaddr *)&address, &length);
	format(&address, actual);
}

static bool bind_and_listen(int fd, const union address *address, socklen_t length)
{
	int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
		return false;
	/* [::] means IPv6 only, so that both families can be bound to the same port. */
	if (address->any.sa_family == AF_INET6 &&
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0)
		return false;
	return bind(fd, &address->any, length) == 0 && listen(fd, LISTEN_BACKLOG) == 0;
}

int listen_open(const char *text, char actual[LISTEN_TEXT_MAX], char error[LISTEN_ERROR_MAX])
{
	union address address;
	socklen_t length;
	int fd;

	if (!parse_address(text, &address, &length)) {
		snprintf(error, LISTEN_ERROR_MAX, "%s is not IP:PORT or [IP]:PORT", text);
		return -1;
	}
	fd = listen_passed_take(&address.any, length);
	if (fd >= 0) {
		format_actual(fd, actual);
		return fd;
	}
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || !bind_and_listen(fd, &address, length)) {
		snprintf(error, LISTEN_ERROR_MAX, "cannot listen on %s: %s", text, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	format_actual(fd, actual);
	return fd;
}

void listen_drop_passed(void)
{
	struct sockaddr_storage address;
	char text[LISTEN_TEXT_MAX];

	while (listen_passed_drop(&address)) {
		format(&address, text);
		rt_log_line(RT_LOG_WARNING, NULL, NULL,
			"the socket %s that the service manager passed is closed: its address is "
			"none of EDS_HTTP_LISTEN, EDS_SMTP_LISTEN and EDS_OPS_LISTEN",
			text);
	}
}

int listen_accept(int listener, struct rt_ip *peer)
{
	union address address;
	socklen_t length = sizeof address;
	int on = 1;
	int fd = accept4(listener, &address.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return -1;
	/* Answers are written in one piece, so Nagle's algorithm would only delay them. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (!rt_ip_from_sockaddr(&address.any, peer))
		memset(peer, 0, sizeof *peer);
	return fd;
}

bool listen_is_loopback(const char *address)
{
	static const struct rt_ip loopback = {.family = AF_INET6, .bytes = {[15] = 1}};
	struct sockaddr_storage parsed;
	socklen_t length;
	struct rt_ip ip;

	if (!listen_parse(address, &parsed, &length) ||
		!rt_ip_from_sockaddr((struct sockaddr *)&parsed, &ip))
		return false;
	return ip.family == AF_INET ? ip.bytes[0] == 127 : rt_ip_equal(&ip, &loopback);
}
