#include "functions/lib/dns/resolver.h"

#include <ares.h>
#include <arpa/nameser.h>
#include <poll.h>
#include <stdlib.h>

#include "runtime/config.h"

struct asked {
	eds_resolver_done done;
	void *arg;
};

static struct {
	ares_channel channel;
	bool open;
	bool renew; /* open a fresh channel before the next event */
} resolver;

static int open_channel(const char *servers)
{
	struct ares_options options = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_EDNS,
		.timeout = EDS_RESOLVER_TRY_MS,
		.tries = EDS_RESOLVER_TRIES,
		.ednspsz = EDS_RESOLVER_EDNS_BYTES,
		.socket_receive_buffer_size = EDS_RESOLVER_RECEIVE_BYTES,
	};
	int status = ares_init_options(&resolver.channel, &options,
		ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ |
			ARES_OPT_SOCK_RCVBUF | ARES_OPT_DOMAINS);

	if (status != ARES_SUCCESS || servers[0] == '\0')
		return status;
	status = ares_set_servers_ports_csv(resolver.channel, servers);
	if (status != ARES_SUCCESS)
		ares_destroy(resolver.channel);
	return status;
}

rt_status eds_resolver_open(struct rt_ctx *ctx)
{
	int status;

	if (resolver.renew)
		eds_resolver_close();
	if (resolver.open)
		return RT_OK;
	status = ares_library_init(ARES_LIB_INIT_ALL);
	if (status == ARES_SUCCESS)
		status = open_channel(rt_config()->dns_servers);
	if (status != ARES_SUCCESS)
		return rt_fail(ctx, RT_INTERNAL, "dns-unavailable",
			"the resolver cannot be set up: %s", ares_strerror(status));
	resolver.open = true;
	return RT_OK;
}

void eds_resolver_close(void)
{
	if (resolver.open)
		ares_destroy(resolver.channel);
	resolver.open = false;
	resolver.renew = false;
}

static const char *failure_of(int status)
{
	switch (status) {
	case ARES_ENOTFOUND: /* c-ares asks nobody about .onion (RFC 7686) */
		return "NXDOMAIN";
	case ARES_ESERVFAIL:
		return "SERVFAIL";
	case ARES_EREFUSED:
		return "REFUSED";
	case ARES_ENOTIMP:
		return "NOTIMP";
	case ARES_ECONNREFUSED:
		return "connection refused";
	case ARES_ETIMEOUT:
	case ARES_ECANCELLED:
		return "no answer";
	default:
		return ares_strerror(status);
	}
}

/* After a FORMERR c-ares gives up EDNS for good. One strange name must not do that to all later
 * ones, so the channel is replaced before the next event. */
static void replied(void *arg, int status, int timeouts, unsigned char *bytes, int length)
{
	struct asked asked = *(struct asked *)arg;

	(void)timeouts;
	free(arg);
	if (status == ARES_EFORMERR)
		resolver.renew = true;
	if (bytes != NULL)
		asked.done(asked.arg, bytes, (size_t)length, NULL);
	else
		asked.done(asked.arg, NULL, 0, failure_of(status));
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
	char escaped[2 * EDS_DNS_NAME_MAX + 1];
	struct asked *asked = malloc(sizeof *asked);

	if (asked == NULL) {
		done(arg, NULL, 0, "out of memory");
		return;
	}
	*asked = (struct asked){.done = done, .arg = arg};
	escape(name, escaped);
	ares_query(resolver.channel, escaped, ns_c_in, (int)type, replied, asked);
}

static nfds_t poll_set(struct pollfd polled[ARES_GETSOCK_MAXNUM])
{
	ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
	unsigned wanted = (unsigned)ares_getsock(resolver.channel, sockets, ARES_GETSOCK_MAXNUM);
	nfds_t count = 0;

	for (unsigned i = 0; i < ARES_GETSOCK_MAXNUM; i++) {
		short events = 0;

		if (ARES_GETSOCK_READABLE(wanted, i))
			events |= POLLIN;
		if (ARES_GETSOCK_WRITABLE(wanted, i))
			events |= POLLOUT;
		if (events != 0)
			polled[count++] = (struct pollfd){.fd = sockets[i], .events = events};
	}
	return count;
}

/* Until c-ares wants to try again, at most. */
static int wait_ms(int max_ms)
{
	struct timeval most = {.tv_sec = max_ms / 1000, .tv_usec = max_ms % 1000 * 1000};
	struct timeval time;
	const struct timeval *wait = ares_timeout(resolver.channel, &most, &time);

	return (int)(wait->tv_sec * 1000 + (wait->tv_usec + 999) / 1000);
}

bool eds_resolver_turn(int fd, int max_ms)
{
	struct pollfd polled[ARES_GETSOCK_MAXNUM + 1];
	nfds_t count = poll_set(polled);
	bool arrived = false;

	polled[count] = (struct pollfd){.fd = fd, .events = POLLIN};
	if (poll(polled, count + 1, wait_ms(max_ms)) < 0)
		return false; /* a signal: the caller looks at its clock and comes back */
	for (nfds_t i = 0; i < count; i++) {
		bool readable = (polled[i].revents & ~POLLOUT) != 0;
		bool writable = (polled[i].revents & POLLOUT) != 0;

		arrived = arrived || readable || writable;
		if (readable || writable)
			ares_process_fd(resolver.channel, readable ? polled[i].fd : ARES_SOCKET_BAD,
				writable ? polled[i].fd : ARES_SOCKET_BAD);
	}
	if (!arrived)
		ares_process_fd(resolver.channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	return polled[count].revents != 0;
}

void eds_resolver_cancel(void)
{
	if (resolver.open)
		ares_cancel(resolver.channel);
}
