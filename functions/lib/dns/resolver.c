#include "functions/lib/dns/resolver.h"

#include <ares.h>
#include <arpa/nameser.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/config.h"

enum {
	CHANNEL_SOCKETS_MAX = 2, /* of one server: UDP and TCP */
};

/* One question under way. */
struct asked {
	eds_resolver_done done;
	void *arg;
	enum eds_dns_type type;
	int tries;
	size_t server;                       /* asked now */
	char name[2 * EDS_DNS_NAME_MAX + 1]; /* as c-ares reads it */
};

/* A channel for each server, so that we know which one said what: with several in one channel
 * c-ares keeps to itself why the last one failed. */
static struct {
	ares_channel channels[EDS_RESOLVER_SERVERS_MAX];
	size_t count;
	size_t preferred; /* answered last */
	bool renew;       /* open fresh channels before the next event */
} resolver;

static int open_channel(ares_channel *channel)
{
	struct ares_options options = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_EDNS | ARES_FLAG_NOCHECKRESP,
		.timeout = EDS_RESOLVER_TRY_MS,
		.tries = 1,
		.ednspsz = EDS_RESOLVER_EDNS_BYTES,
		.socket_receive_buffer_size = EDS_RESOLVER_RECEIVE_BYTES,
	};

	return ares_init_options(channel, &options,
		ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ |
			ARES_OPT_SOCK_RCVBUF | ARES_OPT_DOMAINS);
}

static int add_server(const struct ares_addr_port_node *server)
{
	struct ares_addr_port_node alone = *server;
	int status = open_channel(&resolver.channels[resolver.count]);

	if (status != ARES_SUCCESS)
		return status;
	alone.next = NULL;
	return ares_set_servers_ports(resolver.channels[resolver.count++], &alone);
}

/* "ip:port, ip" without the spaces; "" leaves those of this machine. */
static int set_named_servers(ares_channel channel, const char *servers)
{
	char *list = strdup(servers);
	char *end = list;
	int status = ARES_SUCCESS;

	if (list == NULL)
		return ARES_ENOMEM;
	for (const char *c = servers; *c != '\0'; c++)
		if (*c != ' ')
			*end++ = *c;
	*end = '\0';
	if (list[0] != '\0')
		status = ares_set_servers_ports_csv(channel, list);
	free(list);
	return status;
}

static int open_servers(const char *servers)
{
	struct ares_addr_port_node *list = NULL;
	ares_channel channel;
	int status = open_channel(&channel);

	if (status != ARES_SUCCESS)
		return status;
	status = set_named_servers(channel, servers);
	if (status == ARES_SUCCESS)
		status = ares_get_servers_ports(channel, &list);
	for (const struct ares_addr_port_node *server = list; status == ARES_SUCCESS &&
		server != NULL && resolver.count < EDS_RESOLVER_SERVERS_MAX;
		server = server->next)
		status = add_server(server);
	ares_free_data(list);
	ares_destroy(channel);
	return status == ARES_SUCCESS && resolver.count == 0 ? ARES_ENODATA : status;
}

rt_status eds_resolver_open(struct rt_ctx *ctx)
{
	int status;

	if (resolver.renew)
		eds_resolver_close();
	if (resolver.count > 0)
		return RT_OK;
	status = ares_library_init(ARES_LIB_INIT_ALL);
	if (status == ARES_SUCCESS)
		status = open_servers(rt_config()->dns_servers);
	if (status == ARES_SUCCESS)
		return RT_OK;
	eds_resolver_close();
	return rt_fail(ctx, RT_INTERNAL, "dns-unavailable", "the resolver cannot be set up: %s",
		ares_strerror(status));
}

void eds_resolver_close(void)
{
	while (resolver.count > 0)
		ares_destroy(resolver.channels[--resolver.count]);
	resolver.preferred = 0;
	resolver.renew = false;
}

static const char *failure_of(int status)
{
	switch (status) {
	case ARES_ENOTFOUND: /* c-ares asks nobody about .onion (RFC 7686) */
		return "NXDOMAIN";
	case ARES_ECONNREFUSED:
		return "connection refused";
	case ARES_ETIMEOUT:
	case ARES_ECANCELLED:
	case ARES_EDESTRUCTION:
		return "no answer";
	default:
		return ares_strerror(status);
	}
}

/* Whether another try, of another server or the same, may do better. */
static bool worth_another_try(int status)
{
	switch (status) {
	case ARES_ETIMEOUT:
	case ARES_ECONNREFUSED:
	case ARES_ESERVFAIL:
	case ARES_EREFUSED:
	case ARES_ENOTIMP:
		return true;
	default:
		return false;
	}
}

