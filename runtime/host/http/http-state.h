/* Functions of the server that a connection calls. Internal to the server. */
#ifndef HOST_HTTP_STATE_H
#define HOST_HTTP_STATE_H

#include "runtime/host/http/http-connection.h"

/* True if both addresses are taken for one client: they are the same IPv4 address, or in the same
 * IPv6 /64. */
bool http_same_peer(const struct rt_ip *a, const struct rt_ip *b);

#endif
