/* What a connection asks of its server; not for others. */
#ifndef HOST_HTTP_STATE_H
#define HOST_HTTP_STATE_H

#include "runtime/host/http/http-connection.h"

/* Whether both are one client: an IPv4 address, or a /64 of IPv6. */
bool http_same_peer(const struct rt_ip *a, const struct rt_ip *b);

#endif
