/* The Host field of a request, and the authority of a target in absolute form (RFC 9110 section
 * 7.2, RFC 3986 section 3.2): a name or an address, with or without a port.
 *
 *     example.com:8080   192.0.2.1   [2001:db8::1]:443
 */
#ifndef HOST_HTTP_HOST_H
#define HOST_HTTP_HOST_H

#include "runtime/host/http/http.h"

enum {
	HTTP_HOST_NAME_MAX = 255,
};

/* Finds the name or address without the port, an IPv6 address without its brackets; false when the
 * host is not valid. RFC 3986 also allows percent-encoding and sub-delims in a name; no real host
 * name has them, so they are refused. */
bool http_host_split(const struct http_span *host, struct http_span *name);

/* True if the request is meant for this service. A listener on loopback serves the user of this
 * machine. A foreign web page whose name was pointed to this address (DNS rebinding) must not read
 * the answers. So on loopback the host must be an address, localhost or a name under it, the host
 * of EDS_BASE_URL, or EDS_POLICY_HOST. Any host is accepted elsewhere, and behind
 * EDS_TRUSTED_PROXIES. A request of HTTP/1.0 may have no host. */
bool http_host_is_ours(const struct http_request *request);

#endif
