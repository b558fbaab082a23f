/* Who is counted where a client without a token has a share: an IPv4 address, or the /64 that one
 * IPv6 customer has at least. */
#ifndef EDS_COUNTED_CLIENT_H
#define EDS_COUNTED_CLIENT_H

#include "runtime/event/handler.h"

/* "192.0.2.1", "2001:db8::/64", or "unknown", in *client. RT_FORBIDDEN client-blocked for one of
 * EDS_BLOCKED_NETWORKS. */
rt_status eds_counted_client(struct rt_ctx *ctx, const struct rt_request *req, const char **client);

#endif
