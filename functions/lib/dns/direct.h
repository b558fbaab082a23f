/* Channels to the name servers of domains, which are asked directly and not through the resolver.
 * Each question has its own channel, so that a silent server delays no other question; at most
 * EDS_DIRECT_MAX channels are open at once.
 */
#ifndef EDS_DNS_DIRECT_H
#define EDS_DNS_DIRECT_H

#include "functions/lib/dns/channel.h"

enum { EDS_DIRECT_MAX = 64 };

RT_MUST_USE bool eds_direct_has_room(void);

/* Opens a channel to the server; eds_direct_has_room() must be true. */
RT_MUST_USE struct eds_channel *eds_direct_open(const struct eds_dns_server *server);

/* Marks the channel as no longer needed. */
void eds_direct_end(struct eds_channel *channel);

/* Closes the channels that are no longer needed. Must not be called from a channel's callback. */
void eds_direct_close_ended(void);

/* The number of open channels, and the channel i (0 to that number - 1), for the loop that polls
 * their sockets. */
size_t eds_direct_count(void);
struct eds_channel *eds_direct_at(size_t i);

#endif
