#include "functions/lib/dns/channel.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/dns/memory.h"

/* c-ares 1.28.0 introduced messages as structs (ares_dns_record_t). */
#if ARES_VERSION >= 0x011c00
#define HAS_RECORDS 1
#else
#define HAS_RECORDS 0
#endif

enum {
	LEARNT_ANSWERS = 3, /* answers after which c-ares 1.34 chooses its own time-outs */
};

/* One question, from its start until c-ares calls back. */
struct call {
	struct eds_channel *channel;
	eds_channel_done done;
	void *arg;
};

static void set_events(struct eds_channel *channel, int fd, short events)
{
	size_t i = 0;

	while (i < channel->socket_count && channel->sockets[i].fd != fd)
		i++;
	if (events == 0) {
		if (i < channel->socket_count)
			channel->sockets[i] = channel->sockets[--channel->socket_count];
		return;
	}
	if (i == EDS_CHANNEL_SOCKETS_MAX)
		return;
	channel->sockets[i] = (struct pollfd){.fd = fd, .events = events};
	if (i == channel->socket_count)
		channel->socket_count++;
}

static void on_socket(void *arg, ares_socket_t fd, int readable, int writable)
{
	set_events(arg, fd, (short)((readable ? POLLIN : 0) | (writable ? POLLOUT : 0)));
}

static int open_handle(struct eds_channel *channel)
{
	struct ares_options options = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_EDNS | ARES_FLAG_NOCHECKRESP |
			(channel->without_recursion ? ARES_FLAG_NORECURSE : 0),
		.timeout = channel->try_ms,
		.tries = 1,
		.ednspsz = EDS_CHANNEL_EDNS_BYTES,
		.socket_receive_buffer_size = EDS_CHANNEL_RECEIVE_BYTES,
		.sock_state_cb = on_socket,
		.sock_state_cb_data = channel,
	};
	int given = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ |
		ARES_OPT_SOCK_RCVBUF | ARES_OPT_DOMAINS | ARES_OPT_SOCK_STATE_CB;

#ifdef ARES_OPT_QUERY_CACHE
	options.qcache_max_ttl = 0;
	given |= ARES_OPT_QUERY_CACHE;
#endif
	return ares_init_options(&channel->handle, &options, given);
}

/* Initializes the library once in a process: c-ares counts these calls and wants as many calls of
 * ares_library_cleanup(). */
static int open_library(void)
{
	static bool opened;
	int status = opened ? ARES_SUCCESS
			    : ares_library_init_mem(ARES_LIB_INIT_ALL, eds_dns_memory, free,
				      eds_dns_memory_resized);

	opened = opened || status == ARES_SUCCESS;
	return status;
}

static int open_channel(struct eds_channel *channel)
{
	int status = open_library();

	channel->handle = NULL;
	channel->socket_count = 0;
	channel->answered = 0;
	channel->format_error = false;
	if (status == ARES_SUCCESS)
		status = open_handle(channel);
	if (status == ARES_SUCCESS && channel->server[0] != '\0')
		status = ares_set_servers_ports_csv(channel->handle, channel->server);
	if (status != ARES_SUCCESS)
		eds_channel_close(channel);
	return status;
}

const char *eds_channel_prepare(struct eds_channel *channel, const char *server, int try_ms)
{
	*channel = (struct eds_channel){.try_ms = try_ms};
	if (strlen(server) >= sizeof channel->server)
		return "a server's address is too long";
	memcpy(channel->server, server, strlen(server) + 1);
	return NULL;
}

const char *eds_channel_open(struct eds_channel *channel)
{
	int status = open_channel(channel);

	return status == ARES_SUCCESS ? NULL : ares_strerror(status);
}

void eds_channel_close(struct eds_channel *channel)
{
	if (channel->handle != NULL)
		ares_destroy(channel->handle);
	channel->handle = NULL;
}