static void replied(void *arg, int status, int timeouts, unsigned char *bytes, int length);

static void try_server(struct asked *asked)
{
	asked->tries++;
	ares_query(resolver.channels[asked->server], asked->name, ns_c_in, (int)asked->type,
		replied, asked);
}

/* After a FORMERR c-ares gives up EDNS for good. One strange name must not do that to all later
 * ones, so the channels are replaced before the next event. */
static void replied(void *arg, int status, int timeouts, unsigned char *bytes, int length)
{
	struct asked *asked = arg;

	(void)timeouts;
	if (status == ARES_EFORMERR)
		resolver.renew = true;
	if (worth_another_try(status) && asked->tries < EDS_RESOLVER_TRIES) {
		asked->server = (asked->server + 1) % resolver.count;
		try_server(asked);
		return;
	}
	if (bytes != NULL) {
		resolver.preferred = asked->server;
		asked->done(asked->arg, bytes, (size_t)length, NULL);
	} else {
		asked->done(asked->arg, NULL, 0, failure_of(status));
	}
	free(asked);
}

/* c-ares reads names with escapes. */
static void escape(const char *name, char escaped[2 * EDS_DNS_NAME_MAX + 1])
{
	for (; *name != '\0'; name++) {
		if (*name == '\\')
			*escaped++ = '\\';
		*escaped++ = *name;
	}
	*escaped = '\0';
}

void eds_resolver_ask(const char *name, enum eds_dns_type type, eds_resolver_done done, void *arg)
{
	struct asked *asked = malloc(sizeof *asked);

	if (asked == NULL) {
		done(arg, NULL, 0, "out of memory");
		return;
	}
	asked->done = done;
	asked->arg = arg;
	asked->type = type;
	asked->tries = 0;
	asked->server = resolver.preferred;
	escape(name, asked->name);
	try_server(asked);
}

struct poll_set {
	struct pollfd polled[EDS_RESOLVER_SERVERS_MAX * CHANNEL_SOCKETS_MAX + 1];
	size_t server[EDS_RESOLVER_SERVERS_MAX * CHANNEL_SOCKETS_MAX];
	nfds_t count;
};

static void add_sockets(struct poll_set *set, size_t server)
{
	ares_socket_t sockets[CHANNEL_SOCKETS_MAX];
	unsigned wanted = (unsigned)ares_getsock(
		resolver.channels[server], sockets, CHANNEL_SOCKETS_MAX);

	for (unsigned i = 0; i < CHANNEL_SOCKETS_MAX; i++) {
		short events = 0;

		if (ARES_GETSOCK_READABLE(wanted, i))
			events |= POLLIN;
		if (ARES_GETSOCK_WRITABLE(wanted, i))
			events |= POLLOUT;
		if (events == 0)
			continue;
		set->polled[set->count] = (struct pollfd){.fd = sockets[i], .events = events};
		set->server[set->count++] = server;
	}
}

/* Until c-ares wants to look at its clock, at most. */
static int wait_ms(int max_ms)
{
	struct timeval wait = {.tv_sec = max_ms / 1000, .tv_usec = max_ms % 1000 * 1000};

	for (size_t i = 0; i < resolver.count; i++) {
		struct timeval time;

		wait = *ares_timeout(resolver.channels[i], &wait, &time);
	}
	return (int)(wait.tv_sec * 1000 + (wait.tv_usec + 999) / 1000);
}

static void process(size_t server, const struct pollfd *polled)
{
	bool readable = (polled->revents & ~POLLOUT) != 0;
	bool writable = (polled->revents & POLLOUT) != 0;

	ares_process_fd(resolver.channels[server], readable ? polled->fd : ARES_SOCKET_BAD,
		writable ? polled->fd : ARES_SOCKET_BAD);
}

bool eds_resolver_turn(int fd, int max_ms)
{
	struct poll_set set = {.count = 0};
	nfds_t i;

	for (size_t server = 0; server < resolver.count; server++)
		add_sockets(&set, server);
	set.polled[set.count] = (struct pollfd){.fd = fd, .events = POLLIN};
	if (poll(set.polled, set.count + 1, wait_ms(max_ms)) < 0)
		return false; /* a signal: the caller looks at its clock and comes back */
	for (i = 0; i < set.count; i++)
		if (set.polled[i].revents != 0)
			process(set.server[i], &set.polled[i]);
	for (size_t server = 0; server < resolver.count; server++) /* what timed out */
		ares_process_fd(resolver.channels[server], ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	return set.polled[i].revents != 0;
}

void eds_resolver_cancel(void)
{
	for (size_t server = 0; server < resolver.count; server++)
		ares_cancel(resolver.channels[server]);
}
