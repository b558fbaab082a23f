/* Finds the client of a request without a token, because limits count the requests of each client.
 * A client is an IPv4 address or an IPv6 /64, the smallest network that a customer of a provider
 * has. */
#ifndef EDS_COUNTED_CLIENT_H
#define EDS_COUNTED_CLIENT_H

#include "runtime/event/handler.h"

/* Sets *client to a text like "192.0.2.1" or "2001:db8::/64", or to "unknown" when the request has
 * no address. Fails with RT_FORBIDDEN "client-blocked" for a client in EDS_BLOCKED_NETWORKS. */
rt_status eds_counted_client(struct rt_ctx *ctx, const struct rt_request *req, const char **client);

#endif
