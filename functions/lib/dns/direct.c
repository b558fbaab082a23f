#include "functions/lib/dns/direct.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "functions/lib/dns/memory.h"
#include "functions/lib/dns/resolver.h"

struct direct {
	struct eds_channel channel; /* the first member, so that a pointer to the channel is also a
				     * pointer to its struct direct */
	bool ended;
};

static struct {
	struct direct *open[EDS_DIRECT_MAX];
	size_t count;
} directs;

bool eds_direct_has_room(void)
{
	return directs.count < EDS_DIRECT_MAX;
}

struct eds_channel *eds_direct_open(const struct eds_dns_server *server)
{
	struct direct *direct = eds_dns_memory(sizeof *direct);
	char address[RT_IP_TEXT_MAX];
	char with_port[EDS_CHANNEL_SERVER_MAX];

	rt_ip_format(&server->ip, address);
	snprintf(with_port, sizeof with_port, server->ip.family == AF_INET6 ? "[%s]:%d" : "%s:%d",
		address, server->port);
	if (eds_channel_prepare(&direct->channel, with_port, EDS_RESOLVER_TRY_MS) != NULL)
		abort(); /* an address and a port are never too long */
	direct->channel.without_recursion = true;
	direct->ended = false;
	directs.open[directs.count++] = direct;
	return &direct->channel;
}

void eds_direct_end(struct eds_channel *channel)
{
	((struct direct *)(void *)channel)->ended = true;
}

/* Cancels first, because a try that took too long may still be in flight. */
static void close_direct(struct direct *direct)
{
	eds_channel_cancel(&direct->channel);
	eds_channel_close(&direct->channel);
	free(direct);
}

void eds_direct_close_ended(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < directs.count; i++) {
		if (directs.open[i]->ended)
			close_direct(directs.open[i]);
		else
			directs.open[kept++] = directs.open[i];
	}
	directs.count = kept;
}

size_t eds_direct_count(void)
{
	return directs.count;
}

struct eds_channel *eds_direct_at(size_t i)
{
	return &directs.open[i]->channel;
}
