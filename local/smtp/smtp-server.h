/* The SMTP listener and its connections, with limits on their number in total and per address. */
#ifndef RUNNER_SMTP_SERVER_H
#define RUNNER_SMTP_SERVER_H

#include "local/smtp/smtp-connection.h"
#include "runtime/config/config.h"

enum {
	/* At this number of connections, a new client replaces the client that has been silent
	 * longest, if that silence is at least SMTP_IDLE_MS. */
	SMTP_CONNECTIONS_MAX = 500,
	SMTP_IDLE_MS = 2000,
	/* maximum number of connections from an IPv4 address or an IPv6 /64; no limit for trusted
	 * proxies */
	SMTP_CONNECTIONS_PER_ADDRESS_MAX = 50,
	SMTP_SERVER_ERROR_MAX = 256,
};

struct smtp_server;

struct smtp_server_settings {
	struct event_base *base;
	const char *address; /* address of the listener: "127.0.0.1:2525" */
	const char *host_name;
	const struct rt_cidr_list *trusted;
	const struct rt_cidr_list *blocked; /* clients whose mail is refused; NULL: none */
	SSL_CTX *tls;
	struct held_mail *held; /* counts mail for the quotas; NULL: there are no quotas */
	struct smtp_clocks clocks;
	struct smtp_intake intake;
	/* Called before a connection is freed. */
	void (*on_closed)(void *arg, struct smtp_connection *connection);
	void *arg; /* argument of intake and on_closed */
};

/* Starts the server; NULL, with a sentence in error, on failure. */
struct smtp_server *smtp_server_new(
	const struct smtp_server_settings *settings, char error[SMTP_SERVER_ERROR_MAX]);
int smtp_server_port(const struct smtp_server *server);

/* Stops listening and closes each connection when it becomes idle. */
void smtp_server_drain(struct smtp_server *server);
size_t smtp_server_connections(const struct smtp_server *server);

/* Stops listening and closes all connections, calling on_closed for each. */
void smtp_server_close(struct smtp_server *server);

/* Frees the server. smtp_share_settle() must have been called for every share that a message took.
 */
void smtp_server_free(struct smtp_server *server);

#endif
