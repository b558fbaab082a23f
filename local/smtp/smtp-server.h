/* The SMTP listener and its connections, with limits on their number in total and per address. */
#ifndef RUNNER_SMTP_SERVER_H
#define RUNNER_SMTP_SERVER_H

#include "local/smtp/smtp-connection.h"
#include "runtime/config/config.h"

enum {
	/* At this number the client that has been silent longest, at least SMTP_IDLE_MS, is
	 * dismissed for a new one. */
	SMTP_CONNECTIONS_MAX = 500,
	SMTP_IDLE_MS = 2000,
	SMTP_CONNECTIONS_PER_ADDRESS_MAX = 50, /* IPv6: per /64; no limit for trusted proxies */
	SMTP_SERVER_ERROR_MAX = 256,
};

struct smtp_server;

struct smtp_server_settings {
	struct event_base *base;
	const char *address; /* "127.0.0.1:2525" */
	const char *host_name;
	const struct rt_cidr_list *trusted;
	const struct rt_cidr_list *blocked; /* NULL: none */
	SSL_CTX *tls;
	struct held_mail *held; /* NULL: no quotas */
	struct smtp_clocks clocks;
	struct smtp_intake intake;
	void (*on_closed)(void *arg, struct smtp_connection *connection); /* about to be freed */
	void *arg; /* of intake and on_closed */
};

/* NULL with a sentence in error. */
struct smtp_server *smtp_server_new(
	const struct smtp_server_settings *settings, char error[SMTP_SERVER_ERROR_MAX]);
int smtp_server_port(const struct smtp_server *server);

/* Stops listening and closes each connection when it becomes idle. */
void smtp_server_drain(struct smtp_server *server);
size_t smtp_server_connections(const struct smtp_server *server);

/* Stops listening and closes all connections, calling on_closed for each. */
void smtp_server_close(struct smtp_server *server);

/* Frees the server. All shares of messages must have been settled. */
void smtp_server_free(struct smtp_server *server);

#endif
