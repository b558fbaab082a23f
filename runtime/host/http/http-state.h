/* Calls from a connection to its server. Internal to the server. */
#ifndef HOST_HTTP_STATE_H
#define HOST_HTTP_STATE_H

#include "runtime/host/http/http-connection.h"

/* Whether both addresses count as one client: the same IPv4 address, or the same IPv6 /64. */
bool http_same_peer(const struct rt_ip *a, const struct rt_ip *b);

#endif