#if HAS_RECORDS
static char *servers_text(ares_channel handle)
{
	return ares_get_servers_csv(handle);
}
#else
/* Returns the servers as "ip:port,[ip]:port"; the caller frees the text with ares_free_string(). */
static char *servers_text(ares_channel handle)
{
	struct ares_addr_port_node *list = NULL;
	char *text = NULL;
	size_t length = 0;
	FILE *stream;

	if (ares_get_servers_ports(handle, &list) != ARES_SUCCESS)
		return NULL;
	stream = open_memstream(&text, &length);
	for (const struct ares_addr_port_node *server = list; stream != NULL && server != NULL;
		server = server->next) {
		char address[INET6_ADDRSTRLEN] = "";

		inet_ntop(server->family, &server->addr, address, sizeof address);
		fprintf(stream, server->family == AF_INET ? "%s%s:%d" : "%s[%s]:%d",
			server == list ? "" : ",", address,
			server->udp_port > 0 ? server->udp_port : NS_DEFAULTPORT);
	}
	if (stream != NULL)
		fclose(stream);
	ares_free_data(list);
	return text;
}
#endif

const char *eds_channel_system_servers(
	char servers[][EDS_CHANNEL_SERVER_MAX], size_t max, size_t *count)
{
	struct eds_channel channel;
	const char *wrong = eds_channel_prepare(&channel, "", 0);
	char *text;
	char *rest;
	char *server;

	*count = 0;
	if (wrong == NULL)
		wrong = eds_channel_open(&channel);
	if (wrong != NULL)
		return wrong;
	rest = text = servers_text(channel.handle);
	while (*count < max && (server = strsep(&rest, ",")) != NULL)
		if (server[0] != '\0' && strlen(server) < EDS_CHANNEL_SERVER_MAX)
			memcpy(servers[(*count)++], server, strlen(server) + 1);
	ares_free_string(text);
	eds_channel_close(&channel);
	return *count > 0 ? NULL : "no DNS server is configured on this machine";
}

/* Gives the usual errors our own short texts, which fit into our sentences; other errors get the
 * text of ares_strerror. */
static struct eds_dns_reply no_reply(int status)
{
	switch (status) {
	case ARES_ENOTFOUND: /* c-ares never sends a question about .onion (RFC 7686) */
		return (struct eds_dns_reply){.state = EDS_DNS_NO_NAME, .reason = ""};
	case ARES_ECONNREFUSED:
		return eds_dns_no_reply(EDS_DNS_UNREACHABLE, "connection refused");
	case ARES_ETIMEOUT:
	case ARES_ECANCELLED:
	case ARES_EDESTRUCTION:
		return eds_dns_no_reply(EDS_DNS_TIMED_OUT, "no answer");
	case ARES_EBADNAME:
		return eds_dns_no_reply(EDS_DNS_OTHER_FAILURE,
			"the name has characters that this release of c-ares refuses");
	default:
		return eds_dns_no_reply(EDS_DNS_OTHER_FAILURE, ares_strerror(status));
	}
}

/* True for an error of this server or of the path to it; another server may still answer. */
static bool may_do_better(int status)
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

static void end_call(struct call *call, int status, const uint8_t *bytes, size_t length)
{
	const struct eds_dns_reply reply = bytes != NULL
		? (struct eds_dns_reply){.bytes = bytes, .length = length}
		: no_reply(status);

	call->channel->asked--;
	call->channel->answered += bytes != NULL;
	call->channel->format_error |= status == ARES_EFORMERR;
	call->done(call->arg, &reply, may_do_better(status));
	free(call);
}

#if HAS_RECORDS
static void replied(
	void *arg, ares_status_t status, size_t timeouts, const ares_dns_record_t *record)
{
	unsigned char *bytes = NULL;
	size_t length = 0;

	(void)timeouts;
	if (record != NULL && ares_dns_write(record, &bytes, &length) != ARES_SUCCESS)
		status = ARES_EBADRESP;
	end_call(arg, (int)status, bytes, length);
	ares_free_string(bytes);
}

static void send_question(struct call *call, const char *name, enum eds_dns_type type)
{
	ares_query_dnsrec(call->channel->handle, name, ARES_CLASS_IN, (ares_dns_rec_type_t)type,
		replied, call, NULL);
}
#else
static void replied(void *arg, int status, int timeouts, unsigned char *bytes, int length)
{
	(void)timeouts;
	end_call(arg, status, bytes, (size_t)length);
}

static void send_question(struct call *call, const char *name, enum eds_dns_type type)
{
	ares_query(call->channel->handle, name, ns_c_in, (int)type, replied, call);
}
#endif

/* c-ares reads backslash escapes in names, so each backslash in the name is escaped first. */
static void escape(const char *name, char escaped[2 * EDS_DNS_NAME_MAX + 1])
{
	for (; *name != '\0'; name++) {
		if (*name == '\\')
			*escaped++ = '\\';
		*escaped++ = *name;
	}
	*escaped = '\0';
}

bool eds_channel_is_fresh(const struct eds_channel *channel)
{
	return channel->handle != NULL && !channel->format_error &&
		(!HAS_RECORDS || channel->answered < LEARNT_ANSWERS);
}

bool eds_channel_is_idle(const struct eds_channel *channel)
{
	return channel->asked == 0 && channel->inside == 0;
}

/* True when the channel can send a question. A spent channel is reopened first. While a question is
 * in flight or a callback runs, a spent channel cannot be reopened, and takes the question although
 * it is spent. */
static bool is_ready(struct eds_channel *channel)
{
	if (eds_channel_is_fresh(channel) || !eds_channel_is_idle(channel))
		return channel->handle != NULL;
	eds_channel_close(channel);
	return open_channel(channel) == ARES_SUCCESS;
}

void eds_channel_ask(struct eds_channel *channel, const char *name, enum eds_dns_type type,
	eds_channel_done done, void *arg)
{
	char escaped[2 * EDS_DNS_NAME_MAX + 1];
	struct call *call;

	if (!is_ready(channel)) {
		const struct eds_dns_reply reply = eds_dns_no_reply(
			EDS_DNS_OTHER_FAILURE, "the resolver cannot be set up");

		done(arg, &reply, false);
		return;
	}
	call = eds_dns_memory(sizeof *call);
	*call = (struct call){.channel = channel, .done = done, .arg = arg};
	channel->asked++;
	escape(name, escaped);
	channel->inside++;
	send_question(call, escaped, type);
	channel->inside--;
}

void eds_channel_cancel(struct eds_channel *channel)
{
	if (channel->handle == NULL)
		return;
	channel->inside++;
	ares_cancel(channel->handle);
	channel->inside--;
}

static void process(struct eds_channel *channel, ares_socket_t readable, ares_socket_t writable)
{
	if (channel->handle == NULL)
		return;
	channel->inside++;
	ares_process_fd(channel->handle, readable, writable);
	channel->inside--;
}

void eds_channel_handle(struct eds_channel *channel, const struct pollfd *polled)
{
	bool readable = (polled->revents & ~POLLOUT) != 0;
	bool writable = (polled->revents & POLLOUT) != 0;

	process(channel, readable ? polled->fd : ARES_SOCKET_BAD,
		writable ? polled->fd : ARES_SOCKET_BAD);
}

void eds_channel_tick(struct eds_channel *channel)
{
	if (channel->asked > 0)
		process(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

int eds_channel_wait_ms(const struct eds_channel *channel, int max_ms)
{
	struct timeval most = {.tv_sec = max_ms / 1000, .tv_usec = max_ms % 1000 * 1000};
	struct timeval time;
	const struct timeval *wait = &most;

	if (channel->handle != NULL && channel->asked > 0)
		wait = ares_timeout(channel->handle, &most, &time);
	return (int)(wait->tv_sec * 1000 + (wait->tv_usec + 999) / 1000);
}
